// SPDX-License-Identifier: Apache-2.0
#include "cordon/query/help_table.h"

#include <algorithm>
#include <numeric>

namespace cordon::engine {
namespace {

constexpr Int128 kLargest = 1'000'000'000'000'000'000;  // 18 digits: what a DECIMAL(18) and an int64 both hold

// Rows by group, then value.
std::vector<std::uint32_t> InOrder(std::span<const std::int64_t> groups, std::span<const std::int64_t> values) {
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto [least, greatest] = std::minmax_element(groups.begin(), groups.end());
  std::vector<std::size_t> starts(static_cast<std::size_t>(*greatest - *least) + 2);
  for (const std::int64_t group : groups) ++starts[static_cast<std::size_t>(group - *least) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t row = 0; row < groups.size(); ++row) {
    order[next[static_cast<std::size_t>(groups[row] - *least)]++] = static_cast<std::uint32_t>(row);
  }
  for (std::size_t group = 0; group + 1 < starts.size(); ++group) {
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(starts[group]),
              order.begin() + static_cast<std::ptrdiff_t>(starts[group + 1]),
              [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  }
  return order;
}

// The lines of one group with ascending values.
Result<void> AddGroup(std::int64_t group, std::span<const std::int64_t> sorted, HelpTables& tables) {
  const std::size_t size = sorted.size();
  Int128 low = 0;
  Int128 high = 0;
  HelpTable& help = tables.help;
  std::int64_t distinct = 0;
  for (std::size_t h = 1; h <= size; ++h) {
    low += sorted[h - 1];
    high += sorted[size - h];
    distinct += h == 1 || sorted[h - 1] != sorted[h - 2] ? 1 : 0;
    if (low <= -kLargest || low >= kLargest || high <= -kLargest || high >= kLargest) {
      return Error::InvalidData("the values of a group add up to more than 18 digits")
          .WithHint("round the column, or give it fewer digits after the point");
    }
    help.group.push_back(group);
    help.hits.push_back(static_cast<std::int64_t>(h));
    help.sum_lo.push_back(static_cast<std::int64_t>(low));
    help.sum_hi.push_back(static_cast<std::int64_t>(high));
    help.min_lo.push_back(sorted[0]);
    help.min_hi.push_back(sorted[size - h]);
    help.max_lo.push_back(sorted[h - 1]);
    help.max_hi.push_back(sorted[size - 1]);
  }
  HelpGroups& groups = tables.groups;
  groups.group.push_back(group);
  groups.rows.push_back(static_cast<std::int64_t>(size));
  groups.distinct.push_back(distinct);
  groups.least.push_back(sorted[0]);
  groups.greatest.push_back(sorted[size - 1]);
  groups.total.push_back(static_cast<std::int64_t>(low));
  const std::int64_t middle = sorted[(3 * size + 3) / 4 - 1] - sorted[(size + 3) / 4 - 1];
  groups.least_quartile_range = groups.group.size() == 1 ? middle : std::min(groups.least_quartile_range, middle);
  return {};
}

}  // namespace

Result<HelpTables> MakeHelpTables(std::span<const std::int64_t> group_of_row, std::span<const std::int64_t> values) {
  HelpTables tables;
  if (values.empty()) return tables;
  HelpTable& help = tables.help;
  for (auto* column :
       {&help.group, &help.hits, &help.sum_lo, &help.sum_hi, &help.min_lo, &help.min_hi, &help.max_lo, &help.max_hi}) {
    column->reserve(values.size());
  }
  const std::vector<std::uint32_t> order = InOrder(group_of_row, values);
  std::vector<std::int64_t> sorted;
  for (std::size_t begin = 0; begin < order.size();) {
    const std::int64_t group = group_of_row[order[begin]];
    std::size_t end = begin;
    sorted.clear();
    for (; end < order.size() && group_of_row[order[end]] == group; ++end) sorted.push_back(values[order[end]]);
    CORDON_RETURN_IF_ERROR(AddGroup(group, sorted, tables));
    begin = end;
  }
  return tables;
}

std::optional<Bounds> Combine(const HelpTables& tables, std::span<const Hits> hits) {
  if (hits.empty()) return std::nullopt;
  std::vector<std::size_t> first_line(tables.groups.rows.size() + 1);
  for (std::size_t g = 0; g < tables.groups.rows.size(); ++g) {
    first_line[g + 1] = first_line[g] + static_cast<std::size_t>(tables.groups.rows[g]);
  }
  std::optional<Bounds> all;
  for (const Hits& hit : hits) {
    const std::size_t line = first_line[hit.group] + static_cast<std::size_t>(hit.rows) - 1;
    const HelpTable& help = tables.help;
    if (!all) all = Bounds{0, 0, 0, help.min_lo[line], help.min_hi[line], help.max_lo[line], help.max_hi[line], 0};
    all->count += hit.rows;
    all->sum_lo += help.sum_lo[line];
    all->sum_hi += help.sum_hi[line];
    all->min_lo = std::min(all->min_lo, help.min_lo[line]);
    all->min_hi = std::min(all->min_hi, help.min_hi[line]);
    all->max_lo = std::max(all->max_lo, help.max_lo[line]);
    all->max_hi = std::max(all->max_hi, help.max_hi[line]);
    all->estimate += static_cast<double>(hit.rows) * static_cast<double>(tables.groups.total[hit.group]) /
                     static_cast<double>(tables.groups.rows[hit.group]);
  }
  return all;
}

}  // namespace cordon::engine
