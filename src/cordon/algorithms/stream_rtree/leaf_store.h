// SPDX-License-Identifier: Apache-2.0
//
// The tuples that wait, in leaves: boxes of up to 2k tuples, no two of one person. Finds the leaf that a point lies
// nearest to, adds to it, halves a full one. A leaf is mature if it has k tuples and enough different sensitive values. Leaves
// stand in slots without gaps; boxes by axis and slot, so that a scan over all of them is a loop over arrays. With many leaves
// an R-tree over the boxes takes the place of the scan; both find the very same leaf.
//
// A coordinate is the distance from the axis' lower end (whole, below 2^53, so exact). The penalty of a box is the sum over
// the axes of width * scale, added in the order of the axes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/algorithms/stream_rtree/leaf_tree.h"
#include "cordon/base/hash_map.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

class LeafStore {
 public:
  using Index = std::int32_t;  // of a tuple or of a leaf's slot
  static constexpr Index kNone = -1;

  enum class Search { kAuto, kFlat, kTree };  // the same answers
  enum class Among { kAll, kMature };

  struct Waiting {
    Position position = 0;
    PersonId person = 0;
    Index leaf = kNone;
    std::int32_t holds = 0;  // how often it was held back
    Index older = kNone, newer = kNone;
    Index person_before = kNone, person_after = kNone;
  };
  struct Leaf {
    std::int64_t id = 0;
    double penalty = 0;
    std::int32_t size = 0;
    std::int32_t inside = 0;  // samples in the box when it was last looked at
    Position oldest = 0;      // of its tuples
    bool mature = false;
  };

  // `diversity`: different values that a mature leaf has of each sensitive attribute that counts.
  LeafStore(std::vector<double> scales, std::int64_t k, Search search, std::vector<std::int64_t> diversity = {});

  // Tuples.
  // In no leaf yet. `values`: of the sensitive attributes that count.
  Index Hold(Position position, PersonId person, const double* point, const std::int32_t* values = nullptr);
  void Drop(Index tuple);  // REQUIRES: in no leaf
  std::size_t num_held() const { return num_held_; }
  Index oldest() const { return oldest_; }
  const Waiting& tuple(Index tuple) const { return tuples_[tuple]; }
  const double* point(Index tuple) const { return points_.data() + static_cast<std::size_t>(tuple) * num_axes(); }
  std::span<const std::int32_t> values(Index tuple) const {
    return {values_.data() + static_cast<std::size_t>(tuple) * diversity_.size(), diversity_.size()};
  }
  // Whether these have enough different values; a missing one is none.
  bool Diverse(std::span<const Index> tuples) const;
  void CountHold(Index tuple) { ++tuples_[tuple].holds; }
  void SetHolds(Index tuple, std::int32_t holds) { tuples_[tuple].holds = holds; }

  // Leaves.
  std::size_t num_axes() const { return scales_.size(); }
  std::size_t num_leaves() const { return leaves_.size(); }
  const Leaf& leaf(Index slot) const { return leaves_[slot]; }
  bool mature(Index slot) const { return leaves_[slot].mature; }
  bool full(Index slot) const { return leaves_[slot].size >= 2 * k_; }
  std::span<const Index> members(Index slot) const { return {MembersOf(slot), static_cast<std::size_t>(leaves_[slot].size)}; }
  double lo(Index slot, std::size_t axis) const { return lo_[axis * capacity_ + static_cast<std::size_t>(slot)]; }
  double hi(Index slot, std::size_t axis) const { return hi_[axis * capacity_ + static_cast<std::size_t>(slot)]; }
  void CopyBox(Index slot, std::vector<double>& lo, std::vector<double>& hi) const;
  void SetInside(Index slot, std::int64_t inside) { leaves_[slot].inside = static_cast<std::int32_t>(inside); }
  std::size_t num_immature() const { return num_immature_; }
  std::int64_t next_id() const { return next_id_; }
  void SetNextId(std::int64_t id) { next_id_ = id; }

  Index NewLeaf() { return NewLeaf(next_id_++); }
  Index NewLeaf(std::int64_t id);
  void Join(Index tuple, Index slot);
  // Out of its leaf, whose box shrinks; an empty leaf stays until it is removed.
  void Leave(Index tuple);
  // REQUIRES: empty. The last leaf moves into the slot; which one that was is returned, or kNone.
  Index RemoveLeaf(Index slot);
  // All members at once, without looking at the box: before RemoveLeaf.
  void Vacate(Index slot);
  // Halves a full leaf into k and k, on the axis where the penalties of the halves add up to least: the lower half keeps the
  // slot, the upper one gets the slot returned. Both have new ids. kNone: the leaf is mature, and no axis leaves two halves
  // that are; it stays as it is.
  Index Split(Index slot);

  // The leaf with room and without this person that is nearest to the point: least distance, then penalty, size and id. kNone:
  // there is none.
  Index Nearest(Index tuple, Among among) const;
  // The leaf of the lowest id with room and without this person.
  Index FirstWithout(Index tuple) const;
  double PenaltyOf(std::span<const Index> tuples) const;
  const std::vector<double>& scales() const { return scales_; }
  bool has_tree() const { return tree_.has_value(); }

 private:
  const Index* MembersOf(Index slot) const { return members_.data() + static_cast<std::size_t>(slot) * room_; }
  Index* MembersOf(Index slot) { return members_.data() + static_cast<std::size_t>(slot) * room_; }
  void Grow();
  void Rebox(Index slot);
  void BoxChanged(Index slot);
  void Judge(Index slot);  // after its members changed
  void ChooseSearch();
  void Extend(Index slot, const double* point);
  // Stamps the leaves that hold a tuple of this person.
  void MarkLeavesOf(PersonId person) const;
  bool Eligible(Index slot, Among among) const {
    return marks_[slot] != mark_ && !full(slot) && (among == Among::kAll || mature(slot));
  }
  bool Better(Index slot, Index than) const;
  Index NearestByScan(const double* point, Among among) const;
  Index NearestByTree(const double* point, Among among) const;
  struct Cut {
    double at = 0;
    Position position = 0;
    Index member = 0;  // its place among the members of the leaf
  };
  double SplitCost(std::span<const Cut> cut) const;

  std::vector<double> scales_;
  std::int64_t k_;
  std::size_t room_;  // members of a leaf
  Search search_;
  std::vector<std::int64_t> diversity_;

  std::vector<Waiting> tuples_;
  std::vector<double> points_;
  std::vector<std::int32_t> values_;  // tuple x diversity_
  std::vector<Index> free_;
  std::size_t num_held_ = 0;
  Index oldest_ = kNone;
  Index newest_ = kNone;
  KeyCounts people_;  // 1 + the first of a person's tuples

  std::vector<Leaf> leaves_;
  std::vector<Index> members_;
  std::size_t capacity_ = 0;  // slots
  std::vector<double> lo_;    // axis x capacity
  std::vector<double> hi_;
  std::int64_t next_id_ = 1;
  std::size_t num_immature_ = 0;
  std::optional<LeafTree> tree_;

  mutable std::vector<std::uint64_t> marks_;  // by slot
  mutable std::uint64_t mark_ = 0;
  mutable std::vector<double> distances_;
  mutable std::vector<std::int32_t> seen_;  // scratch of Diverse
  // Scratch of Split: the points of the leaf by axis and member, and its members in the order of one axis.
  std::vector<double> split_points_;
  std::vector<Cut> cut_;
};

}  // namespace cordon::engine
