// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/stream_rtree/leaf_store.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cordon/base/check.h"

namespace cordon::engine {
namespace {

// A scan with SIMD is the faster up to some thousand leaves, the more the more axes there are; between the two numbers the
// search stays what it is.
constexpr std::size_t kTreeFrom = 8192;
constexpr std::size_t kScanFrom = 4096;

}  // namespace

LeafStore::LeafStore(std::vector<double> scales, std::int64_t k, Search search, std::vector<std::int64_t> diversity)
    : scales_(std::move(scales)),
      k_(k),
      room_(2 * static_cast<std::size_t>(k)),
      search_(search),
      diversity_(std::move(diversity)) {}

LeafStore::Index LeafStore::Hold(Position position, PersonId person, const double* point, const std::int32_t* values) {
  Index at = 0;
  if (free_.empty()) {
    at = static_cast<Index>(tuples_.size());
    tuples_.emplace_back();
    points_.resize(points_.size() + num_axes());
    values_.resize(values_.size() + diversity_.size());
  } else {
    at = free_.back();
    free_.pop_back();
  }
  std::copy_n(point, num_axes(), points_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(at) * num_axes()));
  std::copy_n(values, diversity_.size(),
              values_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(at) * diversity_.size()));
  Waiting& tuple = tuples_[at];
  tuple = {};
  tuple.position = position;
  tuple.person = person;
  tuple.older = newest_;
  (newest_ == kNone ? oldest_ : tuples_[newest_].newer) = at;
  newest_ = at;
  const std::uint32_t known = people_.Get(person);
  if (known != 0) {
    tuple.person_after = static_cast<Index>(known - 1);
    tuples_[tuple.person_after].person_before = at;
  }
  people_.Set(person, static_cast<std::uint32_t>(at) + 1);
  ++num_held_;
  return at;
}

void LeafStore::Drop(Index at) {
  const Waiting& tuple = tuples_[at];
  CORDON_CHECK_EQ(tuple.leaf, kNone);
  (tuple.older == kNone ? oldest_ : tuples_[tuple.older].newer) = tuple.newer;
  (tuple.newer == kNone ? newest_ : tuples_[tuple.newer].older) = tuple.older;
  if (tuple.person_after != kNone) tuples_[tuple.person_after].person_before = tuple.person_before;
  if (tuple.person_before != kNone) {
    tuples_[tuple.person_before].person_after = tuple.person_after;
  } else if (tuple.person_after != kNone) {
    people_.Set(tuple.person, static_cast<std::uint32_t>(tuple.person_after) + 1);
  } else {
    people_.Erase(tuple.person);
  }
  free_.push_back(at);
  --num_held_;
}

void LeafStore::Grow() {
  const std::size_t larger = capacity_ == 0 ? 16 : 2 * capacity_;  // a multiple of 4: see NearestByScan
  for (std::vector<double>* sides : {&lo_, &hi_}) {
    std::vector<double> moved(num_axes() * larger);
    for (std::size_t axis = 0; axis < num_axes(); ++axis) {
      std::copy_n(sides->begin() + static_cast<std::ptrdiff_t>(axis * capacity_), leaves_.size(),
                  moved.begin() + static_cast<std::ptrdiff_t>(axis * larger));
    }
    *sides = std::move(moved);
  }
  capacity_ = larger;
  members_.resize(larger * room_);
  marks_.resize(larger);
  distances_.resize(larger);
}

LeafStore::Index LeafStore::NewLeaf(std::int64_t id) {
  if (leaves_.size() == capacity_) Grow();
  const auto slot = static_cast<Index>(leaves_.size());
  leaves_.push_back({.id = id});
  ++num_immature_;
  return slot;
}

bool LeafStore::Diverse(std::span<const Index> tuples) const {
  for (std::size_t i = 0; i < diversity_.size(); ++i) {
    seen_.clear();
    for (const Index tuple : tuples) {
      if (const std::int32_t value = values(tuple)[i]; value != kNull) seen_.push_back(value);
    }
    std::sort(seen_.begin(), seen_.end());
    if (std::unique(seen_.begin(), seen_.end()) - seen_.begin() < diversity_[i]) return false;
  }
  return true;
}

void LeafStore::Judge(Index slot) {
  Leaf& leaf = leaves_[slot];
  const bool was = std::exchange(leaf.mature, leaf.size >= k_ && Diverse(members(slot)));
  num_immature_ += was ? 1 : 0;
  num_immature_ -= leaf.mature ? 1 : 0;
}

