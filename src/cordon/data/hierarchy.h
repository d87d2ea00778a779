// SPDX-License-Identifier: Apache-2.0
//
// A generalization hierarchy: leaves are the values of an attribute, inner nodes what may be published in
// their place, the root stands for everything.
//
// Nodes are numbered in pre-order (root 0) and leaves from left to right, in the order of the source, so
// both are stable, a subtree is a run of nodes and a run of leaves, and the least common ancestor of a set
// of leaves is that of its first and last. Immutable; safe to share between threads.
//
// A label that repeats along one path (a one-child chain such as "Black;Black;*") is one node here; the
// levels of the source, which level-based algorithms and tree distances use, are kept next to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/codes.h"
#include "cordon/data/dictionary.h"

namespace cordon::engine {

using NodeId = std::int32_t;
inline constexpr NodeId kRoot = 0;

class Hierarchy {
 public:
  // paths[i] = leaf, level 1, ..., root: all of one length, all ending in the same label, one path per leaf.
  // Errors name the path's number, from 1 (a line of a hierarchy file).
  static Result<Hierarchy> FromPaths(std::span<const std::vector<std::string>> paths);
  // Every value directly under the root "*".
  static Result<Hierarchy> Flat(std::span<const std::string> values);

  // The same with one more leaf under the root, whose label becomes "*": the place of missing values.
  // A label that is a leaf already stays in its place; one that names an inner node is refused.
  Result<Hierarchy> WithLeaf(const std::string& label) const;
  // The same, and losses do not count the new leaf: a column without missing cells then costs what it would without the leaf.
  Result<Hierarchy> WithUncountedLeaf(const std::string& label) const;

  Code num_leaves() const { return static_cast<Code>(leaf_nodes_.size()); }
  // Leaves that losses count: all, or all but the uncounted one, which stands last and directly under the root.
  Code num_counted() const { return num_leaves() - uncounted_; }
  Code counted_under(NodeId node) const { return std::min(leaves_under(node), num_counted()); }
  NodeId num_nodes() const { return static_cast<NodeId>(nodes_.size()); }
  // Levels of the source: 0 is the leaf's own, height() the first at which all leaves are the root.
  int num_levels() const { return num_levels_; }
  int height() const { return nodes_[kRoot].height; }

  std::string_view label(NodeId node) const { return labels_[node].bytes(); }
  NodeId parent(NodeId node) const { return nodes_[node].parent; }  // -1 above the root
  int depth(NodeId node) const { return nodes_[node].depth; }
  // The lowest level of the source at which the node stands for all of its leaves: 0 for a leaf. A parent is higher.
  int height(NodeId node) const { return nodes_[node].height; }
  Code first_leaf(NodeId node) const { return nodes_[node].first_leaf; }
  Code last_leaf(NodeId node) const { return nodes_[node].last_leaf; }
  Code leaves_under(NodeId node) const { return last_leaf(node) - first_leaf(node) + 1; }
  bool is_leaf(NodeId node) const { return nodes_[node].height == 0; }
  std::vector<NodeId> children(NodeId node) const;

  NodeId leaf_node(Code leaf) const { return leaf_nodes_[leaf]; }
  NodeId node_at_level(Code leaf, int level) const { return at_level_[static_cast<std::size_t>(leaf) * num_levels_ + level]; }

  // Least common ancestor of the leaves first..last, in constant time. REQUIRES: first <= last.
  NodeId Lca(Code first, Code last) const;
  // (leaves - 1) / (all leaves - 1) by counted leaves; 0 in a hierarchy of one leaf.
  double Loss(NodeId node) const;

  std::optional<Code> FindLeaf(std::string_view label) const;
  // Also by the label that the root had before a leaf of missing cells came under it.
  std::optional<NodeId> FindNode(std::string_view label) const;

  // Of labels and shape: equal hierarchies, and only those, have equal digests.
  std::string Digest() const;

 private:
  struct Node {
    NodeId parent;
    int depth;
    int height;
    Code first_leaf;
    Code last_leaf;
  };

  Hierarchy() = default;
  void BuildLca();

  std::vector<Node> nodes_;
  Dictionary labels_;        // code = node id
  std::string root_before_;  // its label before WithLeaf, which calls it "*"
  std::vector<NodeId> leaf_nodes_;
  std::vector<NodeId> at_level_;  // num_leaves x num_levels
  int num_levels_ = 1;
  Code uncounted_ = 0;  // 0 or 1
  // between_[0][i] = LCA of leaves i and i + 1; between_[j][i] the shallowest of 2^j of them.
  std::vector<std::vector<NodeId>> between_;
};

}  // namespace cordon::engine
