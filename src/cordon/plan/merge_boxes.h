// SPDX-License-Identifier: Apache-2.0
//
// Rows of a later batch that no saved box serves: they lie outside of all boxes, or their box has too few of them. Boxes are
// merged along a tree over them, from the leaves up, until what they hold is admitted; a merged box shows the least box around
// the rows that it holds. Rows that are left at the root join the group that has to grow least.
//
// The tree halves the boxes at the median of the column in which their middles are most spread. It depends on the boxes alone,
// as they lie on the columns of the batch.
#pragma once

#include <span>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/recoding.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

// `ranges`: what each box covers on each quasi column of the view, box after box; lo > hi: nothing. `box_of`: of each row of
// the view, kNoBox if it has none. Rows that cannot be served are suppressed.
AppliedRecoding MergeBoxes(const Recoding& recoding, const View& view, std::span<const CodeRange> ranges,
                           std::span<const std::uint32_t> box_of, const GroupModel& model, const CountedColumns& counted,
                           const Run& run);

}  // namespace cordon::engine
