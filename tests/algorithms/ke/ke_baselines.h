// SPDX-License-Identifier: Apache-2.0
//
// What (k,e)-anonymity is compared with: the quadratic recurrence and the appends of the report, a cover that is at most
// twice the optimum, and plain greedy. For experiments and tests; no policy reaches them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/algorithms/ke/ke.h"

namespace cordon::engine {

// The recurrence by trying every start of every end. The same table as FillKeTable.
KeTable FillKeTableQuadratically(std::span<const std::int64_t> ascending, const KeRequirement& requirement);

enum class StopRule {
  kNever,
  kAligned,  // the report's: the last group has the same rows as before. Unsound
  kCoupled,  // all costs that are still read have moved by the same amount
};

// One value appended to an ascending list with its table, by plain arrays.
struct KeAppended {
  std::vector<std::int64_t> values;
  KeTable table;
  std::size_t inserted = 0;  // place of the new value, from 1
  std::size_t stopped = 0;   // last place computed again
  // What the report's listing would try: starts 1 .. i for every place i computed again.
  std::uint64_t Steps() const;
  // The sum over the groups that the table leads to; nothing if it leads to none.
  std::optional<std::int64_t> CostOfGroups() const;
};
KeAppended AppendToList(std::span<const std::int64_t> ascending, const KeTable& table, const KeRequirement& requirement,
                        std::int64_t value, StopRule rule);

// The least cost by suffixes: the new value's group between an old optimal prefix and an old optimal suffix.
std::optional<std::int64_t> CostOfAppendTwoSided(std::span<const std::int64_t> ascending, const KeRequirement& requirement,
                                                 std::int64_t value);

// Distinct ascending values. Cover: the least total length of shortest groups that together hold all values, overlaps
// merged; at most twice the optimum. Greedy: a group is closed as soon as it may be, what is left joins the last one.
std::optional<std::int64_t> CoverCost(std::span<const std::int64_t> distinct, const KeRequirement& requirement);
std::optional<std::int64_t> GreedyCost(std::span<const std::int64_t> ascending, const KeRequirement& requirement);

}  // namespace cordon::engine