void LeafStore::CopyBox(Index slot, std::vector<double>& lo, std::vector<double>& hi) const {
  lo.resize(num_axes());
  hi.resize(num_axes());
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    lo[axis] = this->lo(slot, axis);
    hi[axis] = this->hi(slot, axis);
  }
}

void LeafStore::Extend(Index slot, const double* point) {
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    double& low = lo_[axis * capacity_ + static_cast<std::size_t>(slot)];
    double& high = hi_[axis * capacity_ + static_cast<std::size_t>(slot)];
    low = std::min(low, point[axis]);
    high = std::max(high, point[axis]);
  }
}

void LeafStore::BoxChanged(Index slot) {
  double penalty = 0;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) penalty += (hi(slot, axis) - lo(slot, axis)) * scales_[axis];
  leaves_[slot].penalty = penalty;
  if (tree_) {
    std::vector<double> low;
    std::vector<double> high;
    CopyBox(slot, low, high);
    tree_->Update(slot, low, high);
  }
}

void LeafStore::Join(Index tuple, Index slot) {
  Leaf& leaf = leaves_[slot];
  CORDON_CHECK_LT(static_cast<std::size_t>(leaf.size), room_);
  CORDON_CHECK_EQ(tuples_[tuple].leaf, kNone);
  MembersOf(slot)[leaf.size++] = tuple;
  tuples_[tuple].leaf = slot;
  Judge(slot);
  if (leaf.size > 1) {
    leaf.oldest = std::min(leaf.oldest, tuples_[tuple].position);
    Extend(slot, point(tuple));
    BoxChanged(slot);
    return;
  }
  leaf.oldest = tuples_[tuple].position;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    lo_[axis * capacity_ + static_cast<std::size_t>(slot)] = point(tuple)[axis];
    hi_[axis * capacity_ + static_cast<std::size_t>(slot)] = point(tuple)[axis];
  }
  leaf.penalty = 0;
  if (tree_) {
    const std::span<const double> at(point(tuple), num_axes());
    tree_->Insert(slot, at, at);
  } else {
    ChooseSearch();
  }
}

// From the members, from scratch. REQUIRES: there are some.
void LeafStore::Rebox(Index slot) {
  Leaf& leaf = leaves_[slot];
  leaf.oldest = std::numeric_limits<Position>::max();
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    lo_[axis * capacity_ + static_cast<std::size_t>(slot)] = std::numeric_limits<double>::infinity();
    hi_[axis * capacity_ + static_cast<std::size_t>(slot)] = -std::numeric_limits<double>::infinity();
  }
  for (const Index member : members(slot)) {
    leaf.oldest = std::min(leaf.oldest, tuples_[member].position);
    Extend(slot, point(member));
  }
  BoxChanged(slot);
}

void LeafStore::Leave(Index tuple) {
  const Index slot = tuples_[tuple].leaf;
  Leaf& leaf = leaves_[slot];
  Index* members = MembersOf(slot);
  *std::find(members, members + leaf.size, tuple) = members[leaf.size - 1];
  --leaf.size;
  tuples_[tuple].leaf = kNone;
  Judge(slot);
  if (leaf.size > 0) {
    Rebox(slot);
  } else if (tree_) {
    tree_->Remove(slot);
  }
}

void LeafStore::Vacate(Index slot) {
  Leaf& leaf = leaves_[slot];
  const std::int32_t before = leaf.size;
  for (const Index member : members(slot)) tuples_[member].leaf = kNone;
  leaf.size = 0;
  Judge(slot);
  if (tree_ && before > 0) tree_->Remove(slot);
}

LeafStore::Index LeafStore::RemoveLeaf(Index slot) {
  CORDON_CHECK_EQ(leaves_[slot].size, 0);
  --num_immature_;
  const auto last = static_cast<Index>(leaves_.size()) - 1;
  if (slot != last) {
    leaves_[slot] = leaves_[last];
    std::copy_n(MembersOf(last), leaves_[slot].size, MembersOf(slot));
    for (const Index member : members(slot)) tuples_[member].leaf = slot;
    for (std::size_t axis = 0; axis < num_axes(); ++axis) {
      lo_[axis * capacity_ + static_cast<std::size_t>(slot)] = lo(last, axis);
      hi_[axis * capacity_ + static_cast<std::size_t>(slot)] = hi(last, axis);
    }
    if (tree_ && leaves_[slot].size > 0) tree_->Rename(last, slot);
  }
  leaves_.pop_back();
  ChooseSearch();
  return slot == last ? kNone : last;
}

