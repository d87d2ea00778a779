// SPDX-License-Identifier: Apache-2.0
//
// Asks the model about sets of rows, and nothing at all where the number of rows decides. Keeps counts from call to call:
// one per thread.
#pragma once

#include <algorithm>
#include <span>

#include "cordon/algorithms/partition_space.h"
#include "cordon/models/group_counts.h"
#include "cordon/models/group_model.h"

namespace cordon {

class PartitionGate {
 public:
  PartitionGate(const View& view, const GroupModel& model, const CountedColumns& counted)
      : view_(view), model_(model), counted_(counted), counts_(counted) {
    min_rows_ = static_cast<std::size_t>(std::max<std::int64_t>(model.MinRows(), 1));
    rows_decide_ = !model.uses_histograms() && !(model.uses_persons() && counted.persons() != nullptr) && model.monotone();
  }

  const GroupModel& model() const { return model_; }
  const CountedColumns& counted() const { return counted_; }
  std::size_t min_rows() const { return min_rows_; }
  bool rows_decide() const { return rows_decide_; }
  RowId row(Place place) const { return view_.rows()[place]; }

  bool Admits(std::span<const Place> rows) {
    if (rows.size() < min_rows_) return false;
    if (rows_decide_) return true;
    counts_.Clear();
    for (const Place place : rows) counts_.Add(row(place));
    return model_.Admits(counts_);
  }

 private:
  const View& view_;
  const GroupModel& model_;
  const CountedColumns& counted_;
  GroupCounts counts_;
  std::size_t min_rows_;
  bool rows_decide_;
};

}  // namespace cordon
