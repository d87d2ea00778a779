// SPDX-License-Identifier: Apache-2.0
//
// GroupRefinement: moves that take loss away from a partition and keep every group admitted, until no single move helps.
//
//   Relocate   a row goes to the group that takes it up most cheaply
//   Trim       a block of rows at one end of a box leaves, row by row, so that the box shrinks; or all of them (Dissolve)
//   Split      a group is divided again, with foresight
//   Swap       two rows of near groups change places, or one replaces another that goes to a third group
//   Resplit    a group and its nearest ones are put together and divided again
//
// If rows may be suppressed, leaving a row out is a place to go like any group, at a price: no box, no model, and only
// up to a limit. What is left out comes back when a group takes it up for less.
//
// Deterministic; every move lowers the total loss by more than a margin, so it ends.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "cordon/algorithms/grouping/boxed_groups.h"
#include "cordon/algorithms/partition/box_tree.h"
#include "cordon/algorithms/partition/partition_cuts.h"
#include "cordon/algorithms/partition/partition_tuning.h"
#include "cordon/base/quick_random.h"
#include "cordon/base/run.h"

namespace cordon::engine {

struct AnnealOptions {
  double looks_per_row = 0;    // boxes that are compared
  double temperature = 0;      // at the start, in `unit`,
  double end_temperature = 0;  // and at the end
  std::size_t orders = 0;      // of the rows, along which groups that lie together are met
  double unit = 0;             // what min_rows rows lose on average; 0: those of these groups
  double until = 1;            // the share of the time that may be used up in the end
};

class GroupRefinement {
 public:
  // `gate` belongs to the caller's thread. The rows of the groups are all in `places`.
  GroupRefinement(const RankSpace& space, GroupGate& gate, RowPlaces& places, RowSets groups, const RefineOptions& options,
                  const PartitionTuning& tuning = {});

  void Rounds(const Run& run);
  // Groups that lie together are grown again from random rows, at a temperature that falls: a step that costs more is made with
  // the chance of Metropolis. Every group is admitted after every step. What Rounds cannot leave any more, this can; it may end
  // with a larger total, so the caller keeps the best. REQUIRES: no row is left out.
  void Anneal(const AnnealOptions& options, QuickRandom& random, const Run& run);
  // All groups have been refined before: only those that change are looked at again.
  void SetRefined();
  // Groups of the same home have been refined among themselves: of these only groups that reach one of another home are looked
  // at. REQUIRES: the groups are those that were given.
  void LookAcross(std::span<const std::uint32_t> homes);
  // From here on: another price, and every group is looked at again.
  void SetPrice(double price);
  double total() const { return groups_.total() + options_.price * static_cast<double>(left_out_.size()); }
  std::span<const Place> left_out() const { return left_out_; }
  const BoxedGroups<double>& groups() const { return groups_; }
  BoxTree& tree() { return tree_; }
  // The groups that are left, with their rows in ascending order.
  RowSets Take() const;
  // Of these, in the same order: whether nothing has changed since it was refined.
  std::vector<bool> Settled() const;

 private:
  static constexpr GroupId kLeftOut = kNoGroup - 1;  // no group, but a place to go

  struct TrimCut {
    double per_row = 0;  // what the box loses less, per row that leaves
    double potential = 0;
    std::size_t attribute = 0;
    Rank lo = 0;  // rows within stay
    Rank hi = 0;
  };

  // The box around rows that come one by one.
  class GrowingBox {
   public:
    explicit GrowingBox(const RankSpace& space) : space_(space), lo_(space.num_quasi()), hi_(space.num_quasi()) {}
    void Clear() { empty_ = true; }
    void Add(Place row);
    double Loss() const;

   private:
    const RankSpace& space_;
    std::vector<Rank> lo_;
    std::vector<Rank> hi_;
    bool empty_ = true;
  };

  void BuildTree();
  void RefineGroup(GroupId g);
  void Relocate(GroupId g);
  void Trim(GroupId g);
  bool TrimOnce(GroupId g);
  void SortByRank(std::vector<Place>& rows, std::size_t q, Rank lo, Rank hi);
  void FindTrims(GroupId g, std::vector<TrimCut>& cuts);
  bool FailedBefore(GroupId g, const TrimCut& cut, std::size_t rows) const;
  void SortBlock(std::vector<Place>& rows) const;
  void CountKinds(std::span<const Place> rows);
  bool Equal(Place a, Place b) const;
  BoxTree::Found SearchNext(Place row, double bound, GroupId except, std::optional<Place> before);
  bool MoveBlock(GroupId g, std::span<const Place> rows, double potential);
  void Split(GroupId g);
  bool CannotDissolve(GroupId g);
  bool ReachesOther(GroupId g);
  bool Swap(GroupId g, std::span<const GroupId> near);
  bool SwapRow(GroupId g, Place row, std::span<const GroupId> near);
  void Resplit(GroupId g, std::span<const GroupId> near);
  bool ReplaceIfBetter(std::span<const GroupId> old);
  void TakeBack();
  bool MayLeaveOut() const { return left_out_.size() < options_.max_left_out; }
  BoxTree::Found Search(Place row, double bound, GroupId except);
  BoxTree::Found SearchAround(Place row, double bound);
  BoxTree::Found SearchGroups(Place row, double bound, GroupId except);
  void Move(Place row, GroupId to);
  void Enter(Place row, GroupId to);

  const RankSpace& space_;
  GroupGate& gate_;
  RefineOptions options_;
  PartitionTuning tuning_;
  BoxedGroups<double> groups_;
  BoxTree tree_;
  std::size_t groups_in_tree_ = 0;  // when it was built
  PartitionCuts top_down_;
  CutRows trimmed_;   // of the group that is trimmed,
  CutCounts counts_;  // and what its cuts hold
  RowPlaces& places_;
  std::vector<Place> left_out_;  // places_.at says where in it
  std::vector<Place> sorted_;
  std::vector<BoxTree::Candidate> around_;
  double around_bound_ = 0;  // what may take up a row of the group at hand for less is among them
  struct Kind {              // equal rows of a group
    Place row;
    double rows = 0;
    double least = 0;  // what each costs at least elsewhere
  };
  std::vector<Kind> kinds_;
  std::vector<std::pair<Rank, Rank>> without_;  // the box of a group without a row: least and greatest ranks
  std::size_t visits_;                          // nodes that a search for a row's group may see now
  GrowingBox box_;
  std::unordered_map<GroupId, std::vector<TrimCut>> failed_;  // large blocks that stayed
};

}  // namespace cordon::engine
