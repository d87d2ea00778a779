// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/risk.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cordon::engine {
namespace {

// Groups of equal rows and people are one entry: there are few sizes, whatever the number of rows.
using Sizes = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>;  // (people, rows) -> groups

void Finish(AttackerRisk& risk, std::uint64_t rows) {
  if (rows == 0) return;
  risk.average /= static_cast<double>(rows);
  risk.share_above = static_cast<double>(risk.rows_above) / static_cast<double>(rows);
}

// 1 / people > threshold, exactly.
bool IsAbove(std::uint64_t people, const Rational& threshold) {
  return static_cast<Int128>(people) * threshold.numerator() < static_cast<Int128>(threshold.denominator());
}

CodedColumn ByText(const ReleaseColumn& column) { return {&column.text.codes, column.text.dictionary->size()}; }

// The columns that show which rows belong together.
std::vector<CodedColumn> SeenColumns(const Release& release) {
  std::vector<CodedColumn> columns = QuasiColumns(release);
  for (const std::size_t i : release.ColumnsOf(Role::kGroup)) columns.push_back(ByText(release.columns[i]));
  return columns;
}

double UniqueShare(std::span<const CodedColumn> columns, const Release& release, const Run& run) {
  std::uint64_t unique = 0;
  for (const GroupPeople& group : PeopleOfGroups(columns, release.persons, release.num_rows, run)) {
    if (group.people == 1) unique += group.rows;
  }
  return release.num_rows == 0 ? 0 : static_cast<double>(unique) / static_cast<double>(release.num_rows);
}

}  // namespace

Result<void> RiskOptions::Validate() const {
  if (threshold < Rational(0) || threshold > Rational(1)) {
    return Error::InvalidPolicy("the risk threshold must be from 0 to 1, not {}", threshold.ToShortString());
  }
  if (!(sampling_fraction > 0 && sampling_fraction <= 1)) {
    return Error::InvalidPolicy("the sampling fraction must be above 0 and at most 1, not {}", sampling_fraction)
        .WithHint("rows of the table / people of the population it was drawn from; 1 if it holds them all");
  }
  return {};
}

// With q = 1 - p the expectation r_f is p^f times the integral of u^(f-1) / (1 + q u) from 0 to 1/p, so
//   r_1 = -(p / q) ln p   and   r_{f+1} = (p / q) (1 / f - r_f).
// An error shrinks by p / q per step: forwards if p <= q, else backwards from a start far out, where r_f is near (p / f)(1 + q
// / f).
std::vector<double> ExpectedReciprocals(std::size_t up_to, double sampling_fraction) {
  const double p = sampling_fraction;
  const double q = 1 - p;
  std::vector<double> risks(up_to);
  if (up_to == 0) return risks;
  if (p >= 1) {
    for (std::size_t i = 0; i < up_to; ++i) risks[i] = 1 / static_cast<double>(i + 1);
  } else if (p <= 0.5) {
    risks[0] = -p / q * std::log(p);
    for (std::size_t i = 1; i < up_to; ++i) risks[i] = p / q * (1 / static_cast<double>(i) - risks[i - 1]);
  } else {
    constexpr std::size_t kFarther = 2000;
    const auto start = static_cast<double>(up_to + kFarther);
    double risk = p / start * (1 + q / start);
    for (std::size_t people = up_to + kFarther - 1; people > 0; --people) {
      risk = 1 / static_cast<double>(people) - q / p * risk;
      if (people <= up_to) risks[people - 1] = risk;
    }
  }
  return risks;
}

