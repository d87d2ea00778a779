// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/several_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace cordon::engine {
namespace {

constexpr std::size_t kFewRows = 40;      // of which nothing can be said
constexpr std::size_t kFewGroups = 8;     // as many people
constexpr std::size_t kSample = 20'000;   // different rows that are compared
constexpr std::size_t kMostColumns = 24;  // that are compared: fewer make more agreement expected
constexpr std::size_t kLeastColumns = 3;  // that say something of their own: of zip, town and region the zip says all
constexpr double kSaysNothingNew = 0.9;   // share of agreeing pairs that agree in a further column too
constexpr double kMuch = 0.5;
constexpr double kLittle = 0.1;

using Numbers = std::vector<std::uint64_t>;

// Of all pairs, those with equal numbers.
double ShareOfEqual(Numbers numbers) {
  std::sort(numbers.begin(), numbers.end());
  double pairs = 0;
  for (std::size_t i = 0; i < numbers.size();) {
    const auto end = std::upper_bound(numbers.begin() + static_cast<std::ptrdiff_t>(i), numbers.end(), numbers[i]);
    const auto count = static_cast<double>(end - numbers.begin()) - static_cast<double>(i);
    pairs += count * (count - 1);
    i = static_cast<std::size_t>(end - numbers.begin());
  }
  const auto all = static_cast<double>(numbers.size());
  return all < 2 ? 1 : pairs / (all * (all - 1));
}

// Each different row once, or a sample of them: the codes of each column.
std::vector<Numbers> DifferentRows(std::span<const CodedColumn> columns, const RowGroups& groups) {
  std::vector<Numbers> rows;
  const std::size_t every = (groups.size() + kSample - 1) / kSample;
  for (const CodedColumn& column : columns) {
    Numbers& codes = rows.emplace_back();
    for (std::size_t i = 0; i < groups.size(); i += every)
      codes.push_back(static_cast<std::uint64_t>((*column.codes)[groups.first_row[i]] + 1));
  }
  return rows;
}

struct Expectation {
  double agree = 1;         // the share of pairs of people that agree in all columns
  std::size_t columns = 0;  // that say something of their own
};

Expectation Expect(const std::vector<Numbers>& rows) {
  std::vector<double> alone;
  for (const Numbers& column : rows) alone.push_back(ShareOfEqual(column));
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return alone[a] < alone[b]; });
  order.resize(std::min(order.size(), kMostColumns));
  Expectation expected;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t column = order[place];
    double agree = alone[column];
    for (std::size_t before = 0; before < place; ++before) {
      const std::size_t other = order[before];
      if (alone[other] <= 0) continue;
      Numbers both = rows[column];
      for (std::size_t i = 0; i < both.size(); ++i) both[i] |= rows[other][i] << 32;
      agree = std::max(agree, ShareOfEqual(std::move(both)) / alone[other]);
    }
    expected.agree *= agree;
    expected.columns += agree < kSaysNothingNew ? 1 : 0;
  }
  return expected;
}

}  // namespace

double AgreeingPairs(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run) {
  double pairs = 0;
  for (const std::uint64_t count : CountCombinations(columns, num_rows, run))
    pairs += static_cast<double>(count) * (static_cast<double>(count) - 1);
  return pairs;
}

std::optional<SeveralRows> FindSeveralRows(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run) {
  if (columns.size() < kLeastColumns || num_rows < kFewRows) return std::nullopt;
  const RowGroups groups = NumberRows(columns, num_rows, run);
  if (groups.size() < kFewGroups) return std::nullopt;
  std::vector<std::uint32_t> sizes(groups.size());
  for (const std::uint32_t group : groups.of_row) ++sizes[group];
  const auto alone = static_cast<std::size_t>(std::count(sizes.begin(), sizes.end(), 1u));
  const auto rows = static_cast<double>(num_rows);
  SeveralRows found{static_cast<double>(num_rows - alone) / rows, 0, groups.size()};
  if (found.share < kMuch) return std::nullopt;
  const Expectation expected = Expect(DifferentRows(columns, groups));
  found.expected = 1 - std::exp(-(rows - 1) * expected.agree);
  if (expected.columns < kLeastColumns || found.expected > kLittle) return std::nullopt;
  return found;
}

}  // namespace cordon::engine
