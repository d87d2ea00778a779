// SPDX-License-Identifier: Apache-2.0
//
// What is known of some rows of a group whose values were shuffled: which rows are meant is known, which of the group's
// values are theirs is not. For a group with the ascending values s_1 .. s_m, of which h rows are hit:
//
//   sum    s_1 + .. + s_h          to  s_(m-h+1) + .. + s_m
//   least  s_1                     to  s_(m-h+1)
//   most   s_h                     to  s_m
//
// The help table has one line for each group and h = 1 .. m. Over several groups sums add up, the least is the least and the
// most the most; all bounds are tight, since groups are shuffled independently.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"

namespace cordon::engine {

// Column by column, as it is published: lines by group, then hits. Numbers at the scale of the values.
struct HelpTable {
  std::vector<std::int64_t> group;
  std::vector<std::int64_t> hits;
  std::vector<std::int64_t> sum_lo;
  std::vector<std::int64_t> sum_hi;
  std::vector<std::int64_t> min_lo;
  std::vector<std::int64_t> min_hi;
  std::vector<std::int64_t> max_lo;
  std::vector<std::int64_t> max_hi;
};

// One line per group.
struct HelpGroups {
  std::vector<std::int64_t> group;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> distinct;
  std::vector<std::int64_t> least;
  std::vector<std::int64_t> greatest;
  std::vector<std::int64_t> total;

  std::int64_t least_quartile_range = 0;  // of the group that has the least: the middle half of its rows spans so much
};

struct HelpTables {
  HelpTable help;
  HelpGroups groups;
};

// Of rows with their group numbers and values. An error if the values of a group add up to more than 18 digits.
Result<HelpTables> MakeHelpTables(std::span<const std::int64_t> group_of_row, std::span<const std::int64_t> values);

// What a query over hit rows can answer.
struct Bounds {
  Int128 count = 0;
  Int128 sum_lo = 0;
  Int128 sum_hi = 0;
  std::int64_t min_lo = 0;
  std::int64_t min_hi = 0;
  std::int64_t max_lo = 0;
  std::int64_t max_hi = 0;
  double estimate = 0;  // of the sum: what it is on average over all shuffles
};
struct Hits {
  std::size_t group = 0;  // place in HelpGroups
  std::int64_t rows = 0;  // at least 1, at most those of the group
};
// Nothing if no row is hit.
std::optional<Bounds> Combine(const HelpTables& tables, std::span<const Hits> hits);

}  // namespace cordon::engine
