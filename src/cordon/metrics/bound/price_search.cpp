// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/bound/price_search.h"

#include <algorithm>

namespace cordon::engine {
namespace {

constexpr int kMaxNodesForCost = 256;

Price FloorDivide(Price value, Price by) { return value >= 0 ? value / by : -((-value + by - 1) / by); }

}  // namespace

PriceSearch::Node PriceSearch::Root(CellId cell) const {
  Node root;
  for (const Code code : space_.codes(cell)) root.box.push_back({code, code});
  root.cost = space_.Cost(root.box);
  root.base = std::max(root.cost, cheapest_[cell]);
  return root;
}

// An admissible box around both costs no less than the cheapest of either.
Price PriceSearch::CostWith(const Node& node, CellId cell) const {
  return std::max({space_.Cost(node.box, cell), node.base, cheapest_[cell]});
}

void PriceSearch::TakeValues(CellId cell) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::vector<Code>& seen = values_[i];
    const auto enough = static_cast<std::size_t>(space_.least().distinct[i].count);
    if (seen.size() >= enough) continue;
    for (const Code code : space_.values(i, cell)) {
      if (std::find(seen.begin(), seen.end(), code) == seen.end()) seen.push_back(code);
      if (seen.size() < enough) continue;
      --values_short_;
      break;
    }
  }
}

void PriceSearch::TakePrice(Price price, std::int64_t rows) {
  const auto most = static_cast<std::size_t>(space_.least().rows - 1);
  for (; rows > 0; --rows) {
    if (top_.size() < most) {
      top_.push_back(price);
    } else if (most > 0 && top_.back() < price) {
      top_.back() = price;
    } else {
      return;
    }
    for (std::size_t i = top_.size() - 1; i > 0 && top_[i - 1] < top_[i]; --i) std::swap(top_[i - 1], top_[i]);
  }
}

void PriceSearch::Begin(CellId cell) {
  rows_ = space_.weight(cell);
  top_.clear();
  values_.assign(space_.least().distinct.size(), {});
  values_short_ = values_.size();
  TakeValues(cell);
}

void PriceSearch::Widen(std::vector<CodeRange>& box, CellId cell) const {
  const std::span<const Code> codes = space_.codes(cell);
  for (std::size_t q = 0; q < box.size(); ++q) box[q] = {std::min(box[q].lo, codes[q]), std::max(box[q].hi, codes[q])};
}

bool PriceSearch::Admissible() const { return rows_ >= space_.least().rows && values_short_ == 0; }

// The price to which a box of cost tau_ with the prices top_ limits the cell.
Price PriceSearch::Limit(CellId cell) const {
  const std::int64_t k = space_.least().rows;
  const std::int64_t own = std::min(space_.weight(cell), k);
  Price limit = kNoPrice;
  Price others = 0;
  std::int64_t taken = 0;
  for (std::int64_t m = own; m >= 1 && k - m <= static_cast<std::int64_t>(top_.size()); --m) {
    while (taken < k - m) others += top_[static_cast<std::size_t>(taken++)];
    limit = std::min(limit, FloorDivide(k * tau_ - others, m));
  }
  return limit;
}

void PriceSearch::Judge(const Question& question, Node& node) {
  if (!Admissible()) return;
  const Price value = question.prices == nullptr ? tau_ : Limit(question.cell);
  if (value >= node.value) return;
  node.value = value;
  node.at = tau_;
}

void PriceSearch::Sweep(const Question& question, Node& node) {
  node.value = kNoPrice;
  Begin(question.cell);
  tau_ = node.base;
  for (const CellAt& next : node.cells) {
    if (next.cost > tau_) {
      Judge(question, node);
      tau_ = next.cost;
    }
    rows_ += space_.weight(next.cell);
    TakeValues(next.cell);
    if (question.prices != nullptr) TakePrice(question.prices[next.cell], space_.weight(next.cell));
  }
  Judge(question, node);
  // A box that costs more than this leaves the goal, whatever is in it.
  Price most = question.goal;
  if (question.prices != nullptr) {
    const std::int64_t k = space_.least().rows;
    Price all = std::min(space_.weight(question.cell), k) * question.goal;
    for (const Price price : top_) all += price;
    most = all / k;
  }
  while (!node.cells.empty() && node.cells.back().cost > most) node.cells.pop_back();
}

// The dearest of them.
std::optional<std::size_t> PriceSearch::Branch(const Node& node) const {
  std::optional<std::size_t> dearest;
  Price most = node.cost;
  for (std::size_t i = 0; i < node.cells.size() && node.cells[i].cost <= node.at; ++i) {
    const Price cost = space_.Cost(node.box, node.cells[i].cell);
    if (cost <= most) continue;
    most = cost;
    dearest = i;
  }
  return dearest;
}

PriceSearch::Node PriceSearch::With(const Question& question, const Node& node, std::size_t place) {
  Node in;
  in.box = node.box;
  Widen(in.box, node.cells[place].cell);
  in.cost = space_.Cost(in.box);
  in.base = node.cells[place].cost;
  in.cells.reserve(node.cells.size());
  for (const CellAt& other : node.cells) in.cells.push_back({other.cell, CostWith(in, other.cell)});
  std::sort(in.cells.begin(), in.cells.end());
  Sweep(question, in);
  in.value = std::max(in.value, node.value);
  return in;
}

