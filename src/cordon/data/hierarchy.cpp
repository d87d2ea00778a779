// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/hierarchy.h"

#include <bit>
#include <unordered_map>

#include "cordon/base/digest.h"

namespace cordon::engine {
namespace {

using Path = std::vector<std::string>;

// The path without repeated neighbours, root first, each with the lowest level at which it stands.
struct Step {
  const std::string* label;
  int level;
};

std::vector<Step> StepsFromRoot(const Path& path) {
  std::vector<Step> steps;
  for (std::size_t level = path.size(); level-- > 0;) {
    if (!steps.empty() && *steps.back().label == path[level]) {
      steps.back().level = static_cast<int>(level);
    } else {
      steps.push_back({&path[level], static_cast<int>(level)});
    }
  }
  return steps;
}

struct Building {
  const std::string* label;
  int parent;
  int height;
  std::size_t first_line;
  std::vector<int> children;
};

Result<void> CheckShape(std::span<const Path> paths) {
  if (paths.empty())
    return Error::InvalidData("the hierarchy is empty").WithHint("write one line per leaf: leaf;level1;...;root");
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].size() < 2) {
      return Error::InvalidData("line {} has one label only", i + 1).WithHint("a line is leaf;level1;...;root");
    }
    if (paths[i].size() != paths[0].size()) {
      return Error::InvalidData("line {} has {} levels, line 1 has {}", i + 1, paths[i].size(), paths[0].size())
          .WithHint("repeat a label to fill a short path");
    }
    if (paths[i].back() != paths[0].back()) {
      return Error::InvalidData("line {} ends in another root than line 1", i + 1)
          .WithHint("add a last column that is * in every line");
    }
  }
  return {};
}

}  // namespace

Result<Hierarchy> Hierarchy::FromPaths(std::span<const Path> paths) {
  CORDON_RETURN_IF_ERROR(CheckShape(paths));
  // 1. The tree, children in order of first appearance. A label names one node.
  std::vector<Building> tree;
  std::unordered_map<std::string_view, int> by_label;
  std::vector<std::vector<int>> line_nodes(paths.size());  // root first
  for (std::size_t line = 0; line < paths.size(); ++line) {
    int parent = -1;
    for (const Step& step : StepsFromRoot(paths[line])) {
      const auto [found, is_new] = by_label.try_emplace(*step.label, static_cast<int>(tree.size()));
      const int node = found->second;
      if (is_new) {
        tree.push_back({step.label, parent, step.level, line, {}});
        if (parent >= 0) tree[parent].children.push_back(node);
      } else if (tree[node].parent != parent) {
        return Error::InvalidData("line {}: the label '{}' stands under another parent in line {}", line + 1, *step.label,
                                  tree[node].first_line + 1)
            .WithHint("a label must mean one set of leaves: rename one of the two");
      } else if (step.level == 0) {
        return Error::InvalidData("line {}: the leaf '{}' is in line {} already", line + 1, *step.label,
                                  tree[node].first_line + 1);
      } else if (tree[node].height == 0) {
        return Error::InvalidData("line {}: '{}' is a leaf in line {} and has a leaf below it here", line + 1, *step.label,
                                  tree[node].first_line + 1);
      }
      tree[node].height = std::max(tree[node].height, step.level);  // so heights rise strictly towards the root
      parent = node;
      line_nodes[line].push_back(node);
    }
  }
  // 2. Renumber in pre-order.
  Hierarchy made;
  made.num_levels_ = static_cast<int>(paths[0].size());
  std::vector<NodeId> number(tree.size());
  std::vector<int> stack = {0};
  while (!stack.empty()) {
    const int at = stack.back();
    stack.pop_back();
    const Building& node = tree[at];
    const NodeId id = made.num_nodes();
    number[at] = id;
    const NodeId parent = node.parent < 0 ? -1 : number[node.parent];
    const int depth = parent < 0 ? 0 : made.nodes_[parent].depth + 1;
    made.labels_.Intern(*node.label);
    made.nodes_.push_back({parent, depth, node.height, made.num_leaves(), made.num_leaves() - 1});
    if (node.children.empty()) made.leaf_nodes_.push_back(id);
    for (std::size_t i = node.children.size(); i-- > 0;) stack.push_back(node.children[i]);
  }
  for (NodeId id = made.num_nodes() - 1; id >= 0; --id) {
    Node& node = made.nodes_[id];
    if (node.height == 0) node.last_leaf = node.first_leaf;
    if (node.parent >= 0) {
      Node& parent = made.nodes_[node.parent];
      parent.last_leaf = std::max(parent.last_leaf, node.last_leaf);
    }
  }
  // 3. The node of each leaf at each level of the source.
  made.at_level_.resize(static_cast<std::size_t>(made.num_leaves()) * made.num_levels_);
  for (std::size_t line = 0; line < paths.size(); ++line) {
    const NodeId leaf_node = number[line_nodes[line].back()];
    const Code leaf = made.nodes_[leaf_node].first_leaf;
    for (int level = 0; level < made.num_levels_; ++level) {
      made.at_level_[static_cast<std::size_t>(leaf) * made.num_levels_ + level] = *made.FindNode(paths[line][level]);
    }
  }
  made.BuildLca();
  return made;
}

