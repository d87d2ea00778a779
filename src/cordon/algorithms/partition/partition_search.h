// SPDX-License-Identifier: Apache-2.0
//
// What every step of the partition search looks at: the rows, the model, and how to look.
#pragma once

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/algorithms/partition/partition_options.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/group_counts.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

struct PartitionSearch {
  const View& view;
  std::size_t to_divide;  // rows of the view that are not in groups yet; they come first
  const RankSpace& space;
  const GroupModel& model;
  const CountedColumns& counted;
  const PartitionTuning& tuning;
  const Run& run;

  static constexpr std::size_t kWideTable = 100;  // quasi columns

  // The beginning comes to its end whatever the budget, unless the table is so wide that a single cut takes long.
  GroupGate Gate() const {
    return GroupGate(view, model, counted, run.stop, space.num_quasi() > kWideTable ? run.budget : nullptr);
  }
};

}  // namespace cordon::engine
