// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/box_tree.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

namespace cordon {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kTie = 1e-12;

void Widen(Rank* box, const Rank* lows, const Rank* highs, std::size_t d) {
  for (std::size_t q = 0; q < d; ++q) {
    box[q] = std::min(box[q], lows[q]);
    box[d + q] = std::max(box[d + q], highs[q]);
  }
}

}  // namespace

std::int32_t BoxTree::NewNode(std::int32_t parent) {
  const auto node = static_cast<std::int32_t>(nodes_.size());
  nodes_.emplace_back();
  nodes_.back().parent = parent;
  nodes_.back().least_loss = kInfinite;
  boxes_.insert(boxes_.end(), d_, std::numeric_limits<Rank>::max());
  boxes_.insert(boxes_.end(), d_, -1);
  return node;
}

void BoxTree::Build() {
  nodes_.clear();
  boxes_.clear();
  leaf_of_.assign(groups_.size(), -1);
  std::vector<GroupId> alive;
  for (GroupId g = 0; g < groups_.size(); ++g) {
    if (groups_.alive(g)) alive.push_back(g);
  }
  nodes_.reserve(2 * alive.size());
  boxes_.reserve(4 * alive.size() * d_);
  if (!alive.empty()) BuildNode(alive, -1);
}

std::int32_t BoxTree::BuildNode(std::span<GroupId> groups, std::int32_t parent) {
  const std::int32_t node = NewNode(parent);
  for (const GroupId g : groups) {
    Widen(box(node), groups_.lows(g), groups_.highs(g), d_);
    nodes_[static_cast<std::size_t>(node)].least_loss =
        std::min(nodes_[static_cast<std::size_t>(node)].least_loss, groups_.loss(g));
  }
  if (groups.size() == 1) {
    nodes_[static_cast<std::size_t>(node)].group = groups[0];
    leaf_of_[groups[0]] = node;
    return node;
  }
  const std::vector<Rank> whole(box(node), box(node) + 2 * d_);
  const std::size_t cut = ChooseCut(groups, whole);
  const std::int32_t left = BuildNode(groups.first(cut), node);
  const std::int32_t right = BuildNode(groups.subspan(cut), node);
  nodes_[static_cast<std::size_t>(node)].left = left;
  nodes_[static_cast<std::size_t>(node)].right = right;
  return node;
}

// Near the median of lo + hi along the attribute that leaves the least loss on both sides; groups are put in that order.
std::size_t BoxTree::ChooseCut(std::span<GroupId> groups, const std::vector<Rank>& whole) {
  const std::size_t size = groups.size();
  std::vector<std::pair<std::int64_t, GroupId>> order(size);
  std::vector<std::pair<std::int64_t, GroupId>> best_order;
  std::size_t best_cut = size / 2;
  double best = kInfinite;
  std::vector<Rank> side(2 * d_);
  const auto loss_of = [&](std::size_t begin, std::size_t end) {
    std::fill(side.begin(), side.begin() + static_cast<std::ptrdiff_t>(d_), std::numeric_limits<Rank>::max());
    std::fill(side.begin() + static_cast<std::ptrdiff_t>(d_), side.end(), -1);
    for (std::size_t i = begin; i < end; ++i)
      Widen(side.data(), groups_.lows(order[i].second), groups_.highs(order[i].second), d_);
    double sum = 0;
    for (std::size_t q = 0; q < d_; ++q) sum += space_.Span(q, side[q], side[d_ + q]);
    return sum * static_cast<double>(end - begin);
  };
  for (std::size_t q = 0; q < d_; ++q) {
    if (whole[q] == whole[d_ + q]) continue;
    for (std::size_t i = 0; i < size; ++i) {
      order[i] = {static_cast<std::int64_t>(groups_.lo(groups[i], q)) + groups_.hi(groups[i], q), groups[i]};
    }
    std::sort(order.begin(), order.end());
    const std::size_t half = size / 2;
    std::size_t up = half;
    while (up < size && order[up].first == order[up - 1].first) ++up;
    std::size_t down = half;
    while (down > 0 && order[down].first == order[down - 1].first) --down;
    std::size_t cut = half;
    if (up < size && (up - half <= half - down || down == 0)) {
      cut = up;
    } else if (down > 0) {
      cut = down;
    }
    const double score = loss_of(0, cut) + loss_of(cut, size);
    if (score < best - kTie) {
      best = score;
      best_cut = cut;
      best_order = order;
    }
  }
  for (std::size_t i = 0; i < best_order.size(); ++i) groups[i] = best_order[i].second;
  return best_cut;
}

