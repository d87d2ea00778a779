// SPDX-License-Identifier: Apache-2.0
//
// What a caller of the partition search chooses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cordon/algorithms/grouping/effort.h"
#include "cordon/algorithms/partition/partition_tuning.h"

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
  // Whether large groups are cut with foresight before the rest, side by side, if the table is refined in parts. Of models that
  // refuse most groups of MinRows rows, those left in few large groups lose more for it.
  bool divide_first = false;
  // Tables of more rows than whole_rows are refined in parts of part_rows, side by side, and then along the seams: in parts of
  // whole_rows if the model is monotone, or at low effort if size_decides, of twice as many if large groups were divided first
  // and none is left, else as a whole. If the model is monotone, combinations that it admits are groups at once, and low effort
  // has larger parts and leaves the seams.
  std::size_t whole_rows = 150'000;
  std::size_t part_rows = 30'000;
  // Rows that may be dropped, each of which counts as lost; only if the refinement is on. The model stays what it is:
  // for those that compare with the published rows see suppression.h.
  std::uint64_t max_suppressed = 0;
  PartitionTuning tuning = {};
};

}  // namespace cordon::engine
