// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/stream_rtree/leaf_tree.h"

#include <limits>
#include <numeric>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// As LeafStore measures: in the order of the axes, so that a bound is one bit by bit.
double LeafTree::Gap(const double* point, const double* box) const {
  const double* hi = box + num_axes();
  double sum = 0;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    sum += std::max(std::max(box[axis] - point[axis], point[axis] - hi[axis]), 0.0) * scales_[axis];
  }
  return sum;
}

double LeafTree::Penalty(const double* box) const {
  double sum = 0;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) sum += (box[num_axes() + axis] - box[axis]) * scales_[axis];
  return sum;
}

double LeafTree::Enlarged(const double* box, const double* other) const {
  double sum = 0;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    sum += (std::max(box[num_axes() + axis], other[num_axes() + axis]) - std::min(box[axis], other[axis])) * scales_[axis];
  }
  return sum;
}

std::int32_t LeafTree::NewNode(bool bottom) {
  std::int32_t node = 0;
  if (free_.empty()) {
    node = static_cast<std::int32_t>(nodes_.size());
    nodes_.emplace_back();
    boxes_.resize(nodes_.size() * (kMost + 1) * 2 * num_axes());
  } else {
    node = free_.back();
    free_.pop_back();
    nodes_[node] = {};
  }
  nodes_[node].bottom = bottom;
  return node;
}

void LeafTree::FreeNode(std::int32_t node) {
  nodes_[node] = {};
  free_.push_back(node);
}

void LeafTree::Adopt(std::int32_t node, std::int32_t entry) {
  const std::int32_t what = nodes_[node].entries[entry];
  if (nodes_[node].bottom) {
    places_[what] = {node, entry};
  } else {
    nodes_[what].parent = node;
  }
}

void LeafTree::Append(std::int32_t node, std::int32_t what, const double* box) {
  const std::int32_t entry = nodes_[node].count++;
  nodes_[node].entries[entry] = what;
  std::copy_n(box, 2 * num_axes(), Box(node, entry));
  Adopt(node, entry);
}

void LeafTree::Erase(std::int32_t node, std::int32_t entry) {
  const std::int32_t last = --nodes_[node].count;
  if (entry == last) return;
  nodes_[node].entries[entry] = nodes_[node].entries[last];
  std::copy_n(Box(node, last), 2 * num_axes(), Box(node, entry));
  Adopt(node, entry);
}

std::int32_t LeafTree::EntryOf(std::int32_t node) const {
  const Node& parent = nodes_[nodes_[node].parent];
  std::int32_t entry = 0;
  while (parent.entries[entry] != node) ++entry;
  return entry;
}

void LeafTree::Cover(std::int32_t node, double* box) const {
  std::copy_n(Box(node, 0), 2 * num_axes(), box);
  for (std::int32_t entry = 1; entry < nodes_[node].count; ++entry) {
    const double* other = Box(node, entry);
    for (std::size_t axis = 0; axis < num_axes(); ++axis) {
      box[axis] = std::min(box[axis], other[axis]);
      box[num_axes() + axis] = std::max(box[num_axes() + axis], other[num_axes() + axis]);
    }
  }
}

void LeafTree::Tighten(std::int32_t node) {
  for (; nodes_[node].parent != kNone; node = nodes_[node].parent) Cover(node, Box(nodes_[node].parent, EntryOf(node)));
}

void LeafTree::Insert(Slot slot, std::span<const double> lo, std::span<const double> hi) {
  std::vector<double> box(lo.begin(), lo.end());
  box.insert(box.end(), hi.begin(), hi.end());
  InsertBox(slot, box);
}

void LeafTree::InsertBox(Slot slot, const std::vector<double>& box) {
  if (places_.size() <= static_cast<std::size_t>(slot)) places_.resize(static_cast<std::size_t>(slot) + 1);
  CORDON_CHECK_EQ(places_[slot].node, kNone);
  if (root_ == kNone) root_ = NewNode(true);
  std::int32_t node = root_;
  while (!nodes_[node].bottom) node = nodes_[node].entries[Choose(node, box.data())];
  Append(node, slot, box.data());
  ++size_;
  Tighten(node);
  Overflow(node);
}

// The entry that the box enlarges least; of several the one of least penalty.
std::int32_t LeafTree::Choose(std::int32_t node, const double* box) const {
  std::int32_t best = 0;
  double least = kInfinity;
  double least_penalty = kInfinity;
  for (std::int32_t entry = 0; entry < nodes_[node].count; ++entry) {
    const double penalty = Penalty(Box(node, entry));
    const double more = Enlarged(Box(node, entry), box) - penalty;
    if (more > least || (more == least && penalty >= least_penalty)) continue;
    best = entry;
    least = more;
    least_penalty = penalty;
  }
  return best;
}

void LeafTree::Overflow(std::int32_t node) {
  while (nodes_[node].count > kMost) {
    const std::int32_t other = NewNode(nodes_[node].bottom);
    Halve(node, other);
    std::vector<double> box(2 * num_axes());
    if (node == root_) {
      root_ = NewNode(false);
      Cover(node, box.data());
      Append(root_, node, box.data());
    }
    const std::int32_t parent = nodes_[node].parent;
    Cover(other, box.data());
    Append(parent, other, box.data());
    Tighten(node);
    node = parent;
  }
}

