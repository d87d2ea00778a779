// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/buckets/sabre_tree.h"

#include <algorithm>

#include "cordon/base/check.h"

namespace cordon::engine {

std::size_t SabreTree::AddLeaf(Code code, std::int64_t rows) {
  nodes_.push_back({.height = 0, .rows = rows, .rarest = rows, .first = code, .last = code, .children = {}});
  return nodes_.size() - 1;
}

std::size_t SabreTree::AddInner(std::int64_t height, std::vector<std::size_t> children) {
  if (children.size() == 1) return children[0];
  Node node;
  node.height = height;
  node.first = nodes_[children.front()].first;
  node.last = nodes_[children.back()].last;
  node.rarest = nodes_[children.front()].rarest;
  for (const std::size_t child : children) {
    node.rows += nodes_[child].rows;
    node.rarest = std::min(node.rarest, nodes_[child].rarest);
  }
  node.thesis = static_cast<Int128>(height) * (node.rows - node.rarest);
  // With all rows at one value, those of the same child move inside that child, all others by this node's height.
  for (const std::size_t child : children) {
    node.tight = std::max(node.tight, nodes_[child].tight + static_cast<Int128>(height) * (node.rows - nodes_[child].rows));
  }
  node.children = std::move(children);
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

SabreTree SabreTree::Of(const Hierarchy& hierarchy, std::span<const std::int64_t> counts) {
  SabreTree tree;
  std::vector<std::vector<std::size_t>> children(static_cast<std::size_t>(hierarchy.num_nodes()));
  for (NodeId node = hierarchy.num_nodes() - 1; node >= 0; --node) {  // children have larger numbers than parents
    std::size_t made = 0;
    if (hierarchy.is_leaf(node)) {
      const Code leaf = hierarchy.first_leaf(node);
      if (counts[leaf] == 0) continue;
      made = tree.AddLeaf(leaf, counts[leaf]);
    } else {
      if (children[node].empty()) continue;
      std::reverse(children[node].begin(), children[node].end());
      made = tree.AddInner(hierarchy.height(node), std::move(children[node]));
    }
    if (node == kRoot) {
      tree.root_ = made;
    } else {
      children[hierarchy.parent(node)].push_back(made);
    }
  }
  CORDON_CHECK(!tree.nodes_.empty());
  return tree;
}

SabreTree SabreTree::Flat(std::span<const std::int64_t> counts) {
  SabreTree tree;
  std::vector<std::size_t> leaves;
  for (std::size_t code = 0; code < counts.size(); ++code) {
    if (counts[code] > 0) leaves.push_back(tree.AddLeaf(static_cast<Code>(code), counts[code]));
  }
  CORDON_CHECK(!leaves.empty());
  tree.root_ = tree.AddInner(1, std::move(leaves));
  return tree;
}

}  // namespace cordon::engine
