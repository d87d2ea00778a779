// SPDX-License-Identifier: Apache-2.0
//
// Which leaf a tuple joins: by a scan over all boxes or by the tree, to the same answer.
#include <algorithm>
#include <limits>

#include "cordon/algorithms/stream_rtree/leaf_kernels.h"
#include "cordon/algorithms/stream_rtree/leaf_store.h"

namespace cordon::engine {
void LeafStore::MarkLeavesOf(PersonId person) const {
  ++mark_;
  const std::uint32_t known = people_.Get(person);
  for (Index at = static_cast<Index>(known) - 1; at != kNone; at = tuples_[at].person_after) {
    if (tuples_[at].leaf != kNone) marks_[tuples_[at].leaf] = mark_;
  }
}

// At the same distance.
bool LeafStore::Better(Index slot, Index than) const {
  if (than == kNone) return true;
  const Leaf& a = leaves_[slot];
  const Leaf& b = leaves_[than];
  if (a.penalty != b.penalty) return a.penalty < b.penalty;
  if (a.size != b.size) return a.size < b.size;
  return a.id < b.id;
}

LeafStore::Index LeafStore::NearestByScan(const double* point, Among among) const {
  const std::size_t size = leaves_.size();
  const std::size_t whole = (size + 3) / 4 * 4;  // there is room, and four boxes are done at a time
  internal::Gaps({lo_.data(), hi_.data(), capacity_}, {point, num_axes()}, scales_, distances_.data(), whole);
  Index best = kNone;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < size; ++i) {
    if (distances_[i] > least) continue;
    const auto slot = static_cast<Index>(i);
    if (!Eligible(slot, among) || leaves_[slot].size == 0) continue;
    if (distances_[i] == least && !Better(slot, best)) continue;
    best = slot;
    least = distances_[i];
  }
  return best;
}

LeafStore::Index LeafStore::NearestByTree(const double* point, Among among) const {
  Index best = kNone;
  double least = std::numeric_limits<double>::infinity();
  tree_->Search(
      point, [&] { return least; },
      [&](Index slot, double distance) {
        if (!Eligible(slot, among) || (distance == least && !Better(slot, best))) return;
        best = slot;
        least = distance;
      });
  return best;
}

LeafStore::Index LeafStore::Nearest(Index tuple, Among among) const {
  MarkLeavesOf(tuples_[tuple].person);
  return tree_ ? NearestByTree(point(tuple), among) : NearestByScan(point(tuple), among);
}

LeafStore::Index LeafStore::FirstWithout(Index tuple) const {
  MarkLeavesOf(tuples_[tuple].person);
  Index first = kNone;
  for (Index slot = 0; slot < static_cast<Index>(leaves_.size()); ++slot) {
    if (Eligible(slot, Among::kAll) && (first == kNone || leaves_[slot].id < leaves_[first].id)) first = slot;
  }
  return first;
}

}  // namespace cordon::engine
