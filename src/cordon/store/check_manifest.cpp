// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/check_manifest.h"

#include <algorithm>
#include <optional>
#include <span>

#include "cordon/base/canonical_json.h"
#include "cordon/data/decimal.h"
#include "cordon/models/spec/model_spec.h"
#include "cordon/report/report.h"

namespace cordon::engine {
namespace {

using Group = HelpVerifier::Group;

// Of some groups; least and greatest are 0 if there is none.
struct Figures {
  std::uint64_t rows = 0;
  Int128 sum_range = 0;
  Int128 greatest_range = 0;
  Int128 least_range = 0;
  Int128 least_quartile_range = 0;
  std::size_t least_distinct = 0;
  Rational greatest_share{0};
};

Figures FiguresOf(std::span<const Group> groups, const HelpVerifier& rows) {
  Figures figures;
  for (const Group& group : groups) {
    const std::span<const std::int64_t> values = rows.values(group);
    std::size_t distinct = 0;
    std::size_t most = 0;
    for (std::size_t begin = 0; begin < values.size(); ++distinct) {
      const auto end = std::upper_bound(values.begin() + static_cast<std::ptrdiff_t>(begin), values.end(), values[begin]);
      most = std::max(most, static_cast<std::size_t>(end - values.begin()) - begin);
      begin = static_cast<std::size_t>(end - values.begin());
    }
    const Int128 range = static_cast<Int128>(values.back()) - values.front();
    const std::size_t quarter = (values.size() + 3) / 4;  // rows up to the first quarter of them, and to the third
    const std::size_t three_quarters = (3 * values.size() + 3) / 4;
    const Int128 middle = static_cast<Int128>(values[three_quarters - 1]) - values[quarter - 1];
    const bool first = figures.rows == 0;
    figures.rows += values.size();
    figures.sum_range += range;
    figures.greatest_range = std::max(figures.greatest_range, range);
    figures.least_range = first ? range : std::min(figures.least_range, range);
    figures.least_quartile_range = first ? middle : std::min(figures.least_quartile_range, middle);
    figures.least_distinct = first ? distinct : std::min(figures.least_distinct, distinct);
    figures.greatest_share =
        std::max(figures.greatest_share, Rational(static_cast<std::int64_t>(most), static_cast<std::int64_t>(values.size())));
  }
  return figures;
}

std::string TextOf(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

bool IsNumber(const Json& entry, const char* key, Int128 number, int scale) {
  const auto decimal = ParseDecimal(TextOf(entry, key));
  const auto said = decimal ? Rescale(*decimal, scale) : std::nullopt;
  return said && *said == number;
}

// The key of an entry of "releases" that is not what its groups give.
std::string WrongKey(const Json& entry, std::span<const Group> groups, const HelpVerifier& rows, int scale) {
  const Figures figures = FiguresOf(groups, rows);
  if (entry.value("rows", Json()) != figures.rows) return "rows";
  if (!IsNumber(entry, "sum_error", figures.sum_range, scale)) return "sum_error";
  if (!IsNumber(entry, "max_error", figures.greatest_range, scale)) return "max_error";
  if (!IsNumber(entry, "least_quartile_range", figures.least_quartile_range, scale)) return "least_quartile_range";
  const auto share = Rational::Parse(TextOf(entry, "greatest_share"));
  if (!share.ok() || share.value() != figures.greatest_share) return "greatest_share";
  const std::string reached = groups.empty() ? "nothing"
                                             : fmt::format("{} distinct values, range {}, share {}", figures.least_distinct,
                                                           FormatDecimal(static_cast<std::int64_t>(figures.least_range), scale),
                                                           figures.greatest_share.ToString());
  return TextOf(entry, "reached") == reached ? "" : "reached";
}

// The last release that grouped everything again, and those that added groups since: they have the groups by their numbers.
std::string WrongRelease(const Json& releases, const HelpVerifier& rows, int scale) {
  std::size_t first = releases.size();
  while (first > 0 && (first == releases.size() || TextOf(releases[first], "mode") == "frozen")) --first;
  std::span<const Group> left = rows.groups();
  for (std::size_t i = first; i < releases.size(); ++i) {
    const auto wrong = [&](const std::string& key) {
      return fmt::format("manifest.json: '{}' of release {} is not what its groups give", key, i + 1);
    };
    const Json groups = releases[i].is_object() ? releases[i].value("groups", Json()) : Json();
    if (!groups.is_number_unsigned() || groups.get<std::uint64_t>() > left.size()) return wrong("groups");
    const auto own = left.first(groups.get<std::size_t>());
    left = left.subspan(own.size());
    if (const std::string key = WrongKey(releases[i], own, rows, scale); !key.empty()) return wrong(key);
  }
  return left.empty() ? "" : "manifest.json: 'releases' has fewer groups than are published";
}

std::optional<KeAnonymitySpec> SpecOf(const Json& entry) {
  KeAnonymitySpec spec;
  spec.sensitive = TextOf(entry, "sensitive");
  const Json k = entry.value("k", Json());
  const auto e = Rational::Parse(TextOf(entry, "e"));
  if (!k.is_number_integer() || !e.ok()) return std::nullopt;
  spec.k = k.get<std::int64_t>();
  spec.e = e.value();
  if (TextOf(entry, "objective") == "max") spec.objective = KeAnonymitySpec::Objective::kMax;
  if (!entry.contains("max_share")) return spec;
  const auto share = Rational::Parse(TextOf(entry, "max_share"));
  if (!share.ok()) return std::nullopt;
  spec.max_share = share.value();
  return spec;
}

bool Holds(const KeAnonymitySpec& spec, const HelpVerifier& rows, int scale) {
  if (rows.groups().empty()) return true;
  const Figures figures = FiguresOf(rows.groups(), rows);
  Int128 unit = 1;
  for (int digit = 0; digit < scale; ++digit) unit *= 10;
  return static_cast<Int128>(figures.least_distinct) >= spec.k &&
         figures.least_range * spec.e.denominator() >= unit * spec.e.numerator() &&
         (!spec.max_share || figures.greatest_share <= *spec.max_share);
}

}  // namespace

std::string WrongModel(const Json& manifest) {
  const Json privacy = manifest.value("privacy", Json());
  const char* what = "manifest.json: 'privacy' is not one ke-anonymity model of the permuted column";
  if (!privacy.is_array() || privacy.size() != 1 || !privacy[0].is_object()) return what;
  const std::optional<KeAnonymitySpec> spec = SpecOf(privacy[0]);
  if (!spec || spec->sensitive != manifest.value("sensitive", "")) return what;
  Json expected = ToJson(ModelSpec(*spec));
  expected["text"] = Describe(ModelSpec(*spec));
  expected["holds"] = true;                   // or nothing would have been published
  const auto is = CanonicalJson(privacy[0]);  // the order of keys says nothing
  const auto wanted = CanonicalJson(expected);
  return is.ok() && wanted.ok() && is.value() == wanted.value()
             ? ""
             : "manifest.json: 'privacy' does not say that the model it names holds";
}

namespace {

std::string WrongPrivacy(const Json& manifest, const HelpVerifier& rows, int scale) {
  if (std::string wrong = WrongModel(manifest); !wrong.empty()) return wrong;
  const std::optional<KeAnonymitySpec> spec = SpecOf(manifest["privacy"][0]);
  if (Holds(*spec, rows, scale)) return "";
  return fmt::format("manifest.json: 'privacy' says that {} holds, and the published rows do not bear it out",
                     Describe(ModelSpec(*spec)));
}

}  // namespace

std::string WrongClaim(const Json& manifest, const HelpVerifier& rows, int scale) {
  const auto claim = [&](const char* key) { return manifest.value(key, std::uint64_t{0}); };
  const std::vector<Group>& groups = rows.groups();
  std::uint64_t num_rows = 0;
  for (const Group& group : groups) num_rows += group.rows();
  if (claim("rows") != num_rows) return "manifest.json: 'rows' is not the number of published rows";
  if (claim("groups") != groups.size()) return "manifest.json: 'groups' is not the number of published groups";
  // A number of a group that is given twice would make one of two.
  if (!groups.empty() && groups.back().number >= 0 && claim("next_group") <= static_cast<std::uint64_t>(groups.back().number))
    return "manifest.json: 'next_group' is not greater than every group";
  if (std::string wrong = WrongPrivacy(manifest, rows, scale); !wrong.empty()) return wrong;
  return WrongRelease(manifest["releases"], rows, scale);
}

}  // namespace cordon::engine