void BoxTree::Update(GroupId g) {
  const Rank* const lows = groups_.lows(g);
  const Rank* const highs = groups_.highs(g);
  for (std::int32_t node = leaf_of_[g]; node >= 0; node = nodes_[static_cast<std::size_t>(node)].parent) {
    bool changed = false;
    Rank* const at = box(node);
    for (std::size_t q = 0; q < d_; ++q) {
      changed |= lows[q] < at[q] || highs[q] > at[d_ + q];
      at[q] = std::min(at[q], lows[q]);
      at[d_ + q] = std::max(at[d_ + q], highs[q]);
    }
    double& least = nodes_[static_cast<std::size_t>(node)].least_loss;
    if (groups_.loss(g) < least) {
      least = groups_.loss(g);
      changed = true;
    }
    if (!changed) return;
  }
}

void BoxTree::Insert(GroupId g, GroupId near) {
  leaf_of_.resize(std::max<std::size_t>(leaf_of_.size(), g + 1), -1);
  const std::int32_t split = leaf_of_[near];
  const std::int32_t old_leaf = NewNode(split);
  std::copy_n(box(split), 2 * d_, box(old_leaf));
  nodes_[static_cast<std::size_t>(old_leaf)].least_loss = nodes_[static_cast<std::size_t>(split)].least_loss;
  nodes_[static_cast<std::size_t>(old_leaf)].group = near;
  leaf_of_[near] = old_leaf;
  const std::int32_t new_leaf = NewNode(split);
  nodes_[static_cast<std::size_t>(new_leaf)].group = g;
  leaf_of_[g] = new_leaf;
  Node& inner = nodes_[static_cast<std::size_t>(split)];
  inner.group = kNoGroup;
  inner.left = old_leaf;
  inner.right = new_leaf;
  Update(g);
}

void BoxTree::Erase(GroupId g) {
  Rank* const at = box(leaf_of_[g]);
  std::fill(at, at + d_, std::numeric_limits<Rank>::max());
  std::fill(at + d_, at + 2 * d_, -1);
  nodes_[static_cast<std::size_t>(leaf_of_[g])].least_loss = kInfinite;
}

// Any group H below has cost s + |H| (s - loss(H)), s the loss of its box with the row. s is at least what lies between the
// row and the node's box, and s - loss(H) at least what the row adds to the node's box: intervals and hierarchy nodes
// grow less the larger they are.
double BoxTree::InsertBound(std::int32_t node, const Rank* row) const {
  const Rank* const at = box(node);
  double reach = 0;
  double growth = 0;
  for (std::size_t q = 0; q < d_; ++q) {
    const Rank rank = row[q];
    const Rank lo = at[q];
    const Rank hi = at[d_ + q];
    if (rank < lo) {
      reach += space_.Span(q, rank, lo);
      growth += space_.Span(q, rank, hi) - space_.Span(q, lo, hi);
    } else if (rank > hi) {
      reach += space_.Span(q, hi, rank);
      growth += space_.Span(q, lo, rank) - space_.Span(q, lo, hi);
    }
  }
  return std::max(reach, nodes_[static_cast<std::size_t>(node)].least_loss + growth) + static_cast<double>(min_rows_) * growth;
}

