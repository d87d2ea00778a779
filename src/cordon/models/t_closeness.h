// SPDX-License-Identifier: Apache-2.0
//
// t-closeness: the values of a group are within t of those of all published rows, by the earth mover's distance.
// Merge-closed, since the distance is convex in the group's distribution; not monotone. Exact.
#pragma once

#include <vector>

#include "cordon/models/emd.h"
#include "cordon/models/group_model.h"

namespace cordon {

class TCloseness final : public GroupModel {
 public:
  // REQUIRES: whole_rows is the sum of whole, above 0.
  TCloseness(TClosenessSpec spec, EarthMover distance, std::size_t histogram, std::vector<std::int64_t> whole,
             std::int64_t whole_rows)
      : spec_(std::move(spec)),
        distance_(std::move(distance)),
        histogram_(histogram),
        whole_(std::move(whole)),
        whole_rows_(whole_rows) {}

  std::string Describe() const override { return cordon::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override {
    if (group.rows() == 0) return false;
    // cost < 2^31 * 2^64 and the parts of t are at most 2^30: both sides stay below 2^126.
    const Int128 cost = distance_.Cost(group.histogram(histogram_), group.rows(), whole_, whole_rows_);
    const Int128 whole = static_cast<Int128>(group.rows()) * whole_rows_ * distance_.scale();
    return cost * spec_.t.denominator() <= whole * spec_.t.numerator();
  }

 private:
  TClosenessSpec spec_;
  EarthMover distance_;
  std::size_t histogram_;
  std::vector<std::int64_t> whole_;
  std::int64_t whole_rows_;
};

}  // namespace cordon
