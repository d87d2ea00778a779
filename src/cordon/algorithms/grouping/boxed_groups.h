// SPDX-License-Identifier: Apache-2.0
//
// Groups of rows that rows can join and leave: what partition and the closeness search move rows about in. Each group keeps,
// per attribute, its two least and two greatest ranks (equal if two rows share the end), so that the loss without a row,
// with one more, or with one for another, is known in O(attributes) and without looking at its rows. The loss of a group is
// the sum of the spans of its box; its total is that times its rows.
//
// What the model asks travels with the rows: admission is exact, whatever steered the search here.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"

namespace cordon::engine {

using GroupId = std::uint32_t;
inline constexpr GroupId kNoGroup = ~GroupId{0};

// Where each row of the view is; shared by the parts of a table that are refined side by side.
struct RowPlaces {
  explicit RowPlaces(std::size_t num_rows) : group(num_rows, kNoGroup), at(num_rows, 0) {}
  std::vector<GroupId> group;
  std::vector<std::uint32_t> at;  // place within the group
};

// Loss: double or float, of which sums of spans are made.
template <typename Loss>
class BoxedGroups {
 public:
  // All of them outlive the groups. `gate` belongs to the caller's thread.
  BoxedGroups(const RankSpace& space, GroupGate& gate, RowPlaces& places)
      : space_(space), gate_(gate), places_(places), d_(space.num_quasi()), first_rank_(d_ + 1, 0) {
    for (std::size_t q = 0; q < d_; ++q) first_rank_[q + 1] = first_rank_[q] + static_cast<std::size_t>(space.num_ranks(q));
  }

  std::size_t size() const { return groups_.size(); }
  bool alive(GroupId g) const { return !groups_[g].rows.empty(); }
  std::span<const Place> rows(GroupId g) const { return groups_[g].rows; }
  Loss loss(GroupId g) const { return groups_[g].loss; }  // of its box
  double total(GroupId g) const { return static_cast<double>(groups_[g].loss) * static_cast<double>(groups_[g].rows.size()); }
  double total() const;
  bool dirty(GroupId g) const { return groups_[g].dirty; }  // changed since it was last refined
  void set_dirty(GroupId g, bool dirty) { groups_[g].dirty = dirty; }
  GroupId group_of(Place row) const { return places_.group[row]; }
  const Rank* ranks(Place row) const { return space_.row(row); }
  Rank lo(GroupId g, std::size_t q) const { return ends_[g * 4 * d_ + q]; }
  Rank hi(GroupId g, std::size_t q) const { return ends_[g * 4 * d_ + 2 * d_ + q]; }
  const Rank* lows(GroupId g) const { return &ends_[g * 4 * d_]; }
  const Rank* highs(GroupId g) const { return &ends_[g * 4 * d_ + 2 * d_]; }

  GroupId Add(std::vector<Place> rows);
  void Replace(GroupId g, std::vector<Place> rows);  // none: the group is gone
  // REQUIRES: the row is in no group.
  void Insert(GroupId g, Place row);
  void Remove(Place row);
  // Two rows of different groups change places.
  void Swap(Place a, Place b);

  // Of the box, exact. REQUIRES: `out` is in the group, `in` is not.
  Loss LossWith(GroupId g, const Rank* in) const;
  Loss LossWithout(GroupId g, Place out) const;
  Loss LossSwapped(GroupId g, Place out, Place in) const;
  // No more than LossSwapped(g, out, in) for any `out`: the box with the row, and without any one row on each side.
  Loss LeastLossSwapped(GroupId g, Place in) const;
  Loss LossMerged(GroupId a, GroupId b) const;

  double InsertCost(GroupId g, const Rank* row) const {  // growth of the total
    const double with = LossWith(g, row);
    return with + static_cast<double>(groups_[g].rows.size()) * (with - groups_[g].loss);
  }
  double RemoveGain(GroupId g, Place row) const {
    const auto rows = static_cast<double>(groups_[g].rows.size());
    return rows * groups_[g].loss - (rows - 1) * LossWithout(g, row);
  }

  // Whether every model allows it. REQUIRES: it is admitted as it is.
  bool CanRemove(GroupId g, Place row);
  bool CanInsert(GroupId g, Place row);
  bool CanSwap(GroupId g, Place out, Place in);
  // Whether every model admits the group as it is.
  bool Admitted(GroupId g) const;

 private:
  static constexpr std::int64_t kUnknown = -1;
  struct Group {
    std::vector<Place> rows;
    Loss loss = 0;
    bool dirty = true;
    std::unique_ptr<GroupCounts> counts;  // if the gate says so
    std::int64_t room = kUnknown;         // what the model says of the counts
    std::vector<std::uint32_t> of_bit;    // rows per bit of the gate's masks; only of large groups
    std::vector<std::uint32_t> of_rank;   // rows per rank, attribute after attribute; only of large groups that rows leave
  };
  bool HasRoom(Group& group, std::int64_t rows) const;
  void Rescan(GroupId g, std::size_t q);
  void CountRanks(Group& group) const;
  void CountBits(Group& group, Place row, bool more) const;
  bool AdmittedWithout(Group& group, Place row) const;
  void MoveEnds(GroupId g, std::size_t q);
  void Settle(GroupId g);
  Loss BoxLoss(GroupId g) const;
  // The sum of the spans from lo(q) to hi(q).
  template <typename Lo, typename Hi>
  Loss Sum(const Lo& lo, const Hi& hi) const {
    Loss sum = 0;
    for (std::size_t q = 0; q < d_; ++q) sum += space_.Span(q, lo(q), hi(q));
    return sum;
  }

  const RankSpace& space_;
  GroupGate& gate_;
  RowPlaces& places_;
  std::size_t d_;
  std::vector<std::size_t> first_rank_;  // of an attribute, in of_rank
  std::vector<Group> groups_;
  std::vector<Rank> ends_;  // per group: least, second least, greatest, second greatest ranks, each per attribute
};

}  // namespace cordon::engine
