// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/bound/valid_prices.h"

#include <algorithm>

namespace cordon::engine {
namespace {

constexpr int kMaxNodesForPrice = 128;
constexpr std::size_t kMaxGathered = 4096;

}  // namespace

ValidPrices::ValidPrices(const CellSpace& space, std::span<const Price> cheapest, std::span<const Neighbourhood> near)
    : space_(space),
      cheapest_(cheapest),
      near_(near),
      search_(space, cheapest),
      prices_(space.size()),
      highest_(space.nodes().size()) {}

Price ValidPrices::Sum() const {
  Price sum = 0;
  for (CellId cell = 0; cell < prices_.size(); ++cell) sum += prices_[cell] * space_.weight(cell);
  return sum;
}

// A suppressed row costs no more than the whole, so no price is above that.
void ValidPrices::Raise(CellId cell, Price goal) {
  goal = std::min(goal, space_.Whole());
  if (goal <= prices_[cell]) return;
  goal = std::min(goal, BeyondRadius(cell, goal));
  if (goal <= prices_[cell]) return;
  const Price price = search_.Highest(cell, near_[cell].cells, prices_, goal, kMaxNodesForPrice);
  if (price > prices_[cell]) Set(cell, price);
}

void ValidPrices::Set(CellId cell, Price price) {
  prices_[cell] = price;
  std::uint32_t node = space_.leaf_of(cell);
  while (highest_[node] < price) {
    highest_[node] = price;
    node = space_.nodes()[node].parent;
  }
}

// Other cells that are not near, with their costs, if their prices are above the floor; returns the floor, which it raises if
// these are too many. Left out are cells that cost more than most_cost.
Price ValidPrices::GatherAbove(CellId cell, Price floor, Price most_cost) {
  std::vector<CodeRange> box;
  for (const Code code : space_.codes(cell)) box.push_back({code, code});
  const Price radius = near_[cell].radius;
  gathered_.clear();
  open_.assign(1, 0);
  while (!open_.empty()) {
    const std::uint32_t at = open_.back();
    open_.pop_back();
    if (highest_[at] <= floor || space_.CostTo(at, cell) > most_cost) continue;
    const CellSpace::Node& node = space_.nodes()[at];
    if (node.child != 0) {
      open_.push_back(node.child);
      open_.push_back(node.child + 1);
      continue;
    }
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      const CellId other = space_.cell_at(i);
      if (other == cell || prices_[other] <= floor) continue;
      const Price cost = space_.Cost(box, other);
      if (cost >= radius && cost <= most_cost) gathered_.push_back({other, std::max(cost, cheapest_[other])});
    }
    if (gathered_.size() < 2 * kMaxGathered) continue;
    std::nth_element(gathered_.begin(), gathered_.begin() + kMaxGathered, gathered_.end(),
                     [&](const CellAt& a, const CellAt& b) { return prices_[a.cell] > prices_[b.cell]; });
    floor = prices_[gathered_[kMaxGathered].cell];
    std::erase_if(gathered_, [&](const CellAt& other) { return prices_[other.cell] <= floor; });
  }
  return floor;
}

// No box that costs the radius or more limits the price to less, if the goal is not below.
Price ValidPrices::BeyondRadius(CellId cell, Price goal) {
  const Price radius = near_[cell].radius;
  if (radius == kNoPrice) return goal;
  const std::int64_t k = space_.least().rows;
  const std::int64_t own = std::min(space_.weight(cell), k);
  // Prices up to the floor can be in the box as often as they like: what they leave at the radius is the goal, or the radius.
  Price floor = radius;
  if (goal > radius && own < k) floor = std::clamp<Price>((k * radius - own * goal) / (k - own), 0, radius);
  // A box that costs as much as the goal and as every price leaves the goal.
  floor = GatherAbove(cell, floor, std::max(goal, highest_[0]));
  for (const CellId other : near_[cell].cells) {
    if (prices_[other] > floor) gathered_.push_back({other, radius});
  }
  for (CellAt& other : gathered_) other.cost = std::max(other.cost, radius);
  std::sort(gathered_.begin(), gathered_.end());
  return std::min(goal, search_.HighestWithin(cell, gathered_, floor, prices_, radius));
}

}  // namespace cordon::engine
