// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/emd.h"

#include <algorithm>
#include <vector>

namespace cordon::engine {
namespace {

using Counts = std::span<const std::int64_t>;

// Wide = int64 if the whole cost fits there: a few times faster, and the usual case.
template <typename Wide>
Wide OrderedCost(Counts group, std::int64_t group_rows, Counts whole, std::int64_t whole_rows) {
  Wide ahead = 0;
  Wide cost = 0;
  for (std::size_t i = 0; i + 1 < group.size(); ++i) {
    ahead += static_cast<Wide>(group[i]) * whole_rows - static_cast<Wide>(whole[i]) * group_rows;
    cost += ahead < 0 ? -ahead : ahead;
  }
  return cost;
}

template <typename Wide>
Wide EqualCost(Counts group, std::int64_t group_rows, Counts whole, std::int64_t whole_rows) {
  Wide cost = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Wide extra = static_cast<Wide>(group[i]) * whole_rows - static_cast<Wide>(whole[i]) * group_rows;
    cost += extra < 0 ? -extra : extra;
  }
  return cost;
}

// Bottom-up (pre-order ids: children have larger ones): what the children of a node have too much of is moved,
// as far as it goes, to where siblings have too little, at the node's height; the rest goes up.
Int128 HierarchicalCost(const Hierarchy& hierarchy, Counts group, std::int64_t group_rows, Counts whole,
                        std::int64_t whole_rows) {
  struct Balance {
    Int128 surplus;
    Int128 lack;
  };
  static thread_local std::vector<Balance> nodes;
  nodes.assign(static_cast<std::size_t>(hierarchy.num_nodes()), Balance{0, 0});
  Int128 cost = 0;
  for (NodeId node = hierarchy.num_nodes() - 1; node >= 0; --node) {
    Balance& here = nodes[node];
    if (hierarchy.is_leaf(node)) {
      const Code leaf = hierarchy.first_leaf(node);
      here.surplus = static_cast<Int128>(group[leaf]) * whole_rows;
      here.lack = static_cast<Int128>(whole[leaf]) * group_rows;
    }
    cost += std::min(here.surplus, here.lack) * hierarchy.height(node);
    if (node == kRoot) break;
    Balance& above = nodes[hierarchy.parent(node)];
    const Int128 extra = here.surplus - here.lack;
    (extra > 0 ? above.surplus : above.lack) += extra > 0 ? extra : -extra;
  }
  return cost;
}

}  // namespace

Result<EarthMover> EarthMover::Make(const Domain& domain, Distance distance) {
  EarthMover made;
  made.distance_ = distance;
  switch (distance) {
    case Distance::kOrdered: made.scale_ = std::max<std::int64_t>(domain.size() - 1, 1); break;
    case Distance::kHierarchical:
      if (!domain.is_categorical()) {
        return Error::InvalidPolicy("the distance hierarchical needs a categorical column")
            .WithHint("use distance = \"ordered\" for numbers and dates");
      }
      made.hierarchy_ = domain.hierarchy();
      made.scale_ = std::max(made.hierarchy_->height(), 1);
      break;
    case Distance::kEqual: made.scale_ = 2; break;
  }
  return made;
}

Int128 EarthMover::Cost(Counts group, std::int64_t group_rows, Counts whole, std::int64_t whole_rows) const {
  CORDON_CHECK_EQ(group.size(), whole.size());
  if (distance_ == Distance::kHierarchical) return HierarchicalCost(*hierarchy_, group, group_rows, whole, whole_rows);
  const bool small = static_cast<Int128>(group_rows) * whole_rows * scale_ < static_cast<Int128>(1) << 62;
  if (distance_ == Distance::kOrdered) {
    return small ? OrderedCost<std::int64_t>(group, group_rows, whole, whole_rows)
                 : OrderedCost<Int128>(group, group_rows, whole, whole_rows);
  }
  return small ? EqualCost<std::int64_t>(group, group_rows, whole, whole_rows)
               : EqualCost<Int128>(group, group_rows, whole, whole_rows);
}

}  // namespace cordon::engine