BoxTree::Found BoxTree::Cheapest(const Rank* row, double bound, GroupId except, const std::function<bool(GroupId)>* allowed) {
  Found found{kNoGroup, bound};
  if (nodes_.empty()) return found;
  stack_.clear();
  stack_.emplace_back(InsertBound(0, row), 0);
  for (std::size_t visits = 0; !stack_.empty();) {
    const auto [least, at] = stack_.back();
    stack_.pop_back();
    if (least >= found.cost) continue;
    if (++visits > max_visits_) break;
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    if (node.group != kNoGroup) {
      if (node.group == except || !groups_.alive(node.group)) continue;
      const double cost = groups_.InsertCost(node.group, row);
      if (cost < found.cost - kTie && (allowed == nullptr || (*allowed)(node.group))) found = {node.group, cost};
      continue;
    }
    const double left = empty(node.left) ? kInfinite : InsertBound(node.left, row);
    const double right = empty(node.right) ? kInfinite : InsertBound(node.right, row);
    const bool left_first = left <= right;
    const double far = left_first ? right : left;
    const double near = left_first ? left : right;
    if (far < found.cost) stack_.emplace_back(far, left_first ? node.right : node.left);
    if (near < found.cost) stack_.emplace_back(near, left_first ? node.left : node.right);
  }
  return found;
}

double BoxTree::NearBound(std::int32_t node, GroupId g) const {
  const Rank* const at = box(node);
  double growth = 0;
  for (std::size_t q = 0; q < d_; ++q) {
    const Rank lo = groups_.lo(g, q);
    const Rank hi = groups_.hi(g, q);
    if (hi < at[q]) {
      growth += space_.Span(q, lo, at[q]) - space_.Span(q, lo, hi);
    } else if (lo > at[d_ + q]) {
      growth += space_.Span(q, at[d_ + q], hi) - space_.Span(q, lo, hi);
    }
  }
  return growth;
}

void BoxTree::Nearest(GroupId g, std::size_t count, std::size_t max_visits, std::vector<GroupId>& near) {
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::priority_queue<std::pair<double, GroupId>> best;  // the farthest on top
  if (!nodes_.empty()) open.emplace(0, 0);
  for (std::size_t visits = 0; !open.empty() && visits < max_visits; ++visits) {
    const auto [least, at] = open.top();
    open.pop();
    if (best.size() >= count && least >= best.top().first) break;
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    if (node.group != kNoGroup) {
      if (node.group == g || !groups_.alive(node.group)) continue;
      double both = 0;
      for (std::size_t q = 0; q < d_; ++q) {
        both += space_.Span(q, std::min(groups_.lo(g, q), groups_.lo(node.group, q)),
                            std::max(groups_.hi(g, q), groups_.hi(node.group, q)));
      }
      best.emplace(both - groups_.loss(g), node.group);
      if (best.size() > count) best.pop();
      continue;
    }
    if (!empty(node.left)) open.emplace(NearBound(node.left, g), node.left);
    if (!empty(node.right)) open.emplace(NearBound(node.right, g), node.right);
  }
  near.resize(best.size());
  for (std::size_t i = near.size(); i-- > 0; best.pop()) near[i] = best.top().second;
}

std::vector<std::vector<GroupId>> BoxTree::Parts(std::size_t max_rows) const {
  std::vector<std::size_t> rows(nodes_.size());
  for (std::size_t node = nodes_.size(); node-- > 0;) {
    const Node& at = nodes_[node];
    rows[node] = at.group != kNoGroup ? groups_.rows(at.group).size()
                                      : rows[static_cast<std::size_t>(at.left)] + rows[static_cast<std::size_t>(at.right)];
  }
  std::vector<std::vector<GroupId>> parts;
  std::vector<std::pair<std::int32_t, bool>> open;  // whether the subtree lies in the last part
  if (!nodes_.empty()) open.emplace_back(0, false);
  while (!open.empty()) {
    const auto [at, inside] = open.back();
    open.pop_back();
    const Node& node = nodes_[static_cast<std::size_t>(at)];
    const bool starts = !inside && (rows[static_cast<std::size_t>(at)] <= max_rows || node.group != kNoGroup);
    if (starts) parts.emplace_back();
    if (node.group != kNoGroup) {
      parts.back().push_back(node.group);
      continue;
    }
    open.emplace_back(node.right, inside || starts);
    open.emplace_back(node.left, inside || starts);
  }
  return parts;
}

}  // namespace cordon
