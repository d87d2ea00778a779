// SPDX-License-Identifier: Apache-2.0
//
// t-closeness: the values of a group are within t of those of all published rows, by the earth mover's distance.
// Merge-closed, since the distance is convex in the group's distribution; not monotone. Exact.
#pragma once

#include "cordon/models/admit/emd_to_reference.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

class TCloseness final : public GroupModel {
 public:
  TCloseness(TClosenessSpec spec, EmdToReference distance, std::size_t histogram)
      : spec_(std::move(spec)), distance_(std::move(distance)), histogram_(histogram) {}

  std::string Describe() const override { return cordon::engine::Describe(spec_); }
  bool Admits(const GroupCounts& group) const override {
    if (group.rows() == 0) return false;
    // cost < 2^31 * 2^64 and the parts of t are at most 2^30: both sides stay below 2^126.
    const Int128 cost = distance_.Cost(group.histogram(histogram_), group.rows());
    const Int128 whole = static_cast<Int128>(group.rows()) * distance_.whole_rows() * distance_.scale();
    return cost * spec_.t.denominator() <= whole * spec_.t.numerator();
  }
  // A row that joins a group or leaves it moves at most 1 / rows of the mass, at most the whole way: with D the distance, r
  // rows move it to at most D + r / (rows - r). That is within t for r <= (t - D) rows / (1 + t - D), rounded down.
  std::int64_t Room(const GroupCounts& group) const override {
    if (group.rows() == 0) return 0;
    const Int128 cost = distance_.Cost(group.histogram(histogram_), group.rows());
    const Int128 one = static_cast<Int128>(group.rows()) * distance_.whole_rows() * distance_.scale() * spec_.t.denominator();
    const Int128 slack = one / spec_.t.denominator() * spec_.t.numerator() - cost * spec_.t.denominator();
    return slack <= 0 ? 0 : static_cast<std::int64_t>(slack / ((one + slack) / group.rows() + 1));
  }

 private:
  TClosenessSpec spec_;
  EmdToReference distance_;
  std::size_t histogram_;
};

}  // namespace cordon::engine