std::vector<GroupPeople> PeopleOfGroups(std::span<const CodedColumn> columns, const Codes& persons, std::size_t num_rows,
                                        const Run& run) {
  std::vector<GroupPeople> groups;
  if (persons.empty()) {
    for (const std::uint64_t rows : CountCombinations(columns, num_rows, run)) groups.push_back({rows, rows});
    return groups;
  }
  const RowGroups numbers = NumberRows(columns, num_rows, run);
  std::vector<std::uint64_t> pairs(num_rows);  // group and person
  for (std::size_t row = 0; row < num_rows; ++row) {
    pairs[row] = (static_cast<std::uint64_t>(numbers.of_row[row]) << 32) | static_cast<std::uint32_t>(persons[row]);
  }
  std::sort(pairs.begin(), pairs.end());
  groups.resize(numbers.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    GroupPeople& group = groups[pairs[i] >> 32];
    ++group.rows;
    group.people += i == 0 || pairs[i] != pairs[i - 1];
  }
  return groups;
}

Risk MeasureRisk(std::span<const GroupPeople> groups, const RiskOptions& options) {
  Risk risk;
  risk.groups = groups.size();
  Sizes sizes;
  for (const GroupPeople& group : groups) ++sizes[{group.people, group.rows}];
  const std::size_t most = sizes.empty() ? 0 : sizes.rbegin()->first.first;
  const std::vector<double> reciprocals = ExpectedReciprocals(most, options.sampling_fraction);
  const double threshold = options.threshold.ToDouble();
  std::vector<SizeCount> people_of_groups;
  for (const auto& [size, count] : sizes) {
    const auto [people, rows_of_one] = size;
    const std::uint64_t rows = rows_of_one * count;
    const double expected = reciprocals[people - 1];
    risk.rows += rows;
    risk.prosecutor.average += static_cast<double>(rows) / static_cast<double>(people);
    risk.journalist.average += static_cast<double>(rows) * expected;
    risk.prosecutor.highest = std::max(risk.prosecutor.highest, 1 / static_cast<double>(people));
    risk.journalist.highest = std::max(risk.journalist.highest, expected);
    const bool above = IsAbove(people, options.threshold);
    if (above) risk.prosecutor.rows_above += rows;
    if (options.sampling_fraction < 1 ? expected > threshold : above) risk.journalist.rows_above += rows;
    if (people == 1) risk.unique_rows += rows;
    if (people_of_groups.empty() || people_of_groups.back().size != people) people_of_groups.push_back({people, 0});
    people_of_groups.back().groups += count;
  }
  Finish(risk.prosecutor, risk.rows);
  Finish(risk.journalist, risk.rows);
  risk.marketer = risk.journalist.average;
  if (risk.rows > 0) risk.sample_uniqueness = static_cast<double>(risk.unique_rows) / static_cast<double>(risk.rows);
  risk.population = EstimatePopulationUniques(people_of_groups, options.sampling_fraction);
  return risk;
}

Risk MeasureRisk(const Release& release, const RiskOptions& options, const Run& run) {
  return MeasureRisk(PeopleOfGroups(SeenColumns(release), release.persons, release.num_rows, run), options);
}

std::optional<ExactRisk> MeasureExactRisk(const Release& release, std::span<const std::string> columns, const Run& run) {
  ExactRisk risk;
  std::vector<CodedColumn> exact;
  for (const ReleaseColumn& column : release.columns) {
    if (std::find(columns.begin(), columns.end(), column.attribute.name) == columns.end()) continue;
    if (column.attribute.name == release.permuted) continue;  // shuffled: nobody's own value
    risk.columns.push_back(column.attribute.name);
    exact.push_back(ByText(column));
  }
  if (exact.empty()) return std::nullopt;
  risk.unique_alone = UniqueShare(exact, release, run);
  for (const CodedColumn& column : SeenColumns(release)) exact.push_back(column);
  risk.unique_with_quasi = UniqueShare(exact, release, run);
  return risk;
}

Risk MeasureRisk(const Microdata& original, const RiskOptions& options, const Run& run) {
  return MeasureRisk(PeopleOfGroups(QuasiColumns(original), original.persons, original.num_rows, run), options);
}

}  // namespace cordon::engine
