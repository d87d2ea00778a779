// SPDX-License-Identifier: Apache-2.0
//
// Partition: groups of rows, each published as its tight box, with as little loss as a search finds: a start from the top
// down or by peeling, then refinement until no single move helps.
//
// Guarantee   every group is admitted by the model, or there is no release. Rows are suppressed if the options allow it
//             and the release loses less for it.
// Departures  docs/algorithms/partition.md says what was tried and measured.
#pragma once

#include "cordon/algorithms/grouping/effort.h"
#include "cordon/algorithms/partition/partition_tuning.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

struct PartitionOptions {
  // Low: from the top down, two short rounds of refinement. Normal: the better of two starts, all moves, up to five rounds.
  // High: goes on from there with wider unions and more rounds, then by annealing; with a budget of time, until it is used up.
  using Effort = cordon::engine::Effort;
  enum class Start {
    kAuto,     // by effort
    kTopDown,  // cuts alone
    kPeel,     // groups that satisfy under one recoding of all columns, again on the rest
  };
  Effort effort = Effort::kNormal;
  Start start = Start::kAuto;
  // Whether the start is refined; without, it is what the start gives.
  bool refine = true;
  // For models that mostly admit groups of MinRows rows: then one start, chosen as for k alone, serves as well as two.
  bool size_decides = false;
  // Tables of more rows than whole_rows are refined in parts of part_rows, side by side, and then along the seams: in parts of
  // whole_rows at normal and high effort if the model is monotone, at low effort if size_decides, else as a whole. In the first
  // case combinations that the model admits are groups at once.
  std::size_t whole_rows = 150'000;
  std::size_t part_rows = 30'000;
  // Rows that may be dropped, each of which counts as lost; only if the refinement is on. The model stays what it is:
  // for those that compare with the published rows see suppression.h.
  std::uint64_t max_suppressed = 0;
  PartitionTuning tuning = {};
};

// Groups in the order of their first rows, the rows of a group in the order of the view; the same for any number of
// threads. Unsatisfiable if not even all rows together are admitted.
Result<Groups> Partition(const View& view, const GroupModel& model, const CountedColumns& counted,
                         const PartitionOptions& options, const Run& run);

// Groups that are there already, refined together: they lose no more than before. REQUIRES: the model admits each of them;
// they hold each row of the view once.
Result<Groups> RefineGroups(const View& view, const Groups& groups, const GroupModel& model, const CountedColumns& counted,
                            const PartitionOptions& options, const Run& run);

}  // namespace cordon::engine
