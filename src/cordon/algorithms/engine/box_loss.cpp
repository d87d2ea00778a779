// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/engine/box_loss.h"

#include <algorithm>
#include <cmath>

namespace cordon::engine {
namespace {

constexpr NodeId kMaxTable = 512;  // nodes of a hierarchy whose pairs are tabulated: 2 MB

constexpr std::uint64_t kWidest = std::uint64_t{1} << 53;

double NodeLoss(const Hierarchy& hierarchy, NodeId node, BoxLoss::Form form) {
  const double leaves = hierarchy.counted_under(node);
  const double all = hierarchy.num_counted();
  if (leaves == 1 || all == 1) return 0;
  return form == BoxLoss::Form::kPaper ? (leaves - 1) / (all - 1) : leaves / all;
}

}  // namespace

Result<void> BoxLoss::Check(const StreamSchema& schema) {
  for (const StreamAxis& axis : schema.quasi) {
    const std::uint64_t width = static_cast<std::uint64_t>(axis.hi) - static_cast<std::uint64_t>(axis.lo);
    if (axis.hi < axis.lo || width >= kWidest) {
      return Error::InvalidPolicy("the domain of '{}' is empty or too wide for a stream", axis.name)
          .WithHint("declare a range of less than 2^53 steps of its last decimal place");
    }
    if (axis.hierarchy != nullptr && (axis.lo != 0 || axis.hi != axis.hierarchy->num_leaves() - 1)) {
      return Error::InvalidPolicy("the domain of '{}' is not that of its hierarchy", axis.name);
    }
    if (!(axis.weight >= 0) || !std::isfinite(axis.weight)) {
      return Error::InvalidPolicy("the weight of '{}' must be a number of at least 0", axis.name);
    }
  }
  return {};
}

BoxLoss::BoxLoss(const StreamSchema& schema, Form form) {
  double weights = 0;
  for (const StreamAxis& axis : schema.quasi) weights += axis.weight;
  for (const StreamAxis& from : schema.quasi) {
    Axis axis{from.lo, from.hi, 0, from.hierarchy, {}, {}};
    const double share = weights > 0 ? from.weight / weights : 0;
    if (axis.hierarchy == nullptr) {
      axis.scale = from.hi > from.lo ? share / static_cast<double>(from.hi - from.lo) : 0;
    } else {
      const Hierarchy& hierarchy = *axis.hierarchy;
      for (NodeId node = 0; node < hierarchy.num_nodes(); ++node) {
        axis.node_loss.push_back(share * NodeLoss(hierarchy, node, form));
      }
    }
    axes_.push_back(std::move(axis));
    if (axes_.back().hierarchy == nullptr || axes_.back().hierarchy->num_nodes() > kMaxTable) continue;
    const NodeId nodes = axes_.back().hierarchy->num_nodes();
    std::vector<double> table;
    for (NodeId a = 0; a < nodes; ++a) {
      for (NodeId b = 0; b < nodes; ++b) table.push_back(axes_.back().node_loss[Join(axes_.size() - 1, a, b)]);
    }
    axes_.back().join_table = std::move(table);
  }
}

NodeId BoxLoss::Join(std::size_t axis, NodeId a, NodeId b) const {
  if (a == b) return a;
  const Hierarchy& hierarchy = *axes_[axis].hierarchy;
  return hierarchy.Lca(std::min(hierarchy.first_leaf(a), hierarchy.first_leaf(b)),
                       std::max(hierarchy.last_leaf(a), hierarchy.last_leaf(b)));
}

const double* BoxLoss::JoinRow(std::size_t axis, NodeId node, std::vector<double>& spare) const {
  const Axis& its = axes_[axis];
  const NodeId nodes = its.hierarchy->num_nodes();
  if (!its.join_table.empty()) return its.join_table.data() + static_cast<std::size_t>(node) * nodes;
  spare.resize(nodes);
  for (NodeId other = 0; other < nodes; ++other) spare[other] = its.node_loss[Join(axis, node, other)];
  return spare.data();
}

LossBox BoxLoss::Of(const double* point) const {
  LossBox box{{point, point + num_axes()}, {point, point + num_axes()}, std::vector<NodeId>(num_axes())};
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    if (categorical(axis)) box.node[axis] = LeafNode(axis, point[axis]);
  }
  return box;
}

void BoxLoss::Extend(LossBox& box, const double* point) const {
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    const bool outside = point[axis] < box.lo[axis] || point[axis] > box.hi[axis];
    if (!outside) continue;
    box.lo[axis] = std::min(box.lo[axis], point[axis]);
    box.hi[axis] = std::max(box.hi[axis], point[axis]);
    if (categorical(axis)) box.node[axis] = Join(axis, box.node[axis], LeafNode(axis, point[axis]));
  }
}

void BoxLoss::Extend(LossBox& box, const LossBox& other) const {
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    box.lo[axis] = std::min(box.lo[axis], other.lo[axis]);
    box.hi[axis] = std::max(box.hi[axis], other.hi[axis]);
    if (categorical(axis)) box.node[axis] = Join(axis, box.node[axis], other.node[axis]);
  }
}

double BoxLoss::Loss(const LossBox& box) const {
  double loss = 0;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    loss += categorical(axis) ? axes_[axis].node_loss[box.node[axis]] : (box.hi[axis] - box.lo[axis]) * scale(axis);
  }
  return loss;
}

double BoxLoss::AxisLoss(std::size_t axis, double lo, double hi) const {
  if (!categorical(axis)) return (hi - lo) * scale(axis);
  return axes_[axis].node_loss[axes_[axis].hierarchy->Lca(static_cast<Code>(lo), static_cast<Code>(hi))];
}

std::vector<AxisRange> BoxLoss::Publish(const LossBox& box) const {
  std::vector<AxisRange> published;
  for (std::size_t axis = 0; axis < num_axes(); ++axis) {
    const Axis& its = axes_[axis];
    if (its.hierarchy != nullptr) {
      published.push_back({its.hierarchy->first_leaf(box.node[axis]), its.hierarchy->last_leaf(box.node[axis])});
    } else {
      published.push_back({its.lo + static_cast<std::int64_t>(box.lo[axis]), its.lo + static_cast<std::int64_t>(box.hi[axis])});
    }
  }
  return published;
}

std::vector<AxisRange> BoxLoss::Widest() const {
  std::vector<AxisRange> widest;
  for (const Axis& axis : axes_) widest.push_back({axis.lo, axis.hi});
  return widest;
}

}  // namespace cordon::engine