Result<Hierarchy> Hierarchy::Flat(std::span<const std::string> values) {
  std::vector<Path> paths;
  for (const std::string& value : values) paths.push_back({value, "*"});
  return FromPaths(paths);
}

Result<Hierarchy> Hierarchy::WithLeaf(const std::string& label) const {
  std::vector<Path> paths;
  for (Code leaf = 0; leaf < num_leaves(); ++leaf) {
    Path path;
    for (int level = 0; level < num_levels_; ++level) {
      const NodeId node = node_at_level(leaf, level);
      path.push_back(node == kRoot ? "*" : std::string(this->label(node)));
    }
    paths.push_back(std::move(path));
  }
  if (!FindLeaf(label)) {
    Path path(num_levels_, label);
    path.back() = "*";
    // The new leaf's chain takes no inner label away, and may sit below a root that stands on several levels.
    for (int level = height(); level < num_levels_; ++level) path[level] = "*";
    paths.push_back(std::move(path));
  }
  CORDON_TRY(Hierarchy made, FromPaths(paths));
  made.root_before_ = is_leaf(kRoot) || this->label(kRoot) == "*" ? root_before_ : std::string(this->label(kRoot));
  return made;
}

Result<Hierarchy> Hierarchy::WithUncountedLeaf(const std::string& label) const {
  CORDON_TRY(Hierarchy made, WithLeaf(label));
  made.uncounted_ = made.num_leaves() - num_leaves();
  return made;
}

std::vector<NodeId> Hierarchy::children(NodeId node) const {
  std::vector<NodeId> found;
  if (is_leaf(node)) return found;
  for (Code leaf = first_leaf(node); leaf <= last_leaf(node);) {
    NodeId child = leaf_node(leaf);
    while (parent(child) != node) child = parent(child);
    found.push_back(child);
    leaf = last_leaf(child) + 1;
  }
  return found;
}

void Hierarchy::BuildLca() {
  const Code gaps = num_leaves() - 1;
  std::vector<NodeId> level;
  for (Code leaf = 0; leaf < gaps; ++leaf) {
    NodeId node = leaf_nodes_[leaf];
    while (nodes_[node].last_leaf < leaf + 1) node = nodes_[node].parent;
    level.push_back(node);
  }
  between_.push_back(level);
  for (Code width = 1; 2 * width <= gaps; width *= 2) {
    const std::vector<NodeId>& last = between_.back();
    std::vector<NodeId> next;
    for (Code i = 0; i + 2 * width <= gaps; ++i) {
      next.push_back(nodes_[last[i]].depth <= nodes_[last[i + width]].depth ? last[i] : last[i + width]);
    }
    between_.push_back(std::move(next));
  }
}

NodeId Hierarchy::Lca(Code first, Code last) const {
  if (first == last) return leaf_nodes_[first];
  const int power = std::bit_width(static_cast<unsigned>(last - first)) - 1;
  const NodeId a = between_[power][first];
  const NodeId b = between_[power][last - (Code{1} << power)];
  return nodes_[a].depth <= nodes_[b].depth ? a : b;
}

double Hierarchy::Loss(NodeId node) const {
  if (num_counted() < 2) return 0;
  return static_cast<double>(counted_under(node) - 1) / static_cast<double>(num_counted() - 1);
}

std::optional<NodeId> Hierarchy::FindNode(std::string_view label) const {
  const auto node = labels_.Find(label);
  if (!node && !root_before_.empty() && label == root_before_) return kRoot;
  return node;
}

std::optional<Code> Hierarchy::FindLeaf(std::string_view label) const {
  const auto node = labels_.Find(label);
  if (!node || !is_leaf(*node)) return std::nullopt;
  return first_leaf(*node);
}

std::string Hierarchy::Digest() const {
  Sha256 hash;
  hash.Update(std::to_string(num_levels_) + "\n");
  for (NodeId id = 0; id < num_nodes(); ++id) {
    const Node& node = nodes_[id];
    hash.Update(fmt::format("{} {} {}:", node.parent, node.height, label(id).size()));
    hash.Update(label(id));
  }
  return ToHex(hash.Finish());
}

}  // namespace cordon::engine
