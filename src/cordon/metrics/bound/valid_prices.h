// SPDX-License-Identifier: Apache-2.0
//
// Prices that are valid after every step (docs/bound.md): all start at 0, and one after the other is raised as far as a search
// proves that every box allows. What cannot be proved is not raised.
//
// Boxes of near cells are searched. A box that costs a cell's radius or more is bounded without a search: outside of the near
// cells only prices above a floor are looked up one by one, in a tree that knows the highest price of each of its parts.
#pragma once

#include <span>
#include <vector>

#include "cordon/metrics/bound/price_search.h"

namespace cordon::engine {

// The cells around each cell that cost less than its radius.
struct Neighbourhood {
  std::vector<CellId> cells;
  Price radius = kNoPrice;
};

class ValidPrices {
 public:
  ValidPrices(const CellSpace& space, std::span<const Price> cheapest, std::span<const Neighbourhood> near);

  // To `goal`, or as far as is proved. Never lowers a price.
  void Raise(CellId cell, Price goal);
  std::span<const Price> prices() const { return prices_; }
  Price Sum() const;

 private:
  Price BeyondRadius(CellId cell, Price goal);
  Price GatherAbove(CellId cell, Price floor, Price most_cost);
  void Set(CellId cell, Price price);

  const CellSpace& space_;
  std::span<const Price> cheapest_;
  std::span<const Neighbourhood> near_;
  PriceSearch search_;
  std::vector<Price> prices_;
  std::vector<Price> highest_;    // of each node of the tree
  std::vector<CellAt> gathered_;  // scratch
  std::vector<std::uint32_t> open_;
};

}  // namespace cordon::engine
