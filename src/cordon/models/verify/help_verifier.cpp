// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/help_verifier.h"

#include <algorithm>
#include <utility>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

// Cells in the order of their columns; the first that differs.
template <std::size_t N>
const char* FirstWrong(const std::pair<const char*, std::pair<HelpVerifier::Cell, Int128>> (&cells)[N]) {
  for (const auto& [name, cell] : cells) {
    if (!cell.first || *cell.first != cell.second) return name;
  }
  return nullptr;
}

bool Before(const HelpVerifier::Group& group, std::int64_t number) { return group.number < number; }

// The groups by number, with the rows that `end` says. Numbers that lie close, as ours do, are counted, and the place of each
// is given, from the least on; others are sorted.
std::vector<std::size_t> PlacesOf(std::span<const std::int64_t> numbers, std::vector<HelpVerifier::Group>& groups) {
  if (numbers.empty()) return {};
  const auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  if (static_cast<Int128>(*greatest) - *least > static_cast<Int128>(2 * numbers.size())) {
    std::vector<std::int64_t> sorted(numbers.begin(), numbers.end());
    std::sort(sorted.begin(), sorted.end());
    for (const std::int64_t number : sorted) {
      if (groups.empty() || groups.back().number != number) groups.push_back({number, 0, 0, 0});
      ++groups.back().end;
    }
    return {};
  }
  std::vector<std::size_t> count(static_cast<std::size_t>(*greatest - *least) + 1);
  for (const std::int64_t number : numbers) ++count[static_cast<std::size_t>(number - *least)];
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (count[i] == 0) continue;
    groups.push_back({*least + static_cast<std::int64_t>(i), 0, count[i], 0});
    count[i] = groups.size() - 1;
  }
  return count;
}

}  // namespace

HelpVerifier::HelpVerifier(std::span<const std::int64_t> group_of_row, std::span<const std::int64_t> values)
    : values_(values.size()) {
  CORDON_CHECK_EQ(group_of_row.size(), values.size());
  const std::vector<std::size_t> place = PlacesOf(group_of_row, groups_);
  std::size_t begin = 0;
  for (Group& group : groups_) {
    const std::size_t rows = group.end;  // so far their number
    group.begin = group.end = begin;
    begin += rows;
  }
  const std::int64_t least = groups_.empty() ? 0 : groups_[0].number;
  for (std::size_t row = 0; row < values.size(); ++row) {
    Group& group = place.empty() ? *std::lower_bound(groups_.begin(), groups_.end(), group_of_row[row], Before)
                                 : groups_[place[static_cast<std::size_t>(group_of_row[row] - least)]];
    values_[group.end++] = values[row];
    group.total += values[row];
  }
  for (const Group& group : groups_) {
    const auto first = values_.begin() + static_cast<std::ptrdiff_t>(group.begin);
    std::sort(first, first + static_cast<std::ptrdiff_t>(group.rows()));
  }
}

const char* HelpVerifier::Check(const Line& line) {
  if (line_group_ == groups_.size()) return "group";
  const Group& group = groups_[line_group_];
  const auto sorted = std::span<const std::int64_t>(values_).subspan(group.begin, group.rows());
  if (hits_ == 0) above_ = below_ = group.total;
  above_ -= sorted[hits_];
  below_ -= sorted[sorted.size() - 1 - hits_];
  const std::pair<const char*, std::pair<Cell, Int128>> cells[] = {
      {"group", {line.group, group.number}},           {"hits", {line.hits, static_cast<Int128>(hits_ + 1)}},
      {"sum_lo", {line.sum_lo, group.total - above_}}, {"sum_hi", {line.sum_hi, group.total - below_}},
      {"min_lo", {line.min_lo, sorted.front()}},       {"min_hi", {line.min_hi, sorted[sorted.size() - 1 - hits_]}},
      {"max_lo", {line.max_lo, sorted[hits_]}},        {"max_hi", {line.max_hi, sorted.back()}}};
  const char* wrong = FirstWrong(cells);
  if (wrong != nullptr) return wrong;
  if (++hits_ == sorted.size()) {
    hits_ = 0;
    ++line_group_;
  }
  return nullptr;
}

const char* HelpVerifier::Check(const Facts& facts) {
  if (fact_group_ == groups_.size()) return "group";
  const Group& group = groups_[fact_group_++];
  const auto sorted = std::span<const std::int64_t>(values_).subspan(group.begin, group.rows());
  Int128 distinct = 1;
  for (std::size_t i = 1; i < sorted.size(); ++i) distinct += sorted[i] != sorted[i - 1] ? 1 : 0;
  const std::pair<const char*, std::pair<Cell, Int128>> cells[] = {
      {"group", {facts.group, group.number}},          {"rows", {facts.rows, static_cast<Int128>(sorted.size())}},
      {"distinct_values", {facts.distinct, distinct}}, {"least", {facts.least, sorted.front()}},
      {"greatest", {facts.greatest, sorted.back()}},   {"total", {facts.total, group.total}}};
  return FirstWrong(cells);
}

}  // namespace cordon::engine
