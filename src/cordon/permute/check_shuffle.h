// SPDX-License-Identifier: Apache-2.0
//
// What published rows show of a shuffle: its figures, told by the rows and not by the algorithm, and whether they can be a
// shuffle of the true rows at all. A release of ours for which that is not so is a bug, and is stopped.
#pragma once

#include <cstdint>
#include <span>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"
#include "cordon/query/help_table.h"

namespace cordon::engine {

// By published row.
struct ShuffledRows {
  std::span<const std::int64_t> group;
  std::span<const std::int64_t> shown;
  std::span<const std::int64_t> truth;
};
// Each group shows the values of its rows, and not more rows show their own than a uniform shuffle can be expected to leave.
//
// The second by a bound that holds for every size: with the mean mu (a value with c of a group's m rows adds c^2/m), t or more
// rows have their own value with probability at most e^(t - mu) (mu/t)^t. Below 2^-128 it was no shuffle. A few small groups
// can keep their order by chance, and are never refused.
Result<void> RequireShuffle(const ShuffledRows& rows);

struct KeFigures {
  std::int64_t sum_error = 0;  // of (greatest - least)
  std::int64_t max_error = 0;
  Rational greatest_share;  // of one value among the rows of a group
};
KeFigures FiguresOf(const HelpTables& tables);

}  // namespace cordon::engine
