// SPDX-License-Identifier: Apache-2.0
//
// Annealed moves of single rows between neighbouring groups, and swaps of two. Every state on the way is admitted by the
// model: a move is made only if both groups are admitted after it, exactly. So it may be stopped at any time, and started
// from the groups of any algorithm.
//
// Swaps of rows with the same sensitive value change no group's mix, but alone they are weak: they freeze the sizes.
// Moving rows is the main step; the temperature lets it leave the next best dead end.
#pragma once

#include "cordon/algorithms/closeness/closeness_tuning.h"
#include "cordon/algorithms/closeness/neighbour_orders.h"
#include "cordon/algorithms/closeness/search_groups.h"
#include "cordon/base/quick_random.h"
#include "cordon/base/run.h"

namespace cordon::engine {

struct AnnealOptions {
  // A sweep has one step per row.
  double sweeps = 100;
  // Rows whose loss may grow by about this much in a step, at the start and at the end; 0: only what lowers the loss.
  double start_temperature = 1;
  double end_temperature = 0.1;
};

// REQUIRES: every row is in an admitted group.
void Anneal(SearchGroups& groups, const SearchRows& rows, const NeighbourOrders& orders, const AnnealOptions& options,
            const ClosenessTuning& tuning, QuickRandom& random, const Run& run);

}  // namespace cordon::engine
