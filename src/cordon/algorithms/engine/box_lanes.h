// SPDX-License-Identifier: Apache-2.0
//
// Many boxes, or many points, side by side: one array an axis, so that "what would each cost joined with this" is one pass
// over contiguous memory an axis.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cordon/algorithms/engine/box_loss.h"

namespace cordon::engine {

// Boxes in lanes. A lane that was freed costs minus infinity, so joining it costs plus infinity more, and no search takes it.
class BoxLanes {
 public:
  explicit BoxLanes(const BoxLoss& loss);

  std::size_t size() const { return losses_.size(); }  // lanes, free ones included
  double loss(std::size_t lane) const { return losses_[lane]; }
  LossBox box(std::size_t lane) const;

  std::size_t Add();  // a free lane
  void Set(std::size_t lane, const LossBox& box);
  void Extend(std::size_t lane, const double* point);
  void Free(std::size_t lane) { losses_[lane] = -std::numeric_limits<double>::infinity(); }
  void Clear();

  // By lane: the loss of its box joined with the point or box, and how much more that is. Returns the least increase.
  double Join(const double* point, std::vector<double>& joined, std::vector<double>& increase) const;
  // The least is not asked for here; increases are over the given box' own loss.
  void Join(const LossBox& box, std::vector<double>& joined) const;

 private:
  void AddJoined(std::size_t axis, double lo, double hi, NodeId node, std::vector<double>& joined) const;

  const BoxLoss* loss_;
  std::vector<std::vector<double>> lo_;
  std::vector<std::vector<double>> hi_;
  std::vector<std::vector<NodeId>> node_;
  std::vector<double> losses_;
  mutable std::vector<double> spare_;
};

// Points with a number each; removal puts the last in the place of the removed one.
class PointLanes {
 public:
  explicit PointLanes(const BoxLoss& loss);

  void Add(std::int32_t number, const double* point);
  void Remove(std::size_t lane);
  void Clear();

  std::size_t size() const { return numbers_.size(); }
  std::int32_t number(std::size_t lane) const { return numbers_[lane]; }
  const std::vector<std::int32_t>& numbers() const { return numbers_; }

  // By lane: the loss of the box joined with the point.
  void Join(const LossBox& box, std::vector<double>& joined) const;

 private:
  const BoxLoss* loss_;
  std::vector<std::vector<double>> at_;    // by axis of numbers
  std::vector<std::vector<NodeId>> node_;  // by axis of categories
  std::vector<std::int32_t> numbers_;
  mutable std::vector<double> spare_;
};

}  // namespace cordon::engine