// No box without the cell holds a cell that brings it along.
PriceSearch::Node PriceSearch::Without(const Question& question, Node node, std::size_t place) {
  const CellId out = node.cells[place].cell;
  const Price before = node.value;
  std::erase_if(node.cells, [&](const CellAt& other) {
    if (other.cell == out) return true;
    const std::span<const Code> codes = space_.codes(other.cell);
    const std::span<const Code> gone = space_.codes(out);
    for (std::size_t q = 0; q < node.box.size(); ++q) {
      const Code lo = std::min(node.box[q].lo, codes[q]);
      const Code hi = std::max(node.box[q].hi, codes[q]);
      if (gone[q] < lo || gone[q] > hi) return false;
    }
    return true;
  });
  Sweep(question, node);
  node.value = std::max(node.value, before);
  return node;
}

Price PriceSearch::Search(const Question& question, Node root, int most_nodes, Node* last) {
  const auto later = [](const Node& a, const Node& b) { return a.value > b.value; };
  Sweep(question, root);
  std::vector<Node> open;
  open.push_back(std::move(root));
  for (int nodes = 1;; ++nodes) {
    std::pop_heap(open.begin(), open.end(), later);
    Node node = std::move(open.back());
    open.pop_back();
    if (node.value >= question.goal) return question.goal;
    const std::optional<std::size_t> place = Branch(node);
    if (!place || nodes >= most_nodes) {
      const Price value = node.value;
      if (last != nullptr) *last = std::move(node);
      return value;
    }
    open.push_back(With(question, node, *place));
    std::push_heap(open.begin(), open.end(), later);
    open.push_back(Without(question, std::move(node), *place));
    std::push_heap(open.begin(), open.end(), later);
  }
}

Price PriceSearch::Cheapest(CellId cell, const CellSpace::Near& near) {
  Node root = Root(cell);
  root.cells = near.cells;
  for (CellAt& other : root.cells) other.cost = std::max(other.cost, root.base);
  // A box with any other cell costs the radius at least.
  const Price goal = std::min({near.radius, space_.Whole(), Greedy(cell, root)});
  return Search({cell, nullptr, goal}, std::move(root), kMaxNodesForCost, nullptr);
}

// The cost of some admissible box: always the cell that adds least.
Price PriceSearch::Greedy(CellId cell, Node root) {
  Begin(cell);
  while (!Admissible()) {
    if (root.cells.empty()) return kNoPrice;
    for (CellAt& other : root.cells) other.cost = CostWith(root, other.cell);
    const auto least = std::min_element(root.cells.begin(), root.cells.end());
    Widen(root.box, least->cell);
    root.base = least->cost;
    rows_ += space_.weight(least->cell);
    TakeValues(least->cell);
    *least = root.cells.back();
    root.cells.pop_back();
  }
  return root.base;
}

PriceSearch::Node PriceSearch::Root(CellId cell, std::span<const CellId> near) const {
  Node root = Root(cell);
  for (const CellId other : near) root.cells.push_back({other, CostWith(root, other)});
  std::sort(root.cells.begin(), root.cells.end());
  return root;
}

Price PriceSearch::Highest(CellId cell, std::span<const CellId> near, std::span<const Price> prices, Price goal,
                           int most_nodes) {
  return Search({cell, prices.data(), goal}, Root(cell, near), most_nodes, nullptr);
}

TightBox PriceSearch::Violated(CellId cell, std::span<const CellId> near, std::span<const Price> prices, Price goal,
                               int most_nodes) {
  const Question question{cell, prices.data(), goal};
  Node last;
  if (Search(question, Root(cell, near), most_nodes, &last) >= goal) return {};
  // Stopped early: a box in the best of what is open, which may be violated less than another one.
  while (const std::optional<std::size_t> place = Branch(last)) last = With(question, last, *place);
  return last.value < goal ? RowsOf(question, last) : TightBox{};
}

Price PriceSearch::HighestWithin(CellId cell, std::span<const CellAt> cells, Price floor, std::span<const Price> prices,
                                 Price from) {
  top_.assign(static_cast<std::size_t>(space_.least().rows - 1), floor);
  tau_ = from;
  Price limit = kNoPrice;
  for (const CellAt& next : cells) {
    if (next.cost > tau_) {
      limit = std::min(limit, Limit(cell));
      tau_ = next.cost;
    }
    TakePrice(prices[next.cell], space_.weight(next.cell));
  }
  return std::min(limit, Limit(cell));
}

TightBox PriceSearch::RowsOf(const Question& question, const Node& node) const {
  std::vector<CellId> inside = {question.cell};
  for (const CellAt& other : node.cells) {
    if (space_.Cost(node.box, other.cell) <= node.cost) inside.push_back(other.cell);
  }
  std::sort(inside.begin(), inside.end(), [&](CellId a, CellId b) {
    return question.prices[a] != question.prices[b] ? question.prices[a] > question.prices[b] : a < b;
  });
  TightBox box;
  box.cost = node.base;
  std::int64_t left = space_.least().rows;
  for (const CellId cell : inside) {
    const std::int64_t rows = std::min(left, space_.weight(cell));
    if (rows > 0) box.rows.emplace_back(cell, rows);
    left -= rows;
  }
  return box;
}

}  // namespace cordon::engine
