// SPDX-License-Identifier: Apache-2.0
//
// An index over the boxes of groups, for the two questions of a refinement: which group takes up a row most cheaply, and
// which groups lie near another. A binary tree with a group a leaf; an inner node knows a box around all groups below it
// and the least loss among them. Boxes are widened when groups grow and not tightened when they shrink: the answers stay
// right, the search grows slower; build it anew now and then.
#pragma once

#include <functional>
#include <vector>

#include "cordon/algorithms/refine_groups.h"

namespace cordon {

class BoxTree {
 public:
  // `min_rows`: the least rows of a group that rows may join. A search ends after `max_visits` nodes.
  BoxTree(const PartitionSpace& space, const RefineGroups& groups, std::size_t min_rows, std::size_t max_visits)
      : space_(space), groups_(groups), d_(space.num_quasi()), min_rows_(min_rows), max_visits_(max_visits) {}

  void Build();
  // The box of a group has grown, or its loss changed.
  void Update(GroupId g);
  // A new group, near an old one.
  void Insert(GroupId g, GroupId near);
  void Erase(GroupId g);

  struct Found {
    GroupId group = kNoGroup;
    double cost = 0;
  };
  // The group other than `except` with the least InsertCost below `bound` that `allowed` lets pass.
  Found Cheapest(const Rank* row, double bound, GroupId except, const std::function<bool(GroupId)>* allowed);
  // The `count` groups whose union with this one loses least more than it, the nearest first; of those seen in `max_visits`
  // nodes.
  void Nearest(GroupId g, std::size_t count, std::size_t max_visits, std::vector<GroupId>& near);
  // Groups by subtrees of at most max_rows rows (or a single group), from left to right.
  std::vector<std::vector<GroupId>> Parts(std::size_t max_rows) const;

 private:
  struct Node {
    std::int32_t left = -1;
    std::int32_t right = -1;
    std::int32_t parent = -1;
    GroupId group = kNoGroup;
    double least_loss = 0;
  };
  std::int32_t BuildNode(std::span<GroupId> groups, std::int32_t parent);
  std::int32_t NewNode(std::int32_t parent);
  std::size_t ChooseCut(std::span<GroupId> groups, const std::vector<Rank>& box);
  Rank* box(std::int32_t node) { return &boxes_[static_cast<std::size_t>(node) * 2 * d_]; }
  const Rank* box(std::int32_t node) const { return &boxes_[static_cast<std::size_t>(node) * 2 * d_]; }
  bool empty(std::int32_t node) const { return box(node)[d_] < 0; }
  double InsertBound(std::int32_t node, const Rank* row) const;
  double NearBound(std::int32_t node, GroupId g) const;

  const PartitionSpace& space_;
  const RefineGroups& groups_;
  std::size_t d_;
  std::size_t min_rows_;
  std::size_t max_visits_;
  std::vector<Node> nodes_;
  std::vector<Rank> boxes_;            // per node: lows, then highs
  std::vector<std::int32_t> leaf_of_;  // by group
  std::vector<std::pair<double, std::int32_t>> stack_;
};

}  // namespace cordon
