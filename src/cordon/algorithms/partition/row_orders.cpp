// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/row_orders.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace cordon::engine {
namespace {

// Numbers have no levels of their own: a sixth and an eighteenth of the ranks, and the rank itself.
constexpr Rank kFractions[] = {6, 18};
constexpr int kNumberLevels = 3;
constexpr int kKeyBits = 64;  // what does not fit is so fine that it hardly matters

// The ranks of an attribute at one level, numbered from 0 in the order of the ranks.
struct LevelCodes {
  std::size_t attribute = 0;
  int bits = 0;
  std::vector<std::uint32_t> code;  // by rank
};

LevelCodes CodesAt(const RankSpace& space, std::size_t q, int level) {
  const Rank ranks = space.num_ranks(q);
  const auto part = [&](Rank rank) -> std::int64_t {
    if (space.has_nodes(q)) return space.ancestor(q, rank, level);
    return level + 1 < kNumberLevels ? std::int64_t{rank} * kFractions[level] / ranks : rank;
  };
  LevelCodes codes{.attribute = q, .code = std::vector<std::uint32_t>(static_cast<std::size_t>(ranks))};
  for (Rank rank = 1; rank < ranks; ++rank) {
    codes.code[rank] = codes.code[rank - 1] + (part(rank) != part(rank - 1) ? 1 : 0);
  }
  codes.bits = std::bit_width(codes.code.back());
  return codes;
}

// The first levels that fit into a key.
std::vector<LevelCodes> RandomLevels(const RankSpace& space, QuickRandom& random) {
  std::vector<std::size_t> attributes;  // one entry per level
  for (std::size_t q = 0; q < space.num_quasi(); ++q) {
    attributes.insert(attributes.end(), static_cast<std::size_t>(space.has_nodes(q) ? space.depth(q) : kNumberLevels), q);
  }
  for (std::size_t i = attributes.size(); i > 1; --i) std::swap(attributes[i - 1], attributes[random.Below(i)]);
  std::vector<int> next(space.num_quasi(), 0);
  std::vector<LevelCodes> levels;
  int bits = 0;
  for (const std::size_t q : attributes) {
    LevelCodes codes = CodesAt(space, q, next[q]++);
    bits += codes.bits;
    if (bits > kKeyBits) break;
    if (codes.bits > 0) levels.push_back(std::move(codes));
  }
  return levels;
}

}  // namespace

RowOrders::RowOrders(const RankSpace& space, std::span<const Place> rows, std::size_t count, QuickRandom& random)
    : orders_(count) {
  std::vector<std::pair<std::uint64_t, Place>> keyed(rows.size());
  for (std::vector<Place>& order : orders_) {
    const std::vector<LevelCodes> levels = RandomLevels(space, random);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::uint64_t key = 0;
      for (const LevelCodes& level : levels) key = key << level.bits | level.code[space.row(rows[i])[level.attribute]];
      keyed[i] = {key, rows[i]};
    }
    std::sort(keyed.begin(), keyed.end());
    order.reserve(rows.size());
    for (const auto& [key, row] : keyed) order.push_back(row);
  }
}

std::span<const Place> RowOrders::Stretch(std::size_t length, QuickRandom& random) const {
  const std::vector<Place>& order = orders_[random.Below(orders_.size())];
  const std::size_t from = random.Below(order.size());
  return std::span(order).subspan(from, std::min(length, order.size() - from));
}

}  // namespace cordon::engine
