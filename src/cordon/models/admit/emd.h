// SPDX-License-Identifier: Apache-2.0
//
// The earth mover's distance between the values of a group and those of a larger whole, in whole numbers:
//
//   EMD = Cost / (scale * rows of the group * rows of the whole)
//
//   ordered        |rank i - rank j| / (m - 1) over the m values of the domain: sum of |prefix differences|
//   hierarchical   height of the common ancestor / height of the hierarchy: node by node, what has to cross
//   equal          1 between any two values: half the sum of |differences|
//
// Sizes: counts are below 2^32, so a difference is below 2^64, and Cost <= scale * 2^64 < 2^96.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"
#include "cordon/data/domain.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

class EarthMover {
 public:
  // An error if the domain has no such distance: hierarchical wants categories.
  static Result<EarthMover> Make(const Domain& domain, Distance distance);

  Distance distance() const { return distance_; }
  std::int64_t scale() const { return scale_; }
  const Hierarchy* hierarchy() const { return hierarchy_.get(); }  // of the distance hierarchical
  // REQUIRES: both by code of the domain; group_rows and whole_rows are their sums, above 0.
  Int128 Cost(std::span<const std::int64_t> group, std::int64_t group_rows, std::span<const std::int64_t> whole,
              std::int64_t whole_rows) const;

 private:
  EarthMover() = default;

  Distance distance_ = Distance::kEqual;
  std::int64_t scale_ = 1;
  std::shared_ptr<const Hierarchy> hierarchy_;  // kHierarchical
};

}  // namespace cordon::engine
