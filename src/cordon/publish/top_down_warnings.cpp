// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cordon/metrics/discernibility.h"
#include "cordon/models/verifier.h"
#include "cordon/publish/run_top_down.h"

namespace cordon {
namespace {

using Columns = std::set<std::string>;

constexpr std::size_t kSampledRows = 50'000;
constexpr double kNearlyDetermined = 0.05;  // bits
constexpr std::size_t kRepeats = 5;

std::vector<std::string> Listed(const Columns& columns) { return {columns.begin(), columns.end()}; }

Columns QuasiColumns(const Microdata& data) {
  Columns all;
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) all.insert(data.columns[column].attribute.name);
  return all;
}

Columns OnOf(const ModelSpec& spec, const Columns& quasi) {
  const std::vector<std::string> names = GroupingColumns(spec);
  return names.empty() ? quasi : Columns(names.begin(), names.end());
}

double Entropy(const std::map<std::uint64_t, std::uint64_t>& counts, double rows) {
  double sum = 0;
  for (const auto& [value, count] : counts) {
    const double p = static_cast<double>(count) / rows;
    sum -= p * std::log2(p);
  }
  return sum;
}

// Bits of `hidden` that are left open by `known`, over the rows whose known value occurs several times: a column of
// nearly unique values would seem to determine anything. Nothing where those are few, or `hidden` is constant.
std::optional<double> OpenBits(const Codes& hidden, const Codes& known, std::size_t num_rows) {
  const std::size_t step = num_rows / kSampledRows + 1;
  std::vector<std::uint64_t> pairs;
  for (std::size_t row = 0; row < num_rows; row += step) {
    pairs.push_back((static_cast<std::uint64_t>(static_cast<std::uint32_t>(known[row])) << 32) |
                    static_cast<std::uint32_t>(hidden[row]));
  }
  std::sort(pairs.begin(), pairs.end());
  std::map<std::uint64_t, std::uint64_t> all;
  double rows = 0;
  double open = 0;
  for (std::size_t at = 0, next = 0; at < pairs.size(); at = next) {
    std::map<std::uint64_t, std::uint64_t> here;
    while (next < pairs.size() && pairs[next] >> 32 == pairs[at] >> 32) ++here[pairs[next++] & 0xffffffff];
    if (next - at < kRepeats) continue;
    const auto size = static_cast<double>(next - at);
    rows += size;
    open += size * Entropy(here, size);
    for (const auto& [value, count] : here) all[value] += count;
  }
  if (2 * rows < static_cast<double>(pairs.size()) || Entropy(all, rows) < 2 * kNearlyDetermined) return std::nullopt;
  return open / rows;
}

void WarnOfDeterminedColumns(const Microdata& data, const Columns& masked, std::vector<Warning>& warnings) {
  for (const MicrodataColumn& known : data.columns) {
    if (masked.contains(known.attribute.name)) continue;
    const Codes& codes = known.attribute.role == Role::kQuasi ? known.codes : known.text.codes;
    for (const MicrodataColumn& hidden : data.columns) {
      if (!masked.contains(hidden.attribute.name)) continue;
      const auto open = OpenBits(hidden.codes, codes, data.num_rows);
      if (!open || *open >= kNearlyDetermined) continue;
      warnings.push_back(
          {"determined-column",
           {known.attribute.name, hidden.attribute.name},
           fmt::format("'{}' is published as it is and nearly determines '{}', whose masking it undoes; make '{}' "
                       "quasi and add it to the templates, or drop it",
                       known.attribute.name, hidden.attribute.name, known.attribute.name)});
    }
  }
}

void WarnOfUnion(const Policy& policy, const Columns& quasi, const Columns& masked, const Release& release, const Run& run,
                 std::vector<Warning>& warnings) {
  std::int64_t k = 0;
  bool other_columns = false;
  std::vector<Columns> templates;
  for (const ModelSpec& spec : policy.models) {
    const auto* anonymity = std::get_if<KAnonymitySpec>(&spec);
    if (anonymity == nullptr && !std::holds_alternative<ConfidenceSpec>(spec)) continue;
    if (anonymity != nullptr) k = std::max(k, anonymity->k);
    templates.push_back(OnOf(spec, quasi));
    other_columns = other_columns || templates.back() != templates.front();
  }
  const bool covered = std::find(templates.begin(), templates.end(), masked) != templates.end();
  if (templates.size() < 2 || !other_columns || covered) return;
  const Discernibility sizes = MeasureDiscernibility(release, run);
  if (k > 0 && sizes.min_group >= static_cast<std::uint64_t>(k)) return;
  warnings.push_back({"union-not-protected", Listed(masked),
                      fmt::format("each template holds, but the columns of all together leave groups of {} row{}; where one "
                                  "attacker may know them all, join the templates: one entry on all of these columns",
                                  sizes.min_group, sizes.min_group == 1 ? "" : "s")});
}

void WarnOfHomogeneity(const Policy& policy, const Microdata& data, const Release& release, const Run& run,
                       std::vector<Warning>& warnings) {
  Columns guarded;
  for (const ModelSpec& spec : policy.models) {
    for (const std::string& column : SensitiveColumns(spec)) guarded.insert(column);
  }
  for (const std::size_t column : data.ColumnsOf(Role::kSensitive)) {
    const std::string& name = data.columns[column].attribute.name;
    if (guarded.contains(name)) continue;
    const Verifier verifier({LDiversitySpec{.sensitive = name, .l = Rational(2)}});
    const auto verdicts = verifier.Judge(release, run);
    if (!verdicts.ok() || verdicts.value()[0].holds) continue;
    warnings.push_back(
        {"homogeneous-groups",
         {name},
         fmt::format("in {} group{} all rows have one value of '{}': whoever is in it is known to have it; add a "
                     "model such as l-diversity or confidence for '{}'",
                     verdicts.value()[0].failing_groups, verdicts.value()[0].failing_groups == 1 ? "" : "s", name, name)});
  }
}

}  // namespace

std::vector<Warning> TopDownWarnings(const Policy& policy, const Microdata& data, const Release& release, const Run& run) {
  std::vector<Warning> warnings;
  const Columns quasi = QuasiColumns(data);
  Columns masked;
  bool identity = false;
  for (const ModelSpec& spec : policy.models) {
    masked.merge(OnOf(spec, quasi));
    identity = identity || std::holds_alternative<KAnonymitySpec>(spec) || std::holds_alternative<AlphaKSpec>(spec);
  }
  WarnOfDeterminedColumns(data, masked, warnings);
  WarnOfUnion(policy, quasi, masked, release, run, warnings);
  WarnOfHomogeneity(policy, data, release, run, warnings);
  if (!identity) {
    warnings.push_back({"no-identity-protection", Listed(masked),
                        "no model bounds the size of a group: a person may be alone in one; add k-anonymity"});
  }
  for (const std::string& name : quasi) {
    if (masked.contains(name)) {
      const AttributePolicy& attribute = *policy.Find(name);
      if (attribute.type == Domain::Kind::kCategorical || attribute.mask == Mask::kSuppress || attribute.range) continue;
      warnings.push_back({"range-from-data",
                          {name},
                          fmt::format("the least and the greatest '{}' of the data are published; declare range in "
                                      "[attributes.{}]",
                                      name, name)});
    } else {
      warnings.push_back({"unmasked-quasi",
                          {name},
                          fmt::format("no model speaks of '{}', so it is published as it is; name it in 'on', or make it "
                                      "insensitive",
                                      name)});
    }
  }
  return warnings;
}

}  // namespace cordon
