// SPDX-License-Identifier: Apache-2.0
//
// Where a set of boxes is best cut in two: along the attribute and at the place where both sides, each times its boxes, lose
// least. Of large sets a sample is looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/algorithms/partition/partition_tuning.h"

namespace cordon::engine {

class BoxCuts {
 public:
  virtual ~BoxCuts() = default;
  static std::unique_ptr<BoxCuts> Make(const RankSpace& space, const PartitionTuning& tuning);

  virtual void Resize(std::size_t num_boxes) = 0;
  // Different boxes may be set side by side.
  virtual void Set(std::size_t box, const Rank* lows, const Rank* highs) = 0;
  // The boxes of one side come first; returns how many there are. REQUIRES: two boxes or more.
  virtual std::size_t Cut(std::span<std::uint32_t> boxes) = 0;

  // Boxes that lie together, of at most max_rows rows (or a single box), by cutting all of them again and again.
  std::vector<std::vector<std::uint32_t>> Parts(std::span<const std::size_t> rows, std::size_t max_rows);
};

}  // namespace cordon::engine
