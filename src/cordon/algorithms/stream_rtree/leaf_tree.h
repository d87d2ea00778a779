// SPDX-License-Identifier: Apache-2.0
//
// A dynamic R-tree over the boxes of leaves, which it knows by their slots. Inner nodes have up to 16 entries; one that falls
// below 6 is dissolved and the leaves under it are inserted again. The search is best first: the distance to a node's box
// bounds that to every leaf inside, also as rounded, since the same operations are done in the same order; so the answer
// is the one that a scan over all leaves gives, whatever shape the tree has.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace cordon::engine {

class LeafTree {
 public:
  using Slot = std::int32_t;

  explicit LeafTree(std::span<const double> scales) : scales_(scales.begin(), scales.end()) {}

  std::size_t size() const { return size_; }
  // `lo` and `hi` have a side for each axis.
  void Insert(Slot slot, std::span<const double> lo, std::span<const double> hi);
  void Remove(Slot slot);
  // The box of a leaf that is there has changed.
  void Update(Slot slot, std::span<const double> lo, std::span<const double> hi);
  // The leaf in slot `from` is in slot `to` from now on.
  void Rename(Slot from, Slot to);

  // Calls visit(slot, distance) for leaves in groups of increasing bounds, until `most()` says that no leaf further away
  // than that matters.
  template <typename Most, typename Visit>
  void Search(const double* point, const Most& most, const Visit& visit) const;

  // Everything that must hold of it; for tests.
  bool Consistent() const;

 private:
  static constexpr std::int32_t kMost = 16;
  static constexpr std::int32_t kLeast = 6;
  static constexpr std::int32_t kNone = -1;

  struct Node {
    std::int32_t parent = kNone;
    std::int32_t count = 0;
    bool bottom = true;                    // entries are leaves' slots, not nodes
    std::int32_t entries[kMost + 1] = {};  // one more while it is split
  };
  struct Place {
    std::int32_t node = kNone;
    std::int32_t entry = 0;
  };

  std::size_t num_axes() const { return scales_.size(); }
  std::size_t BoxAt(std::int32_t node, std::int32_t entry) const {
    return (static_cast<std::size_t>(node) * (kMost + 1) + static_cast<std::size_t>(entry)) * 2 * num_axes();
  }
  const double* Box(std::int32_t node, std::int32_t entry) const { return boxes_.data() + BoxAt(node, entry); }
  double* Box(std::int32_t node, std::int32_t entry) { return boxes_.data() + BoxAt(node, entry); }
  double Gap(const double* point, const double* box) const;
  double Penalty(const double* box) const;
  double Enlarged(const double* box, const double* other) const;

  std::int32_t NewNode(bool bottom);
  void FreeNode(std::int32_t node);
  void Adopt(std::int32_t node, std::int32_t entry);  // what the entry stands for learns where it is
  void Append(std::int32_t node, std::int32_t what, const double* box);
  void Erase(std::int32_t node, std::int32_t entry);
  std::int32_t EntryOf(std::int32_t node) const;
  void Cover(std::int32_t node, double* box) const;
  void Tighten(std::int32_t node);  // boxes above it
  void InsertBox(Slot slot, const std::vector<double>& box);
  std::int32_t Choose(std::int32_t node, const double* box) const;
  void Overflow(std::int32_t node);
  void Halve(std::int32_t node, std::int32_t other);
  void Dissolve(std::int32_t node, std::vector<std::pair<Slot, std::vector<double>>>& orphans);
  bool Consistent(std::int32_t node, std::size_t& leaves) const;

  std::vector<double> scales_;
  std::vector<Node> nodes_;
  std::vector<double> boxes_;  // node x entry x (lo, then hi)
  std::vector<std::int32_t> free_;
  std::int32_t root_ = kNone;
  std::size_t size_ = 0;
  std::vector<Place> places_;  // by slot
  mutable std::vector<std::pair<double, std::int32_t>> queue_;
};

template <typename Most, typename Visit>
void LeafTree::Search(const double* point, const Most& most, const Visit& visit) const {
  if (root_ == kNone) return;
  const auto later = [](const auto& a, const auto& b) { return a.first > b.first; };
  queue_.assign(1, {0.0, root_});
  while (!queue_.empty() && queue_.front().first <= most()) {
    std::pop_heap(queue_.begin(), queue_.end(), later);
    const Node& node = nodes_[queue_.back().second];
    const std::int32_t at = queue_.back().second;
    queue_.pop_back();
    for (std::int32_t entry = 0; entry < node.count; ++entry) {
      const double gap = Gap(point, Box(at, entry));
      if (gap > most()) continue;
      if (node.bottom) {
        visit(node.entries[entry], gap);
      } else {
        queue_.emplace_back(gap, node.entries[entry]);
        std::push_heap(queue_.begin(), queue_.end(), later);
      }
    }
  }
}

}  // namespace cordon::engine
