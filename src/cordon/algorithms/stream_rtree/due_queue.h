// SPDX-License-Identifier: Apache-2.0
//
// When each leaf is due, and the sum of the leaves' weights: a binary tree over the slots whose nodes hold the earliest due
// of the slots below and their weights added up. A change costs the height of the tree; nothing is added and later taken
// away, so the sum carries no error along and is a function of the slots alone.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace cordon::engine {

class DueQueue {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  // Ties go to the lower id.
  void Set(std::size_t slot, std::int64_t id, double due, double weight) {
    while (slot >= entries_.size()) Grow();
    entries_[slot] = {id, due, weight};
    Refresh(slot);
  }
  void Clear(std::size_t slot) { Set(slot, kNoId, kNever, 0); }

  std::size_t top() const { return static_cast<std::size_t>(nodes_[1].first); }
  double due(std::size_t slot) const { return slot < entries_.size() ? entries_[slot].due : kNever; }
  double weight(std::size_t slot) const { return slot < entries_.size() ? entries_[slot].weight : 0; }
  double earliest() const { return entries_.empty() ? kNever : entries_[top()].due; }
  double total_weight() const { return entries_.empty() ? 0 : nodes_[1].weight; }

 private:
  static constexpr std::int64_t kNoId = std::numeric_limits<std::int64_t>::max();
  struct Entry {
    std::int64_t id = kNoId;
    double due = kNever;
    double weight = 0;
  };
  struct Node {
    std::int32_t first = 0;  // slot of the earliest
    double weight = 0;
  };

  bool Before(std::int32_t a, std::int32_t b) const {
    return entries_[a].due != entries_[b].due ? entries_[a].due < entries_[b].due : entries_[a].id < entries_[b].id;
  }
  // Leaves of the tree are pairs of slots, so node i stands over the slots 2i - size and 2i - size + 1, or two nodes.
  void Refresh(std::size_t slot) {
    std::size_t at = (entries_.size() + slot) / 2;
    const auto left = static_cast<std::int32_t>(slot & ~std::size_t{1});
    nodes_[at] = {Before(left + 1, left) ? left + 1 : left, entries_[left].weight + entries_[left + 1].weight};
    for (at /= 2; at > 0; at /= 2) {
      const Node& a = nodes_[2 * at];
      const Node& b = nodes_[2 * at + 1];
      nodes_[at] = {Before(b.first, a.first) ? b.first : a.first, a.weight + b.weight};
    }
  }
  void Grow() {
    entries_.resize(entries_.empty() ? 16 : 2 * entries_.size());
    nodes_.assign(entries_.size(), {});
    for (std::size_t slot = 0; slot < entries_.size(); slot += 2) Refresh(slot);
  }

  std::vector<Entry> entries_;  // a power of two
  std::vector<Node> nodes_;     // 1 is the root
};

}  // namespace cordon::engine
