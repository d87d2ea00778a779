// SPDX-License-Identifier: Apache-2.0
//
// (k,e)-anonymity by permutation: rows are grouped so that every group has at least k distinct values of one number
// column and spans at least e; inside a group the values are then shuffled (data/permute.h). Here the groups are found.
//
// Guarantee   every group has k distinct values, spans e, and no value exceeds max_share of its rows; or no groups.
//             kSum: the sum over groups of (greatest - least) is the least there is, over all groupings.
//             kMax: the greatest (greatest - least) is the least there is over groups that are runs of the sorted values,
//             at most twice that of any grouping; among those the sum is the least.
//             With max_share the groups start from that optimum and are merged, so the cost may be above the optimum.
// Source      J. Natwichai, X. Li, A. Kawtrakul, report TRG5380024; numbers below are those of its recurrence.
// Departures  listed, with reasons, in docs/algorithms/ke.md.
//
// Values are whole numbers at one scale. Groups are runs of the sorted values, which loses nothing for kSum: two groups
// that overlap can be merged at no cost. A value may lie in two groups, the end of one and the start of the next, so the
// search needs at most two copies of it. With g(j) = cost[j - 1] - d[j], the cost of the first i values is
// d[i] + min of g(j) over the starts j <= latest(i), and latest never moves back: linear after the sort.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/rational.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/codes.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

struct KeRequirement {
  std::int64_t k = 2;  // distinct values of a group; at least 2
  std::int64_t e = 0;  // greatest minus least of a group, at the values' scale; at least 0
};

// Values beyond this are refused: differences stay far from overflow.
inline constexpr std::int64_t kKeLargest = 1'000'000'000'000'000'000;  // 18 digits, what data/decimal.h reads

// The distinct values, ascending, and how many rows have each.
struct KeAxis {
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> counts;
};

// Groups over rows in order of value: group g is the places starts[g] .. starts[g + 1] - 1.
struct KeCut {
  std::vector<std::uint64_t> starts;
  std::int64_t sum_error = 0;
  std::int64_t max_error = 0;

  std::size_t size() const { return starts.empty() ? 0 : starts.size() - 1; }
};

// The recurrence over an ascending list with repeats, in the report's numbering: places from 1, entry 0 is the empty prefix.
struct KeTable {
  static constexpr std::int64_t kInfinite = std::numeric_limits<std::int64_t>::max();

  std::vector<std::int64_t> cost;     // f: of the first i values; kInfinite if they make no group
  std::vector<std::uint32_t> start;   // p: where the last group starts, the latest of equally good ones; 0: none
  std::vector<std::uint32_t> latest;  // L: the latest start that makes a group ending in i; 0: none
};
// REQUIRES: ascending values within kKeLargest, k >= 2, e >= 0.
KeTable FillKeTable(std::span<const std::int64_t> ascending, const KeRequirement& requirement);

// Nothing if not even all rows together are a group. REQUIRES as above.
std::optional<KeCut> CutBySum(const KeAxis& axis, const KeRequirement& requirement);
std::optional<KeCut> CutByMax(const KeAxis& axis, const KeRequirement& requirement);

// Each value of the axis once or, if it has several rows, twice: what the searches run on.
std::vector<std::int64_t> TwoCopies(const KeAxis& axis);
// Group starts in that list as a cut. Rows of a value in two groups are shared out in proportion to the other rows of
// the two, which keeps its share in both as low as can be.
KeCut SpreadCopies(const KeAxis& axis, std::span<const std::uint32_t> starts_in_copies);

// Merges each group in which one value has more than max_share of the rows with the neighbour that costs less, until none
// is left; nothing if one group of all rows still is one.
std::optional<KeCut> LimitShare(const KeAxis& axis, KeCut cut, const Rational& max_share, KeAnonymitySpec::Objective objective);

// The greatest share of one value in a group.
Rational GreatestShare(const KeAxis& axis, const KeCut& cut);

// Rows in order of value, ties by row, and the axis.
struct KeOrder {
  std::vector<RowId> rows;
  KeAxis axis;
};
// REQUIRES: fewer than 2^32 values.
KeOrder OrderByValue(std::span<const std::int64_t> values);

struct KeGroups {
  std::vector<RowId> rows;            // group after group
  std::vector<std::uint64_t> starts;  // group g is rows[starts[g]] .. rows[starts[g + 1] - 1]
  std::int64_t sum_error = 0;
  std::int64_t max_error = 0;
  Rational greatest_share;

  std::size_t size() const { return starts.empty() ? 0 : starts.size() - 1; }
};

// e of a policy at the values' scale: the least whole width that is at least e. Nothing if it exceeds any width.
std::optional<std::int64_t> ScaledE(const Rational& e, int scale);

// Groups rows by their values as the model asks; no rows, no groups. Which rows of a value go to which of its two groups is
// drawn at random. Unsatisfiable if nothing does, saying why. `scale`: digits after the point of the values.
Result<KeGroups> Ke(std::span<const std::int64_t> values, int scale, const KeAnonymitySpec& model, Random& random);

// A cut of ordered rows as groups of rows, straddling values drawn at random.
KeGroups GroupsOf(KeOrder order, const KeCut& cut, Random& random);

// Why no grouping satisfies the model, and what would do.
Error KeUnsatisfiable(const KeAxis& axis, int scale, const KeAnonymitySpec& model);

}  // namespace cordon::engine
