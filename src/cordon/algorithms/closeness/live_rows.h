// SPDX-License-Identifier: Apache-2.0
//
// The rows of each class that are still to be had, in several orders, with their neighbours found in near-constant time
// while rows go: two union-find forests an order, one that leads to the next row left, one to the one before.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "cordon/algorithms/closeness/neighbour_orders.h"

namespace cordon::engine {

class LiveRows {
 public:
  LiveRows(const NeighbourOrders& orders, std::size_t num_orders)
      : orders_(&orders), places_(num_orders), next_(num_orders), before_(num_orders) {
    const std::size_t rows = orders.num_rows();
    for (std::size_t order = 0; order < num_orders; ++order) {
      places_[order].resize(rows);
      for (std::size_t place = 0; place < rows; ++place) {
        places_[order][orders.in_class(order, place)] = static_cast<std::uint32_t>(place);
      }
      next_[order].resize(rows + 1);
      std::iota(next_[order].begin(), next_[order].end(), 0U);
      before_[order] = next_[order];
    }
  }

  std::size_t num_orders() const { return next_.size(); }

  void Remove(std::size_t row) {
    for (std::size_t order = 0; order < next_.size(); ++order) {
      const std::uint32_t place = places_[order][row];
      next_[order][place] = place + 1;
      before_[order][place + 1] = place;
    }
  }

  // f(row) for up to `reach` rows left of the class on either side of the place.
  template <typename Function>
  void ForNeighbours(std::size_t order, std::size_t value_class, std::size_t place, std::size_t reach, const Function& f) {
    const std::size_t end = orders_->class_end(value_class);
    std::size_t at = Find(next_[order], place);
    for (std::size_t i = 0; i < reach && at < end; ++i, at = Find(next_[order], at + 1)) f(orders_->in_class(order, at));
    const std::size_t begin = orders_->class_begin(value_class);
    at = Find(before_[order], place);
    for (std::size_t i = 0; i < reach && at > begin; ++i, at = Find(before_[order], at - 1))
      f(orders_->in_class(order, at - 1));
  }

 private:
  static std::size_t Find(std::vector<std::uint32_t>& links, std::size_t from) {
    std::size_t root = from;
    while (links[root] != root) root = links[root];
    while (links[from] != root) {
      const std::uint32_t step = links[from];
      links[from] = static_cast<std::uint32_t>(root);
      from = step;
    }
    return root;
  }

  const NeighbourOrders* orders_;
  std::vector<std::vector<std::uint32_t>> places_;  // by order and row: its place in the list by class
  std::vector<std::vector<std::uint32_t>> next_;    // by order and place: itself while its row is left
  std::vector<std::vector<std::uint32_t>> before_;  // the same, one further: before_[place + 1] is for `place`
};

}  // namespace cordon::engine
