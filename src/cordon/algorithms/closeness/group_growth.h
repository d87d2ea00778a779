// SPDX-License-Identifier: Apache-2.0
//
// Groups grown row by row from a seed: at each step the row that widens the box least, among rows near the seed in some
// order, whose value leaves a way to an admitted group. Only the seeds whose groups come out cheap are kept as cores;
// the rows of the others are inserted one by one afterwards (group_insertion.h), which is better than forcing them to
// make groups of their own.
//
// A value so rare that its rows need large groups gets those first: a box is widened around it, attribute by attribute,
// by what captures most rows at least loss, since growing row by row would widen every attribute a little.
#pragma once

#include "cordon/algorithms/closeness/closeness_tuning.h"
#include "cordon/algorithms/closeness/mix_lookahead.h"
#include "cordon/algorithms/closeness/neighbour_orders.h"
#include "cordon/algorithms/closeness/search_groups.h"
#include "cordon/base/quick_random.h"
#include "cordon/base/run.h"

namespace cordon::engine {

struct GrowthOptions {
  // Rows of a core.
  std::int64_t size = 5;
  // Share of the rows that are to be in cores; below 1, wide ones are given up as well.
  double cover = 1;
};

// Grows groups out of the rows that are in none. What does not come about is left in no group.
void GrowGroups(SearchGroups& groups, const SearchRows& rows, const NeighbourOrders& orders, const MixLookahead& outlook,
                const BoxSpans& spans, const ValueClasses& classes, const GrowthOptions& options, const ClosenessTuning& tuning,
                QuickRandom& random, const Run& run);

}  // namespace cordon::engine
