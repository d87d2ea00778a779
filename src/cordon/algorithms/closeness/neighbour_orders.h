// SPDX-License-Identifier: Apache-2.0
//
// Several orders of the same rows in each of which neighbours are alike: a forest of random lexicographic orders over
// mixed numbers and hierarchies. An order is a random permutation of tokens (attribute, level), made coarse before fine
// within each attribute; rows are sorted by their token values. Numbers have three levels (a 6th and an 18th of the
// range, the value), categories those of their hierarchy. Two rows that agree on much stand close in some order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/closeness/search_rows.h"
#include "cordon/algorithms/grouping/box_spans.h"
#include "cordon/base/random.h"

namespace cordon::engine {

// Where one order puts a row: compare as a pair.
struct NeighbourKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const NeighbourKey&, const NeighbourKey&) = default;
};

// One random order of tokens.
class NeighbourTokens {
 public:
  NeighbourTokens(const BoxSpans& spans, Random random);
  NeighbourKey Key(const Code* row) const;

 private:
  struct Token {
    std::size_t quasi = 0;
    int bits = 0;
    std::vector<std::uint32_t> values;  // by code
  };
  std::vector<Token> tokens_;
};

class NeighbourOrders {
 public:
  // `random` names the orders: the same one gives the same orders of tokens for any set of rows.
  NeighbourOrders(const SearchRows& rows, const BoxSpans& spans, std::size_t num_orders, std::size_t num_classes,
                  const Random& random);

  std::size_t size() const { return orders_.size(); }
  std::size_t num_rows() const { return orders_.empty() ? 0 : orders_[0].rows.size(); }
  std::uint32_t at(std::size_t order, std::size_t position) const { return orders_[order].rows[position]; }
  std::uint32_t position(std::size_t order, std::size_t row) const { return orders_[order].positions[row]; }

  // The rows of one class in the order, as places begin..end-1 of a list that has class after class.
  std::size_t class_begin(std::size_t value_class) const { return class_starts_[value_class]; }
  std::size_t class_end(std::size_t value_class) const { return class_starts_[value_class + 1]; }
  std::uint32_t in_class(std::size_t order, std::size_t place) const { return orders_[order].by_class[place]; }
  // The first place of the class whose row does not stand before the position.
  std::size_t FindInClass(std::size_t order, std::size_t value_class, std::uint32_t position) const;

 private:
  struct Order {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> positions;        // by row
    std::vector<std::uint32_t> by_class;         // rows, class after class
    std::vector<std::uint32_t> class_positions;  // positions of by_class
  };
  std::vector<Order> orders_;
  std::vector<std::size_t> class_starts_;
};

}  // namespace cordon::engine
