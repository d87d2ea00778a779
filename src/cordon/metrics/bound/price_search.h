// SPDX-License-Identifier: Apache-2.0
//
// How high may the price of a cell be? Prices are valid if in every box that holds an admissible group the k highest prices of
// rows add up to at most k times the cost of the box (docs/bound.md). So the price of a cell is limited by every box around it:
// with m of its rows among the k, by (k x cost - the k - m highest other prices in the box) / m.
//
// The search goes over boxes, best first: a node is a box that is inside, and the cells that may still come in. A sweep over
// these in order of cost bounds all boxes of the node from below: a box of cost c holds no cell whose own cost with it is above
// c. It branches on whether a cell is in the box or not. Stopped early, what it has is still a bound from below, so an answer
// is always valid, and at worst too low.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cordon/metrics/bound/cell_space.h"

namespace cordon::engine {

// The k rows with the highest prices in some box: their prices add up to at most k x cost.
struct TightBox {
  std::vector<std::pair<CellId, std::int64_t>> rows;  // cell, number of its rows
  Price cost = 0;
};

class PriceSearch {
 public:
  // `cheapest`: no box around the cell that holds an admissible group costs less. 0 as long as this is not known.
  PriceSearch(const CellSpace& space, std::span<const Price> cheapest) : space_(space), cheapest_(cheapest) {}

  // At most the cost of the cheapest box around the cell that holds an admissible group.
  Price Cheapest(CellId cell, const CellSpace::Near& near);

  // At most the highest price that keeps all prices valid, looking at boxes of the near cells alone; `goal` if it is not
  // below that.
  Price Highest(CellId cell, std::span<const CellId> near, std::span<const Price> prices, Price goal, int most_nodes);
  // A box of near cells that limits the price to less than the goal, the one that limits it most unless the search is stopped;
  // none (no rows) if none was found.
  TightBox Violated(CellId cell, std::span<const CellId> near, std::span<const Price> prices, Price goal, int most_nodes);

  // The same for boxes that cost `from` or more, by one sweep: `cells` are in order of cost, every other price is at most
  // `floor`, and any number of rows may have that.
  Price HighestWithin(CellId cell, std::span<const CellAt> cells, Price floor, std::span<const Price> prices, Price from);

 private:
  struct Node {
    Price value = 0;  // no box of the node gives less
    Price at = 0;     // the cost of the box for which that is so
    Price base = 0;   // no admissible box around this one costs less
    Price cost = 0;   // of the box itself
    std::vector<CodeRange> box;
    std::vector<CellAt> cells;  // that may be in the box, ascending
  };
  struct Question {
    CellId cell = 0;
    const Price* prices = nullptr;  // none: the cost of the box is asked for
    Price goal = 0;
  };

  Node Root(CellId cell) const;
  Node Root(CellId cell, std::span<const CellId> near) const;
  Price Greedy(CellId cell, Node root);
  void Begin(CellId cell);
  void Widen(std::vector<CodeRange>& box, CellId cell) const;
  Price CostWith(const Node& node, CellId cell) const;
  void Sweep(const Question& question, Node& node);
  bool Admissible() const;
  void TakeValues(CellId cell);
  void TakePrice(Price price, std::int64_t rows);
  void Judge(const Question& question, Node& node);
  Price Limit(CellId cell) const;
  // A cell to decide on: within the box of the sweep and not in the box of the node. None: the sweep's box is that box.
  std::optional<std::size_t> Branch(const Node& node) const;
  Node With(const Question& question, const Node& node, std::size_t place);
  Node Without(const Question& question, Node node, std::size_t place);
  Price Search(const Question& question, Node root, int most_nodes, Node* last);
  TightBox RowsOf(const Question& question, const Node& node) const;

  const CellSpace& space_;
  std::span<const Price> cheapest_;
  // Of a sweep: what is in so far.
  std::int64_t rows_ = 0;
  std::vector<Price> top_;  // the highest prices of other cells' rows, descending, at most k - 1
  std::vector<std::vector<Code>> values_;
  std::size_t values_short_ = 0;  // columns that still lack values
  Price tau_ = 0;
};

}  // namespace cordon::engine
