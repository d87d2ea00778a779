// SPDX-License-Identifier: Apache-2.0
//
// Several orders of the same rows. Rows that agree on much stand close together in some of them. An order is lexicographic: the
// levels of all attributes in a random order, within an attribute the coarse levels before the fine ones.
#pragma once

#include <span>
#include <vector>

#include "cordon/algorithms/grouping/rank_space.h"
#include "cordon/base/quick_random.h"

namespace cordon::engine {

class RowOrders {
 public:
  RowOrders(const RankSpace& space, std::span<const Place> rows, std::size_t count, QuickRandom& random);

  // A random stretch of at most `length` rows of a random order.
  std::span<const Place> Stretch(std::size_t length, QuickRandom& random) const;

 private:
  std::vector<std::vector<Place>> orders_;
};

}  // namespace cordon::engine