// By the middles of the boxes on the axis where the halves' penalties add up to least.
void LeafTree::Halve(std::int32_t node, std::int32_t other) {
  const std::int32_t count = nodes_[node].count;
  std::vector<double> all(Box(node, 0), Box(node, 0) + static_cast<std::size_t>(count) * 2 * num_axes());
  const auto box = [&](std::int32_t entry) { return all.data() + static_cast<std::size_t>(entry) * 2 * num_axes(); };
  std::vector<std::int32_t> best(static_cast<std::size_t>(count));
  std::iota(best.begin(), best.end(), 0);
  double least = kInfinity;
  std::vector<std::int32_t> order = best;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      const double middle_a = box(a)[axis] + box(a)[num_axes() + axis];
      const double middle_b = box(b)[axis] + box(b)[num_axes() + axis];
      return middle_a != middle_b ? middle_a < middle_b : a < b;
    });
    double cost = 0;
    for (std::size_t from = 0; from < order.size(); from += order.size() / 2 + 1) {
      std::vector<double> cover(box(order[from]), box(order[from]) + 2 * num_axes());
      const std::size_t end = from == 0 ? order.size() / 2 + 1 : order.size();
      for (std::size_t i = from; i < end; ++i) {
        for (std::size_t side = 0; side < num_axes(); ++side) {
          cover[side] = std::min(cover[side], box(order[i])[side]);
          cover[num_axes() + side] = std::max(cover[num_axes() + side], box(order[i])[num_axes() + side]);
        }
      }
      cost += Penalty(cover.data());
    }
    if (cost >= least) continue;
    least = cost;
    best = order;
  }
  const std::vector<std::int32_t> entries(nodes_[node].entries, nodes_[node].entries + count);
  nodes_[node].count = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    Append(i < best.size() / 2 + 1 ? node : other, entries[static_cast<std::size_t>(best[i])], box(best[i]));
  }
}

void LeafTree::Update(Slot slot, std::span<const double> lo, std::span<const double> hi) {
  const Place place = places_[slot];
  double* box = Box(place.node, place.entry);
  std::copy(lo.begin(), lo.end(), box);
  std::copy(hi.begin(), hi.end(), box + num_axes());
  Tighten(place.node);
}

void LeafTree::Rename(Slot from, Slot to) {
  const Place place = places_[from];
  if (places_.size() <= static_cast<std::size_t>(to)) places_.resize(static_cast<std::size_t>(to) + 1);
  CORDON_CHECK_EQ(places_[to].node, kNone);
  nodes_[place.node].entries[place.entry] = to;
  places_[to] = place;
  places_[from] = {};
}

// Takes the whole subtree apart.
void LeafTree::Dissolve(std::int32_t node, std::vector<std::pair<Slot, std::vector<double>>>& orphans) {
  for (std::int32_t entry = 0; entry < nodes_[node].count; ++entry) {
    const std::int32_t what = nodes_[node].entries[entry];
    if (nodes_[node].bottom) {
      orphans.emplace_back(what, std::vector<double>(Box(node, entry), Box(node, entry) + 2 * num_axes()));
      places_[what] = {};
      --size_;
    } else {
      Dissolve(what, orphans);
    }
  }
  FreeNode(node);
}

void LeafTree::Remove(Slot slot) {
  std::int32_t node = places_[slot].node;
  Erase(node, places_[slot].entry);
  places_[slot] = {};
  --size_;
  std::vector<std::pair<Slot, std::vector<double>>> orphans;
  while (node != root_) {
    const std::int32_t parent = nodes_[node].parent;
    if (nodes_[node].count < kLeast) {
      Erase(parent, EntryOf(node));
      Dissolve(node, orphans);
    } else {
      Tighten(node);
    }
    node = parent;
  }
  while (!nodes_[root_].bottom && nodes_[root_].count == 1) {
    const std::int32_t only = nodes_[root_].entries[0];
    FreeNode(root_);
    root_ = only;
    nodes_[root_].parent = kNone;
  }
  if (nodes_[root_].count == 0) {
    FreeNode(root_);
    root_ = kNone;
  }
  for (const auto& [orphan, box] : orphans) InsertBox(orphan, box);
}

bool LeafTree::Consistent(std::int32_t node, std::size_t& leaves) const {
  const Node& its = nodes_[node];
  if (its.count > kMost || (node != root_ && its.count < kLeast) || (node == root_ && its.count == 0)) return false;
  for (std::int32_t entry = 0; entry < its.count; ++entry) {
    const std::int32_t what = its.entries[entry];
    if (its.bottom) {
      ++leaves;
      if (places_[what].node != node || places_[what].entry != entry) return false;
      continue;
    }
    std::vector<double> cover(2 * num_axes());
    Cover(what, cover.data());
    if (nodes_[what].parent != node || !std::equal(cover.begin(), cover.end(), Box(node, entry))) return false;
    if (!Consistent(what, leaves)) return false;
  }
  return true;
}

bool LeafTree::Consistent() const {
  std::size_t leaves = 0;
  return (root_ == kNone || (nodes_[root_].parent == kNone && Consistent(root_, leaves))) && leaves == size_;
}

}  // namespace cordon::engine
