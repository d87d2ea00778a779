// SPDX-License-Identifier: Apache-2.0
//
// An index over the boxes of groups, for the two questions of a refinement: which group takes up a row most cheaply, and
// which groups lie near another. A binary tree with one group per leaf; an inner node knows a box around all groups below it,
// the least loss among them, and how wide they are at most along each attribute. Nodes follow the groups as they grow and
// shrink; only the shape grows old: build it again now and then.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/boxed_groups.h"
#include "cordon/algorithms/partition/box_cuts.h"
#include "cordon/algorithms/partition/partition_tuning.h"

namespace cordon::engine {

class BoxTree {
 public:
  // `min_rows`: the least rows of a group that rows may join. A search ends after `max_visits` nodes.
  BoxTree(const RankSpace& space, const BoxedGroups<double>& groups, std::size_t min_rows, std::size_t max_visits,
          const PartitionTuning& tuning = {});

  void Build();
  // The box of a group has changed, or its loss.
  void Update(GroupId g);
  // A new group, near an old one.
  void Insert(GroupId g, GroupId near);
  void Erase(GroupId g);

  struct Found {
    GroupId group = kNoGroup;
    double cost = 0;
  };
  // The group other than `except` with the least InsertCost below `bound` that `allowed` lets pass, of those seen in
  // `max_visits` nodes.
  Found Cheapest(const Rank* row, double bound, GroupId except, const std::function<bool(GroupId)>* allowed,
                 std::size_t max_visits);
  // Groups that might take up some row of the given one, box by box: all groups but itself for which s + weight * growth may
  // be below `bound`, s being the loss of a group's box with the row and growth what it has more for it. False if not all
  // could be seen in `max_visits` nodes.
  struct Candidate {
    double bound = 0;  // s + weight * growth is not less
    GroupId group = kNoGroup;
  };
  bool Around(GroupId g, double weight, double bound, std::vector<Candidate>& found);
  // The `count` groups with the least loss of the union with this one less a share of their own loss, the nearest first; of
  // those seen in `max_visits` nodes. Without the share, small groups within a large one, of which nothing can be won, would
  // all be nearer than those next to it.
  void Nearest(GroupId g, std::size_t count, std::size_t max_visits, std::vector<GroupId>& near);
  // Groups of the same home have been refined among themselves. kNoHome: with none. Holds until the tree changes.
  static constexpr std::uint32_t kNoHome = ~std::uint32_t{0};
  void SetHomes(std::span<const std::uint32_t> homes);
  // Whether Around finds a group of another home, or cannot tell. REQUIRES: the group has a home.
  bool ReachesOther(GroupId g, double weight, double bound);

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId kNone = ~NodeId{0};

  struct Node {
    NodeId first = kNone;  // child; the second follows it
    NodeId parent = kNone;
    GroupId group = kNoGroup;  // of a leaf
    double least_loss = 0;     // infinite if all groups below are gone
  };
  struct Side {
    Rank lo;
    Rank hi;
  };
  struct Shape {
    float widest;  // span of a group below
    float span;    // of the box around all
  };
  struct Axis {
    const float* table;  // null: ask the space
    std::size_t size;
  };
  // A row whose group is looked for, by attribute: its rank, and the spans from there.
  struct Point {
    const float* spans;  // null: ask the space
    Rank rank;
  };

  void BuildNode(NodeId node, std::span<GroupId> groups);
  NodeId AddPair(NodeId parent);
  void Resize(std::size_t num_nodes);
  void FitLeaf(NodeId node);
  bool FitInner(NodeId node);
  void FitAbove(NodeId node);
  float Span(std::size_t q, Rank lo, Rank hi) const {
    return axes_[q].table != nullptr ? axes_[q].table[static_cast<std::size_t>(lo) * axes_[q].size + hi]
                                     : space_.Span(q, lo, hi);
  }
  template <bool kTables>
  Found CheapestBy(const Rank* row, double bound, GroupId except, const std::function<bool(GroupId)>* allowed,
                   std::size_t max_visits);
  template <bool kTables>
  double InsertBound(NodeId node, double enough) const;
  template <bool kTables>
  bool AroundBy(GroupId g, double weight, double bound, std::vector<Candidate>& found);
  template <bool kTables>
  double AroundBound(NodeId node, double weight, double enough) const;
  template <bool kTables>
  void NearestBy(GroupId g, std::size_t count, std::size_t max_visits, std::vector<GroupId>& near);
  template <bool kTables>
  double NearBound(NodeId node) const;

  const RankSpace& space_;
  const BoxedGroups<double>& groups_;
  std::size_t d_;
  std::size_t min_rows_;
  std::size_t max_visits_;
  double own_share_;
  std::unique_ptr<BoxCuts> cuts_;
  std::vector<Axis> axes_;
  bool all_tables_ = false;
  std::vector<Node> nodes_;
  std::vector<Side> boxes_;      // per node and attribute: around all groups below
  std::vector<Shape> shapes_;    // likewise
  std::vector<NodeId> leaf_of_;  // by group
  std::vector<Point> point_;
  std::vector<Side> asked_;  // the box of a group that is asked about
  std::vector<std::pair<double, NodeId>> open_;
  std::vector<std::pair<double, GroupId>> best_;
  std::vector<std::uint32_t> homes_;  // by node: of all groups below, if it is one
};

}  // namespace cordon::engine
