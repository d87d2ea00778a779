// SPDX-License-Identifier: Apache-2.0
//
// Regrowth: the rows of a few groups that lie together are grouped again. A group starts at a random row and takes the rows
// that its box grows least for, until the model admits it. The rows that are left over at the end join the group that they cost
// least.
#pragma once

#include <vector>

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/algorithms/partition/partition_cuts.h"
#include "cordon/base/quick_random.h"

namespace cordon::engine {

class Regrowth {
 public:
  // `gate` belongs to the caller's thread.
  Regrowth(const RankSpace& space, GroupGate& gate)
      : space_(space), gate_(gate), lo_(space.num_quasi()), hi_(space.num_quasi()) {}

  // Admitted groups of the rows. False if they would lose `limit` or more, or if there are none.
  bool Grow(std::vector<Place> rows, double limit, QuickRandom& random, RowSets& groups);

  // Boxes that were compared so far: what the growing costs.
  std::uint64_t looks() const { return looks_; }

 private:
  bool GrowOne(std::vector<Place>& rest, QuickRandom& random, std::vector<Place>& group);
  bool Join(Place row, RowSets& groups, double& cost);
  double CostOf(std::span<const Place> rows) const;

  const RankSpace& space_;
  GroupGate& gate_;
  std::uint64_t looks_ = 0;
  std::vector<Rank> lo_;
  std::vector<Rank> hi_;
};

}  // namespace cordon::engine
