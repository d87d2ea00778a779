// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/emd_to_reference.h"

#include <algorithm>

namespace cordon::engine {

EmdToReference::EmdToReference(EarthMover mover, std::vector<std::int64_t> whole, std::int64_t whole_rows)
    : mover_(std::move(mover)), whole_(std::move(whole)), whole_rows_(whole_rows), area_{0} {
  std::int64_t sum = 0;
  for (const std::int64_t count : whole_) {
    up_to_.push_back(sum += count);
    area_.push_back(area_.back() + sum);
  }
  while (static_cast<std::size_t>(sum >> shift_) > 2 * whole_.size()) ++shift_;
  for (std::size_t value = 0; value < whole_.size(); ++value) {
    while (static_cast<std::int64_t>(first_above_.size()) << shift_ < up_to_[value]) {
      first_above_.push_back(static_cast<std::uint32_t>(value));
    }
  }
  first_above_.resize(static_cast<std::size_t>(sum >> shift_) + 2, static_cast<std::uint32_t>(whole_.size()));
}

// The least value with more rows of the whole up to it; that after the last if there is none.
std::size_t EmdToReference::FirstAbove(std::int64_t rows) const {
  const auto part = static_cast<std::size_t>(rows >> shift_);
  return static_cast<std::size_t>(
      std::upper_bound(up_to_.begin() + first_above_[part], up_to_.begin() + first_above_[part + 1], rows) - up_to_.begin());
}

Int128 EmdToReference::Cost(const ValueHistogram& group, std::int64_t group_rows) const {
  if (!group.sparse()) return mover_.Cost(group.counts(), group_rows, whole_, whole_rows_);
  const bool small = static_cast<Int128>(group_rows) * whole_rows_ * mover_.scale() < static_cast<Int128>(1) << 60;
  switch (mover_.distance()) {
    case Distance::kOrdered:
      return small ? Ordered<std::int64_t>(group.listed(), group_rows) : Ordered<Int128>(group.listed(), group_rows);
    case Distance::kEqual:
      return small ? Equal<std::int64_t>(group.listed(), group_rows) : Equal<Int128>(group.listed(), group_rows);
    case Distance::kHierarchical: break;
  }
  return Hierarchical(group.listed(), group_rows);
}

// The sum over the values but the last of |share of the group up to it - share of the whole up to it|, times both numbers of
// rows. From one value of the group to the next the group's share stays and the whole's grows: at most once it gets ahead.
template <typename Wide>
Wide EmdToReference::Ordered(Listed group, std::int64_t group_rows) const {
  const Wide rows = group_rows;
  const std::size_t last = whole_.size() - 1;
  Wide cost = rows * area_[std::min(static_cast<std::size_t>(group[0].value), last)];  // nothing of the group up to there
  std::int64_t held = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    held += group[i].count;
    const std::size_t begin = static_cast<std::size_t>(group[i].value);
    const std::size_t end = i + 1 < group.size() ? static_cast<std::size_t>(group[i + 1].value) : last;
    if (begin >= end) break;
    // The whole is ahead where up_to * group_rows > held * whole_rows: below 2^64 both.
    const std::uint64_t even =
        static_cast<std::uint64_t>(held) * static_cast<std::uint64_t>(whole_rows_) / static_cast<std::uint64_t>(group_rows);
    const std::size_t turn = std::clamp(FirstAbove(static_cast<std::int64_t>(even)), begin, end);
    const auto steps = static_cast<std::int64_t>(turn - begin) - static_cast<std::int64_t>(end - turn);
    cost += static_cast<Wide>(held) * whole_rows_ * steps;
    cost += rows * (area_[end] - area_[turn]) - rows * (area_[turn] - area_[begin]);
  }
  return cost;
}

// Of a value that the group does not have, the whole's rows differ; all of them would be whole_rows.
template <typename Wide>
Wide EmdToReference::Equal(Listed group, std::int64_t group_rows) const {
  Wide cost = static_cast<Wide>(group_rows) * whole_rows_;
  for (const ValueCount& each : group) {
    const Wide expected = static_cast<Wide>(whole_[each.value]) * group_rows;
    const Wide extra = static_cast<Wide>(each.count) * whole_rows_ - expected;
    cost += (extra < 0 ? -extra : extra) - expected;
  }
  return cost;
}

// EarthMover's balance, of the nodes above values of the group only: below the others there is nothing that could be moved.
// The values come in the order of the tree, so the nodes above the one at hand are a stack.
Int128 EmdToReference::Hierarchical(Listed group, std::int64_t group_rows) const {
  const Hierarchy& hierarchy = *mover_.hierarchy();
  struct Open {
    NodeId node;
    Int128 surplus;
    Int128 lack;
    std::int64_t settled;  // rows of the whole below children that were on the stack
  };
  static thread_local std::vector<Open> open;
  Int128 cost = 0;
  const auto below = [&](NodeId node) {
    const Code first = hierarchy.first_leaf(node);
    return up_to_[hierarchy.last_leaf(node)] - (first == 0 ? 0 : up_to_[first - 1]);
  };
  const auto close = [&] {
    Open here = open.back();
    open.pop_back();
    const std::int64_t whole = below(here.node);
    here.lack += static_cast<Int128>(whole - here.settled) * group_rows;
    cost += std::min(here.surplus, here.lack) * hierarchy.height(here.node);
    if (open.empty()) return;
    Open& above = open.back();
    above.settled += whole;
    const Int128 extra = here.surplus - here.lack;
    (extra > 0 ? above.surplus : above.lack) += extra > 0 ? extra : -extra;
  };
  for (const ValueCount& each : group) {
    while (!open.empty() && hierarchy.last_leaf(open.back().node) < each.value) close();
    const NodeId above = open.empty() ? hierarchy.parent(kRoot) : open.back().node;
    const auto first = static_cast<std::ptrdiff_t>(open.size());
    for (NodeId node = hierarchy.leaf_node(each.value); node != above; node = hierarchy.parent(node)) {
      open.push_back({node, 0, 0, 0});
    }
    std::reverse(open.begin() + first, open.end());
    open.back().surplus = static_cast<Int128>(each.count) * whole_rows_;
  }
  while (!open.empty()) close();
  return cost;
}

}  // namespace cordon::engine
