// SPDX-License-Identifier: Apache-2.0
//
// Partition: groups of rows, each published as its tight box, with as little loss as a search finds: a start from the top
// down or by peeling, then refinement until no single move helps.
//
// Guarantee   every group is admitted by the model, or there is no release. Rows are suppressed if the options allow it
//             and the release loses less for it.
// Departures  docs/algorithms/partition.md says what was tried and measured.
#pragma once

#include "cordon/algorithms/partition/partition_options.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

// Groups in the order of their first rows, the rows of a group in the order of the view; the same for any number of
// threads. Unsatisfiable if not even all rows together are admitted.
Result<Groups> Partition(const View& view, const GroupModel& model, const CountedColumns& counted,
                         const PartitionOptions& options, const Run& run);

// Groups that are there already, refined together: they lose no more than before. REQUIRES: the model admits each of them;
// they hold each row of the view once.
Result<Groups> RefineGroups(const View& view, const Groups& groups, const GroupModel& model, const CountedColumns& counted,
                            const PartitionOptions& options, const Run& run);

}  // namespace cordon::engine