// A tree that comes and goes with the number of leaves; it changes no answer.
void LeafStore::ChooseSearch() {
  const bool want = search_ == Search::kTree || (search_ == Search::kAuto && leaves_.size() >= (tree_ ? kScanFrom : kTreeFrom));
  if (want == tree_.has_value()) return;
  if (!want) return tree_.reset();
  tree_.emplace(scales_);
  std::vector<double> low;
  std::vector<double> high;
  for (Index slot = 0; slot < static_cast<Index>(leaves_.size()); ++slot) {
    if (leaves_[slot].size == 0) continue;
    CopyBox(slot, low, high);
    tree_->Insert(slot, low, high);
  }
}

double LeafStore::PenaltyOf(std::span<const Index> tuples) const {
  double penalty = 0;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    double low = point(tuples[0])[axis];
    double high = low;
    for (const Index tuple : tuples) {
      low = std::min(low, point(tuple)[axis]);
      high = std::max(high, point(tuple)[axis]);
    }
    penalty += (high - low) * scales_[axis];
  }
  return penalty;
}

// The penalties of both halves: members in the order of `cut`, the first k of them and the others.
double LeafStore::SplitCost(std::span<const Cut> cut) const {
  const auto half = static_cast<std::size_t>(k_);
  double penalties[2] = {0, 0};
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    const double* at = split_points_.data() + axis * cut.size();
    for (const bool upper : {false, true}) {
      const std::span<const Cut> side = upper ? cut.subspan(half) : cut.first(half);
      double low = at[side[0].member];
      double high = low;
      for (const Cut& each : side) {
        const double x = at[each.member];
        low = x < low ? x : low;
        high = x > high ? x : high;
      }
      penalties[upper ? 1 : 0] += (high - low) * scales_[axis];
    }
  }
  return penalties[0] + penalties[1];
}

LeafStore::Index LeafStore::Split(Index slot) {
  CORDON_CHECK(full(slot));
  const auto half = static_cast<std::size_t>(k_);
  const std::span<const Index> whole = members(slot);
  const std::size_t size = whole.size();
  split_points_.resize(num_axes() * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t axis = 0; axis < num_axes(); ++axis) split_points_[axis * size + i] = point(whole[i])[axis];
  }
  cut_.resize(size);
  std::vector<Index> best;
  std::vector<Index> sorted(size);
  double least = std::numeric_limits<double>::infinity();
  // If the whole lacks values there is nothing to keep together.
  const auto fits = [&, mature = mature(slot)](std::span<const Index> cut) {
    return !mature || (Diverse(cut.first(half)) && Diverse(cut.subspan(half)));
  };
  // Positions are unique, so which k are the lower ones is settled; their order is not needed.
  const auto consider = [&](const double* at) {
    for (std::size_t i = 0; i < size; ++i) {
      cut_[i] = {at != nullptr ? at[i] : 0, tuples_[whole[i]].position, static_cast<Index>(i)};
    }
    std::nth_element(cut_.begin(), cut_.begin() + static_cast<std::ptrdiff_t>(half), cut_.end(),
                     [](const Cut& a, const Cut& b) { return a.at != b.at ? a.at < b.at : a.position < b.position; });
    const double cost = SplitCost(cut_);
    if (cost >= least) return;
    for (std::size_t i = 0; i < size; ++i) sorted[i] = whole[cut_[i].member];
    if (!fits(sorted)) return;
    least = cost;
    best = sorted;
  };
  bool by_position = false;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    const bool flat = hi(slot, axis) == lo(slot, axis);
    if (flat && std::exchange(by_position, true)) continue;  // all such axes give one cut
    consider(split_points_.data() + axis * size);
  }
  if (num_axes() == 0) consider(nullptr);
  if (best.empty()) return kNone;
  for (const Index member : best) tuples_[member].leaf = kNone;
  leaves_[slot].size = 0;
  Judge(slot);
  if (tree_) tree_->Remove(slot);
  leaves_[slot].id = next_id_++;
  const Index upper = NewLeaf();
  for (std::size_t i = 0; i < best.size(); ++i) Join(best[i], i < static_cast<std::size_t>(k_) ? slot : upper);
  return upper;
}

}  // namespace cordon::engine
