// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "cordon/base/toml_text.h"
#include "cordon/metrics/discernibility.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/plan/run_top_down.h"

namespace cordon::engine {
namespace {

using Columns = std::set<std::string>;

constexpr std::size_t kSampledRows = 50'000;
constexpr double kNearlyDetermined = 0.05;  // bits
constexpr std::size_t kRepeats = 5;

std::vector<std::string> Listed(const Columns& columns) { return {columns.begin(), columns.end()}; }

Columns NamedQuasi(const Microdata& data) {
  Columns all;
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) all.insert(data.columns[column].attribute.name);
  return all;
}

Columns OnOf(const ModelSpec& spec, const Columns& quasi) {
  const std::vector<std::string> names = GroupingColumns(spec);
  return names.empty() ? quasi : Columns(names.begin(), names.end());
}

// rows * entropy of the counts, which are given back as zeros.
double TakeInformation(std::span<std::uint32_t> counts) {
  double sum = 0;
  double rows = 0;
  for (std::uint32_t& count : counts) {
    if (count == 0) continue;
    rows += count;
    sum += count * std::log2(count);
    count = 0;
  }
  return rows > 0 ? rows * std::log2(rows) - sum : 0;
}

// Codes of some of the rows, brought to 0..size-1; an absent cell is one more.
struct Sampled {
  std::vector<std::uint32_t> values;
  std::size_t size = 0;

  Sampled(const Codes& codes, std::size_t num_rows) {
    const std::size_t step = num_rows / kSampledRows + 1;
    std::unordered_map<Code, std::uint32_t> dense;
    for (std::size_t row = 0; row < num_rows; row += step) {
      values.push_back(dense.try_emplace(codes[row], static_cast<std::uint32_t>(dense.size())).first->second);
    }
    size = dense.size();
  }
};

// Whether `known` leaves hardly anything of `hidden` open, over the rows whose known value occurs several times: a column
// of nearly unique values would seem to determine anything. Not where those rows are few, or `hidden` hardly varies.
bool NearlyDetermines(const Sampled& known, const Sampled& hidden) {
  // Rows by known value.
  std::vector<std::uint32_t> starts(known.size + 1);
  for (const std::uint32_t value : known.values) ++starts[value + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<std::uint32_t> ordered(known.values.size());
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t row = 0; row < known.values.size(); ++row) ordered[next[known.values[row]]++] = hidden.values[row];
  std::vector<std::uint32_t> here(hidden.size);
  std::vector<std::uint32_t> all(hidden.size);
  double rows = 0;
  double open = 0;
  for (std::size_t value = 0; value < known.size; ++value) {
    const std::size_t count = starts[value + 1] - starts[value];
    if (count < kRepeats) continue;
    rows += static_cast<double>(count);
    double logs = 0;
    for (std::size_t i = starts[value]; i < starts[value + 1]; ++i) {
      ++here[ordered[i]];
      ++all[ordered[i]];
    }
    for (std::size_t i = starts[value]; i < starts[value + 1]; ++i) {
      const std::uint32_t own = std::exchange(here[ordered[i]], 0);
      if (own > 0) logs += own * std::log2(own);
    }
    open += static_cast<double>(count) * std::log2(static_cast<double>(count)) - logs;
  }
  if (2 * rows < static_cast<double>(known.values.size())) return false;
  return TakeInformation(all) >= 2 * kNearlyDetermined * rows && open < kNearlyDetermined * rows;
}

void WarnOfDeterminedColumns(const Microdata& data, const Columns& masked, std::vector<Warning>& warnings) {
  std::vector<std::pair<std::string, Sampled>> hidden;
  for (const MicrodataColumn& column : data.columns) {
    if (masked.contains(column.attribute.name))
      hidden.emplace_back(column.attribute.name, Sampled(column.codes, data.num_rows));
  }
  for (const MicrodataColumn& column : data.columns) {
    const std::string& name = column.attribute.name;
    if (masked.contains(name)) continue;
    const Sampled known(column.attribute.role == Role::kQuasi ? column.codes : column.text.codes, data.num_rows);
    for (const auto& [masked_name, values] : hidden) {
      if (!NearlyDetermines(known, values)) continue;
      warnings.push_back(
          {"determined-column",
           {name, masked_name},
           fmt::format("'{}' is published as it is and nearly determines '{}', whose masking it undoes; make '{}' "
                       "quasi and add it to the templates, or drop it",
                       name, masked_name, name)});
    }
  }
}

void WarnOfUnion(const Policy& policy, const Columns& quasi, const Columns& masked, const TopDownFindings& findings,
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
  const std::uint64_t least = findings.min_group();
  if (k > 0 && least >= static_cast<std::uint64_t>(k)) return;
  warnings.push_back({"union-not-protected", Listed(masked),
                      fmt::format("each template holds, but the columns of all together leave groups of {} row{}; if one "
                                  "attacker may know them all, join the templates: one entry on all of these columns",
                                  least, least == 1 ? "" : "s")});
}

void WarnOfHomogeneity(const Policy& policy, const Microdata& data, const TopDownFindings& findings,
                       std::vector<Warning>& warnings) {
  for (const std::size_t column : data.ColumnsOf(Role::kSensitive)) {
    const std::string& name = data.columns[column].attribute.name;
    if (!NobodyGuards(policy, name)) continue;
    const std::int64_t groups = findings.homogeneous(name);
    if (groups == 0) continue;
    warnings.push_back({"homogeneous-groups",
                        {name},
                        fmt::format("in {} group{} all rows have one value of '{}': everyone in it is known to have it; add a "
                                    "model such as l-diversity or confidence for '{}'",
                                    groups, groups == 1 ? "" : "s", name, name)});
  }
}

}  // namespace

