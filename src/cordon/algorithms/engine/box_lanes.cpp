// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/engine/box_lanes.h"

#include "cordon/algorithms/engine/box_kernels.h"

namespace cordon::engine {

BoxLanes::BoxLanes(const BoxLoss& loss) : loss_(&loss), lo_(loss.num_axes()), hi_(loss.num_axes()), node_(loss.num_axes()) {}

std::size_t BoxLanes::Add() {
  for (std::size_t axis = 0; axis < lo_.size(); ++axis) {
    lo_[axis].push_back(0);
    hi_[axis].push_back(0);
    node_[axis].push_back(kRoot);
  }
  losses_.push_back(0);
  Free(losses_.size() - 1);
  return losses_.size() - 1;
}

void BoxLanes::Clear() {
  losses_.clear();
  for (std::size_t axis = 0; axis < lo_.size(); ++axis) {
    lo_[axis].clear();
    hi_[axis].clear();
    node_[axis].clear();
  }
}

LossBox BoxLanes::box(std::size_t lane) const {
  LossBox box;
  for (std::size_t axis = 0; axis < lo_.size(); ++axis) {
    box.lo.push_back(lo_[axis][lane]);
    box.hi.push_back(hi_[axis][lane]);
    box.node.push_back(node_[axis][lane]);
  }
  return box;
}

void BoxLanes::Set(std::size_t lane, const LossBox& box) {
  for (std::size_t axis = 0; axis < lo_.size(); ++axis) {
    lo_[axis][lane] = box.lo[axis];
    hi_[axis][lane] = box.hi[axis];
    node_[axis][lane] = box.node[axis];
  }
  losses_[lane] = loss_->Loss(box);
}

void BoxLanes::Extend(std::size_t lane, const double* point) {
  bool grows = false;
  for (std::size_t axis = 0; axis < lo_.size(); ++axis) {
    grows = grows || point[axis] < lo_[axis][lane] || point[axis] > hi_[axis][lane];
  }
  if (!grows) return;
  LossBox extended = box(lane);
  loss_->Extend(extended, point);
  Set(lane, extended);
}

void BoxLanes::AddJoined(std::size_t axis, double lo, double hi, NodeId node, std::vector<double>& joined) const {
  if (loss_->categorical(axis)) {
    internal::AddLookups(node_[axis].data(), loss_->JoinRow(axis, node, spare_), joined.data(), joined.size());
  } else {
    internal::AddWidths(lo_[axis].data(), hi_[axis].data(), lo, hi, loss_->scale(axis), joined.data(), joined.size());
  }
}

double BoxLanes::Join(const double* point, std::vector<double>& joined, std::vector<double>& increase) const {
  joined.assign(size(), 0);
  increase.resize(size());
  for (std::size_t axis = 0; axis < lo_.size(); ++axis) {
    const NodeId node = loss_->categorical(axis) ? loss_->LeafNode(axis, point[axis]) : kRoot;
    AddJoined(axis, point[axis], point[axis], node, joined);
  }
  return internal::Subtract(joined.data(), losses_.data(), increase.data(), size());
}

void BoxLanes::Join(const LossBox& box, std::vector<double>& joined) const {
  joined.assign(size(), 0);
  for (std::size_t axis = 0; axis < lo_.size(); ++axis) AddJoined(axis, box.lo[axis], box.hi[axis], box.node[axis], joined);
}

PointLanes::PointLanes(const BoxLoss& loss) : loss_(&loss), at_(loss.num_axes()), node_(loss.num_axes()) {}

void PointLanes::Add(std::int32_t number, const double* point) {
  for (std::size_t axis = 0; axis < at_.size(); ++axis) {
    if (loss_->categorical(axis)) {
      node_[axis].push_back(loss_->LeafNode(axis, point[axis]));
    } else {
      at_[axis].push_back(point[axis]);
    }
  }
  numbers_.push_back(number);
}

void PointLanes::Remove(std::size_t lane) {
  const auto drop = [lane](auto& values) {
    values[lane] = values.back();
    values.pop_back();
  };
  for (std::size_t axis = 0; axis < at_.size(); ++axis) loss_->categorical(axis) ? drop(node_[axis]) : drop(at_[axis]);
  drop(numbers_);
}

void PointLanes::Clear() {
  for (std::size_t axis = 0; axis < at_.size(); ++axis) {
    at_[axis].clear();
    node_[axis].clear();
  }
  numbers_.clear();
}

void PointLanes::Join(const LossBox& box, std::vector<double>& joined) const {
  joined.assign(size(), 0);
  for (std::size_t axis = 0; axis < at_.size(); ++axis) {
    if (loss_->categorical(axis)) {
      internal::AddLookups(node_[axis].data(), loss_->JoinRow(axis, box.node[axis], spare_), joined.data(), size());
    } else {
      internal::AddWidths(at_[axis].data(), at_[axis].data(), box.lo[axis], box.hi[axis], loss_->scale(axis), joined.data(),
                          size());
    }
  }
}

}  // namespace cordon::engine
