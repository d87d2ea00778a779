// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/box_tree.h"

#include <algorithm>
#include <limits>

namespace cordon::engine {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kTie = 1e-12;

// The sum of f(q) over all attributes; four sums side by side, as one would wait for each addition.
template <typename Function>
[[gnu::always_inline]] inline double Sum(std::size_t d, const Function& f) {
  double sums[4] = {0, 0, 0, 0};
  std::size_t q = 0;
  for (; q + 4 <= d; q += 4) {
    sums[0] += f(q);
    sums[1] += f(q + 1);
    sums[2] += f(q + 2);
    sums[3] += f(q + 3);
  }
  for (; q < d; ++q) sums[0] += f(q);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

BoxTree::BoxTree(const RankSpace& space, const BoxedGroups<double>& groups, std::size_t min_rows, std::size_t max_visits,
                 const PartitionTuning& tuning)
    : space_(space),
      groups_(groups),
      d_(space.num_quasi()),
      min_rows_(min_rows),
      max_visits_(max_visits),
      own_share_(tuning.own_share),
      cuts_(BoxCuts::Make(space, tuning)) {
  for (std::size_t q = 0; q < d_; ++q) axes_.push_back({space.span_table(q), static_cast<std::size_t>(space.num_ranks(q))});
  all_tables_ = std::all_of(axes_.begin(), axes_.end(), [](const Axis& axis) { return axis.table != nullptr; });
  point_.resize(d_);
  asked_.resize(d_);
}

void BoxTree::Resize(std::size_t num_nodes) {
  nodes_.resize(num_nodes);
  boxes_.resize(num_nodes * d_);
  shapes_.resize(num_nodes * d_);
}

BoxTree::NodeId BoxTree::AddPair(NodeId parent) {
  const auto first = static_cast<NodeId>(nodes_.size());
  Resize(nodes_.size() + 2);
  nodes_[first].parent = parent;
  nodes_[first + 1].parent = parent;
  return first;
}

void BoxTree::Build() {
  leaf_of_.assign(groups_.size(), kNone);
  std::vector<GroupId> alive;
  for (GroupId g = 0; g < groups_.size(); ++g) {
    if (groups_.alive(g)) alive.push_back(g);
  }
  nodes_.clear();
  nodes_.reserve(2 * alive.size());
  boxes_.reserve(2 * alive.size() * d_);
  shapes_.reserve(2 * alive.size() * d_);
  if (alive.empty()) return;
  cuts_->Resize(groups_.size());
  for (const GroupId g : alive) cuts_->Set(g, groups_.lows(g), groups_.highs(g));
  Resize(1);
  BuildNode(0, alive);
}

void BoxTree::BuildNode(NodeId node, std::span<GroupId> groups) {
  if (groups.size() == 1) {
    nodes_[node].group = groups[0];
    leaf_of_[groups[0]] = node;
    FitLeaf(node);
    return;
  }
  const std::size_t cut = cuts_->Cut(groups);
  const NodeId first = AddPair(node);
  nodes_[node].first = first;
  BuildNode(first, groups.first(cut));
  BuildNode(first + 1, groups.subspan(cut));
  FitInner(node);
}

void BoxTree::FitLeaf(NodeId node) {
  const GroupId g = nodes_[node].group;
  for (std::size_t q = 0; q < d_; ++q) {
    const Side side{groups_.lo(g, q), groups_.hi(g, q)};
    const float span = Span(q, side.lo, side.hi);
    boxes_[node * d_ + q] = side;
    shapes_[node * d_ + q] = {span, span};
  }
  nodes_[node].least_loss = groups_.loss(g);
}

// From its children; whether anything changed.
bool BoxTree::FitInner(NodeId node) {
  Node& at = nodes_[node];
  const double one = nodes_[at.first].least_loss;
  const double other = nodes_[at.first + 1].least_loss;
  const double least = std::min(one, other);
  bool changed = at.least_loss != least;
  at.least_loss = least;
  if (least == kInfinite) return changed;
  // A child whose groups are gone says what the other one says.
  const std::size_t left = (one == kInfinite ? at.first + 1 : at.first) * d_;
  const std::size_t right = (other == kInfinite ? at.first : at.first + 1) * d_;
  for (std::size_t q = 0; q < d_; ++q) {
    Side& box = boxes_[node * d_ + q];
    Shape& shape = shapes_[node * d_ + q];
    const Side side{std::min(boxes_[left + q].lo, boxes_[right + q].lo), std::max(boxes_[left + q].hi, boxes_[right + q].hi)};
    const float widest = std::max(shapes_[left + q].widest, shapes_[right + q].widest);
    if (side.lo == box.lo && side.hi == box.hi && widest == shape.widest) continue;
    box = side;
    shape = {widest, Span(q, side.lo, side.hi)};
    changed = true;
  }
  return changed;
}

void BoxTree::FitAbove(NodeId node) {
  for (NodeId at = nodes_[node].parent; at != kNone && FitInner(at);) at = nodes_[at].parent;
}

void BoxTree::Update(GroupId g) {
  FitLeaf(leaf_of_[g]);
  FitAbove(leaf_of_[g]);
}

void BoxTree::Insert(GroupId g, GroupId near) {
  leaf_of_.resize(std::max<std::size_t>(leaf_of_.size(), g + 1), kNone);
  const NodeId split = leaf_of_[near];
  const NodeId first = AddPair(split);
  nodes_[split].group = kNoGroup;
  nodes_[split].first = first;
  nodes_[first].group = near;
  nodes_[first + 1].group = g;
  leaf_of_[near] = first;
  leaf_of_[g] = first + 1;
  FitLeaf(first);
  FitLeaf(first + 1);
  FitInner(split);
  FitAbove(split);
}

void BoxTree::Erase(GroupId g) {
  nodes_[leaf_of_[g]].least_loss = kInfinite;
  FitAbove(leaf_of_[g]);
}

// Any group H below has cost s + |H| (s - loss(H)), s the loss of its box with the row. s is at least what lies between the
// row and the node's box. Along an attribute H grows at least as the node's box would, since intervals and hierarchy nodes
// grow less the larger they are; and at least by what lies between the row and the box less the width of the widest group.
// What is not below `enough` need not be known exactly.
template <bool kTables>
double BoxTree::InsertBound(NodeId node, double enough) const {
  const Side* const box = &boxes_[node * d_];
  const Point* const point = point_.data();
  const double least = nodes_[node].least_loss;
  const auto reach_of = [&](std::size_t q) __attribute__((always_inline)) {
    const Rank nearest = std::min(std::max(point[q].rank, box[q].lo), box[q].hi);
    if (kTables) return point[q].spans[nearest];
    return Span(q, std::min(point[q].rank, nearest), std::max(point[q].rank, nearest));
  };
  const double reach = Sum(d_, reach_of);
  if (reach == 0 || reach >= enough || least >= enough) return std::max(reach, least);
  const Shape* const shape = &shapes_[node * d_];
  const double growth = Sum(d_, [&](std::size_t q) __attribute__((always_inline)) {
    const Rank lo = std::min(point[q].rank, box[q].lo);
    const Rank hi = std::max(point[q].rank, box[q].hi);
    const float joined = kTables ? axes_[q].table[static_cast<std::size_t>(lo) * axes_[q].size + hi] : Span(q, lo, hi);
    return std::max(std::max(joined - shape[q].span, reach_of(q) - shape[q].widest), 0.0F);
  });
  return std::max(reach, least + growth) + static_cast<double>(min_rows_) * growth;
}

BoxTree::Found BoxTree::Cheapest(const Rank* row, double bound, GroupId except, const std::function<bool(GroupId)>* allowed,
                                 std::size_t max_visits) {
  return all_tables_ ? CheapestBy<true>(row, bound, except, allowed, max_visits)
                     : CheapestBy<false>(row, bound, except, allowed, max_visits);
}

template <bool kTables>
BoxTree::Found BoxTree::CheapestBy(const Rank* row, double bound, GroupId except, const std::function<bool(GroupId)>* allowed,
                                   std::size_t max_visits) {
  Found found{kNoGroup, bound};
  if (nodes_.empty()) return found;
  for (std::size_t q = 0; q < d_; ++q) {
    point_[q].rank = row[q];
    point_[q].spans = axes_[q].table == nullptr ? nullptr : axes_[q].table + static_cast<std::size_t>(row[q]) * axes_[q].size;
  }
  open_.clear();
  open_.emplace_back(nodes_[0].least_loss, 0);
  for (std::size_t visits = 0; !open_.empty();) {
    const auto [least, at] = open_.back();
    open_.pop_back();
    if (least >= found.cost) continue;
    if (++visits > max_visits) break;
    const Node& node = nodes_[at];
    if (node.first == kNone) {
      if (node.group == except || !groups_.alive(node.group)) continue;
      const double cost = groups_.InsertCost(node.group, row);
      if (cost < found.cost - kTie && (allowed == nullptr || (*allowed)(node.group))) found = {node.group, cost};
      continue;
    }
    const NodeId first = node.first;
    const double left = InsertBound<kTables>(first, found.cost);
    const double right = InsertBound<kTables>(first + 1, found.cost);
    const bool left_first = left <= right;
    const double far = left_first ? right : left;
    const double near = left_first ? left : right;
    if (far < found.cost) open_.emplace_back(far, left_first ? first + 1 : first);
    if (near < found.cost) open_.emplace_back(near, left_first ? first : first + 1);
  }
  return found;
}

// As InsertBound, for whatever lies in the box that is asked about: by its end next to the node's box.
template <bool kTables>
double BoxTree::AroundBound(NodeId node, double weight, double enough) const {
  const Side* const box = &boxes_[node * d_];
  const Side* const from = asked_.data();
  const double least = nodes_[node].least_loss;
  // If the boxes overlap both ends are the same.
  const auto near_end = [&](std::size_t q)
                            __attribute__((always_inline)) { return std::min(std::max(from[q].lo, box[q].lo), box[q].hi); };
  const auto far_end = [&](std::size_t q, Rank near)
                           __attribute__((always_inline)) { return std::min(std::max(near, from[q].lo), from[q].hi); };
  const auto between = [&](std::size_t q, Rank a, Rank b) __attribute__((always_inline)) {
    if (kTables) return axes_[q].table[static_cast<std::size_t>(a) * axes_[q].size + static_cast<std::size_t>(b)];
    return Span(q, std::min(a, b), std::max(a, b));
  };
  const double reach = Sum(d_, [&](std::size_t q) __attribute__((always_inline)) {
    const Rank near = near_end(q);
    return between(q, near, far_end(q, near));
  });
  if (reach == 0 || reach >= enough || least >= enough) return std::max(reach, least);
  const Shape* const shape = &shapes_[node * d_];
  const double growth = Sum(d_, [&](std::size_t q) __attribute__((always_inline)) {
    const Rank near = near_end(q);
    const Rank far = far_end(q, near);
    const float joined = between(q, std::min(far, box[q].lo), std::max(far, box[q].hi));
    return std::max(std::max(joined - shape[q].span, between(q, near, far) - shape[q].widest), 0.0F);
  });
  return std::max(reach, least + growth) + weight * growth;
}

bool BoxTree::Around(GroupId g, double weight, double bound, std::vector<Candidate>& found) {
  return all_tables_ ? AroundBy<true>(g, weight, bound, found) : AroundBy<false>(g, weight, bound, found);
}

template <bool kTables>
bool BoxTree::AroundBy(GroupId g, double weight, double bound, std::vector<Candidate>& found) {
  found.clear();
  if (nodes_.empty()) return true;
  for (std::size_t q = 0; q < d_; ++q) asked_[q] = {groups_.lo(g, q), groups_.hi(g, q)};
  open_.clear();
  open_.emplace_back(nodes_[0].least_loss, 0);
  for (std::size_t visits = 0; !open_.empty();) {
    if (++visits > max_visits_) return false;
    const auto [least, at] = open_.back();
    open_.pop_back();
    const Node& node = nodes_[at];
    if (node.first == kNone) {
      if (node.group != g && groups_.alive(node.group)) found.push_back({least, node.group});
      continue;
    }
    for (const NodeId child : {node.first + 1, node.first}) {
      const double at_least = AroundBound<kTables>(child, weight, bound);
      if (at_least < bound) open_.emplace_back(at_least, child);
    }
  }
  return true;
}

// Along an attribute the union of the group with one below is at least as wide as with the near end of the node's box, and as
// the other one: what remains of the less of these after its share is least if they are equal.
template <bool kTables>
double BoxTree::NearBound(NodeId node) const {
  const Side* const box = &boxes_[node * d_];
  const Shape* const shape = &shapes_[node * d_];
  const Side* const group = asked_.data();
  const double both = Sum(d_, [&](std::size_t q) __attribute__((always_inline)) {
    const Rank lo = std::min(group[q].lo, box[q].hi);
    const Rank hi = std::max(group[q].hi, box[q].lo);
    const double joined = kTables ? axes_[q].table[static_cast<std::size_t>(lo) * axes_[q].size + hi] : Span(q, lo, hi);
    return joined - own_share_ * std::min(joined, static_cast<double>(shape[q].widest));
  });
  return std::max(both, (1 - own_share_) * nodes_[node].least_loss);
}

void BoxTree::Nearest(GroupId g, std::size_t count, std::size_t max_visits, std::vector<GroupId>& near) {
  return all_tables_ ? NearestBy<true>(g, count, max_visits, near) : NearestBy<false>(g, count, max_visits, near);
}

template <bool kTables>
void BoxTree::NearestBy(GroupId g, std::size_t count, std::size_t max_visits, std::vector<GroupId>& near) {
  near.clear();
  if (nodes_.empty() || count == 0) return;
  for (std::size_t q = 0; q < d_; ++q) asked_[q] = {groups_.lo(g, q), groups_.hi(g, q)};
  const Side* const group = asked_.data();
  open_.clear();  // a heap, the nearest on top
  best_.clear();  // a heap, the farthest on top
  const auto push = [&](double bound, NodeId node) {
    if (nodes_[node].least_loss == kInfinite || (best_.size() >= count && bound >= best_.front().first)) return;
    open_.emplace_back(bound, node);
    std::push_heap(open_.begin(), open_.end(), std::greater<>());
  };
  push(0, 0);
  for (std::size_t visits = 0; !open_.empty() && visits < max_visits; ++visits) {
    const auto [least, at] = open_.front();
    std::pop_heap(open_.begin(), open_.end(), std::greater<>());
    open_.pop_back();
    if (best_.size() >= count && least >= best_.front().first) break;
    const Node& node = nodes_[at];
    if (node.first != kNone) {
      push(NearBound<kTables>(node.first), node.first);
      push(NearBound<kTables>(node.first + 1), node.first + 1);
      continue;
    }
    if (node.group == g || !groups_.alive(node.group)) continue;
    const Side* const box = &boxes_[at * d_];
    const double both = Sum(d_, [&](std::size_t q) __attribute__((always_inline)) {
      return Span(q, std::min(group[q].lo, box[q].lo), std::max(group[q].hi, box[q].hi));
    });
    best_.emplace_back(both - own_share_ * groups_.loss(node.group), node.group);
    std::push_heap(best_.begin(), best_.end());
    if (best_.size() > count) {
      std::pop_heap(best_.begin(), best_.end());
      best_.pop_back();
    }
  }
  std::sort(best_.begin(), best_.end());
  for (const auto& [distance, each] : best_) near.push_back(each);
}

void BoxTree::SetHomes(std::span<const std::uint32_t> homes) {
  homes_.resize(nodes_.size());
  for (std::size_t node = nodes_.size(); node-- > 0;) {  // children come after their parent
    const Node& at = nodes_[node];
    if (at.first == kNone) {
      homes_[node] = homes[at.group];
    } else {
      homes_[node] = homes_[at.first] == homes_[at.first + 1] ? homes_[at.first] : kNoHome;
    }
  }
}

bool BoxTree::ReachesOther(GroupId g, double weight, double bound) {
  const std::uint32_t home = homes_[leaf_of_[g]];
  for (std::size_t q = 0; q < d_; ++q) asked_[q] = {groups_.lo(g, q), groups_.hi(g, q)};
  open_.clear();
  open_.emplace_back(0, 0);
  for (std::size_t visits = 0; !open_.empty();) {
    if (++visits > max_visits_) return true;
    const NodeId at = open_.back().second;
    open_.pop_back();
    if (nodes_[at].first == kNone) return true;
    for (const NodeId child : {nodes_[at].first + 1, nodes_[at].first}) {
      if (homes_[child] == home) continue;
      const double at_least = all_tables_ ? AroundBound<true>(child, weight, bound) : AroundBound<false>(child, weight, bound);
      if (at_least < bound) open_.emplace_back(at_least, child);
    }
  }
  return false;
}

}  // namespace cordon::engine
