// SPDX-License-Identifier: Apache-2.0
//
// Regrowth: the rows of a few groups that lie together are grouped again. A group starts at a random row and takes the rows
// that its box grows least for, until the model admits it. The rows that are left over at the end join the group that they cost
// least.
#pragma once

#include <span>
#include <vector>

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/algorithms/partition/partition_cuts.h"
#include "cordon/base/quick_random.h"

namespace cordon::engine {

class Regrowth {
 public:
  // `gate` belongs to the caller's thread.
  Regrowth(const RankSpace& space, GroupGate& gate);

  // Admitted groups of the rows. False if they would lose `limit` or more, or if there are none.
  bool Grow(std::span<const Place> rows, double limit, QuickRandom& random, RowSets& groups);

  // Boxes that were compared and rows that the model was asked about so far: what the growing costs.
  std::uint64_t looks() const { return looks_; }

 private:
  struct Side {
    Rank lo;
    Rank hi;
  };
  struct Axis {
    const float* table;  // null: ask the space
    std::size_t size;
  };
  float Span(std::size_t q, Rank lo, Rank hi) const {
    return axes_[q].table != nullptr
               ? axes_[q].table[static_cast<std::size_t>(lo) * axes_[q].size + static_cast<std::size_t>(hi)]
               : space_.Span(q, lo, hi);
  }
  float LossWith(const Side* box, Place row) const;
  void Include(Side* box, Place row) const;
  bool Admitted(std::span<const Place> group);
  bool GrowOne(std::vector<Place>& group, double limit, QuickRandom& random);
  void Widen(std::size_t q, Side side);
  void Take(std::size_t at, std::vector<Place>& group);
  bool Join(Place row, RowSets& groups, double& cost);

  const RankSpace& space_;
  GroupGate& gate_;
  std::size_t width_;
  std::vector<Axis> axes_;
  std::uint64_t looks_ = 0;
  // The rows that are left, attribute after attribute: a box that grows along some of them is compared with all rows along
  // these alone.
  std::vector<Place> rest_;
  std::size_t stride_ = 0;
  std::vector<Rank> ranks_;    // by attribute and place in the rest
  std::vector<float> spans_;   // likewise: of the box with the row
  std::vector<float> with_;    // by place in the rest: their sum
  std::vector<Side> boxes_;    // of the groups, one after the other
  std::vector<float> losses_;  // of the boxes
};

}  // namespace cordon::engine
