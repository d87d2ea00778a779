// SPDX-License-Identifier: Apache-2.0
//
// Peeling: a level of generalization for each column is chosen by climbing, the groups that are admitted under it are
// set aside, and again on the rows that are left. Local recoding in the manner of ARX, except that what counts is the
// loss of the groups' own boxes, not of the levels.
#pragma once

#include "cordon/algorithms/full_domain/lattice_cells.h"
#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/algorithms/partition/partition_cuts.h"
#include "cordon/algorithms/partition/partition_tuning.h"
#include "cordon/base/result.h"

namespace cordon::engine {

// `price` is what a row that is left over is reckoned to lose. Every row is in one of the groups, each of which is
// admitted. REQUIRES: all rows together are admitted. An error if some column has no levels.
Result<RowSets> Peel(const View& view, const RankSpace& space, GroupGate& gate, double price, const Run& run);

// The same, the groups that lose least first: a group is set aside only if it loses less than a price, and the price rises. So
// coarse levels do not take rows that finer ones have use for. With large groups that makes the better start.
Result<RowSets> PeelFinest(const View& view, const RankSpace& space, GroupGate& gate, const PartitionTuning& tuning,
                           const FinestSteps& steps, const Run& run);

}  // namespace cordon::engine
