// SPDX-License-Identifier: Apache-2.0
//
// Points on a grid that collect the weight of the boxes over them. A tree of bounding boxes over the points, halved at the
// median of the widest side: a box that covers a node leaves its weight there, and what lies above a point is added to it
// at the end. A last coordinate on which boxes are single values is halved first, as it tells most. Weights are only ever
// added, so none is lost to cancellation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "cordon/data/domain.h"

namespace cordon::engine::internal {

class WeightedPoints {
 public:
  enum class Last { kRange, kValue };  // what boxes are on the last coordinate

  // `coordinates`: dimensions codes a point, point after point. REQUIRES: dimensions > 0.
  WeightedPoints(std::vector<Code> coordinates, std::size_t dimensions, Last last)
      : dimensions_(dimensions), last_(last), coordinates_(std::move(coordinates)) {
    order_.resize(coordinates_.size() / dimensions_);
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i);
    weights_.resize(order_.size());
    if (!order_.empty()) Build(0, static_cast<std::uint32_t>(order_.size()));
  }

  void Add(std::span<const CodeRange> box, double weight) {
    if (!nodes_.empty()) Add(0, box, weight);
  }

  // Of each point, in the order given. To be called once, after the last Add.
  std::vector<double> TakeWeights() {
    if (!nodes_.empty()) PushDown(0, 0);
    return std::move(weights_);
  }

 private:
  static constexpr std::uint32_t kLeafPoints = 8;
  struct Node {
    std::uint32_t begin = 0;  // its points are order_[begin] .. order_[end - 1]
    std::uint32_t end = 0;
    std::uint32_t left = 0;  // 0: a leaf, as the root is nobody's child
    std::uint32_t right = 0;
    double weight = 0;
  };

  Code at(std::uint32_t point, std::size_t dimension) const { return coordinates_[point * dimensions_ + dimension]; }

  std::uint32_t Build(std::uint32_t begin, std::uint32_t end) {
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({begin, end, 0, 0, 0});
    std::size_t widest = 0;
    Code width = -1;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      CodeRange side{at(order_[begin], d), at(order_[begin], d)};
      for (std::uint32_t i = begin; i < end; ++i) {
        side.lo = std::min(side.lo, at(order_[i], d));
        side.hi = std::max(side.hi, at(order_[i], d));
      }
      bounds_.push_back(side);
      const bool first = last_ == Last::kValue && d + 1 == dimensions_ && side.hi > side.lo;
      if (first || side.hi - side.lo > width) {
        width = side.hi - side.lo;
        widest = d;
      }
    }
    if (end - begin <= kLeafPoints) return number;
    const std::uint32_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::uint32_t a, std::uint32_t b) {
                       return at(a, widest) != at(b, widest) ? at(a, widest) < at(b, widest) : a < b;
                     });
    const std::uint32_t left = Build(begin, middle);
    const std::uint32_t right = Build(middle, end);
    nodes_[number].left = left;
    nodes_[number].right = right;
    return number;
  }

  void Add(std::uint32_t number, std::span<const CodeRange> box, double weight) {
    bool within = true;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const CodeRange& side = bounds_[number * dimensions_ + d];
      if (box[d].hi < side.lo || box[d].lo > side.hi) return;
      within = within && box[d].lo <= side.lo && side.hi <= box[d].hi;
    }
    Node& node = nodes_[number];
    if (within) {
      node.weight += weight;
    } else if (node.left == 0) {
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        if (Covers(box, order_[i])) weights_[order_[i]] += weight;
      }
    } else {
      Add(node.left, box, weight);
      Add(node.right, box, weight);
    }
  }

  bool Covers(std::span<const CodeRange> box, std::uint32_t point) const {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      if (at(point, d) < box[d].lo || at(point, d) > box[d].hi) return false;
    }
    return true;
  }

  void PushDown(std::uint32_t number, double above) {
    const Node& node = nodes_[number];
    const double sum = above + node.weight;
    if (node.left == 0) {
      for (std::uint32_t i = node.begin; i < node.end; ++i) weights_[order_[i]] += sum;
    } else {
      PushDown(node.left, sum);
      PushDown(node.right, sum);
    }
  }

  std::size_t dimensions_;
  Last last_;
  std::vector<Code> coordinates_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
  std::vector<CodeRange> bounds_;  // dimensions a node
  std::vector<double> weights_;    // of each point
};

}  // namespace cordon::engine::internal
