// SPDX-License-Identifier: Apache-2.0
//
// An index over the boxes of groups, for the two questions of a refinement: which group takes up a row most cheaply, and
// which groups lie near another. A binary tree with one group per leaf; an inner node knows a box around all groups below it,
// the least loss among them, and how wide they are at most along each attribute. Nodes follow the groups as they grow and
// shrink; only the shape grows old: build it again now and then.
#pragma once

#include <functional>
#include <vector>

#include "cordon/algorithms/grouping/boxed_groups.h"
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
  // Groups that lie together, of at most max_rows rows (or a single group): the upper part of the tree that Build would make.
  std::vector<std::vector<GroupId>> Parts(std::size_t max_rows);

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
  std::size_t ChooseCut(std::span<GroupId> groups);
  struct TreeCut {
    double score;
    std::int64_t threshold = 0;  // of lo + hi: groups below it are one side
  };
  void TryCuts(std::span<const GroupId> groups, std::size_t q, TreeCut& best);
  std::int64_t Key(GroupId g, std::size_t q) const { return static_cast<std::int64_t>(groups_.lo(g, q)) + groups_.hi(g, q); }
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
  double AroundBound(NodeId node, double weight, double enough) const;
  double NearBound(NodeId node) const;

  const RankSpace& space_;
  const BoxedGroups<double>& groups_;
  std::size_t d_;
  std::size_t min_rows_;
  std::size_t max_visits_;
  std::size_t num_buckets_;  // to cut between
  double own_share_;
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
  // For cuts along one attribute: groups by bins of their keys, bins by buckets.
  std::vector<std::uint32_t> in_bin_;
  std::vector<std::uint32_t> bucket_of_;
  std::vector<std::uint32_t> in_bucket_;
  std::vector<std::size_t> first_bin_;  // of a bucket
  std::vector<Side> buckets_;
  std::vector<Side> side_;
  std::vector<double> left_;
};

}  // namespace cordon::engine