bool NobodyGuards(const Policy& policy, const std::string& sensitive) {
  const auto names_it = [&](const ModelSpec& spec) {
    const std::vector<std::string> columns = SensitiveColumns(spec);
    return std::find(columns.begin(), columns.end(), sensitive) != columns.end();
  };
  return std::none_of(policy.models.begin(), policy.models.end(), names_it) && !policy.IsGuarded(sensitive);
}

std::int64_t HomogeneousGroups(const Release& release, const std::string& sensitive, const Run& run) {
  const auto verdicts = Verifier({LDiversitySpec{.sensitive = sensitive, .l = Rational(2)}}).Judge(release, run);
  return verdicts.ok() && !verdicts.value()[0].holds ? static_cast<std::int64_t>(verdicts.value()[0].failing_groups) : 0;
}

std::vector<std::string> RefinedColumns(const AlgorithmNotes& notes) {
  constexpr std::string_view kShown = "shown_";
  std::vector<std::string> columns;
  for (const auto& [name, count] : notes.counts) {
    if (name.starts_with(kShown)) columns.push_back(name.substr(kShown.size()));
  }
  return columns;
}

std::vector<Warning> TopDownWarnings(const Policy& policy, const Microdata& data, const Release& release,
                                     const std::vector<std::string>& also_masked, const Run& run) {
  const TopDownFindings findings{[&] { return MeasureDiscernibility(release, run).min_group; },
                                 [&](const std::string& column) { return HomogeneousGroups(release, column, run); }};
  return TopDownWarnings(policy, data, findings, also_masked);
}

std::vector<Warning> TopDownWarnings(const Policy& policy, const Microdata& data, const TopDownFindings& findings,
                                     const std::vector<std::string>& also_masked) {
  std::vector<Warning> warnings;
  const Columns quasi = NamedQuasi(data);
  Columns masked(also_masked.begin(), also_masked.end());
  bool identity = std::any_of(policy.join_models.begin(), policy.join_models.end(), [](const JoinSpec& spec) {
    const auto* anonymity = std::get_if<XyAnonymitySpec>(&spec);
    return anonymity != nullptr && anonymity->count == XyAnonymitySpec::Count::kPersons;
  });
  for (const ModelSpec& spec : policy.models) {
    masked.merge(OnOf(spec, quasi));
    identity = identity || std::holds_alternative<KAnonymitySpec>(spec) || std::holds_alternative<AlphaKSpec>(spec);
  }
  WarnOfDeterminedColumns(data, masked, warnings);
  WarnOfUnion(policy, quasi, masked, findings, warnings);
  WarnOfHomogeneity(policy, data, findings, warnings);
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
                          fmt::format("the minimum and the maximum of '{}' in the data are published; declare range in "
                                      "[attributes.{}]",
                                      name, TomlKey(name))});
    } else {
      warnings.push_back({"unmasked-quasi",
                          {name},
                          fmt::format("no model covers '{}', so it is published as it is; name it in 'on', or leave it "
                                      "out with role = \"identifier\"",
                                      name)});
    }
  }
  return warnings;
}

}  // namespace cordon::engine
