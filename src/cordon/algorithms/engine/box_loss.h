// SPDX-License-Identifier: Apache-2.0
//
// What a box costs: the weighted mean, over the axes of a stream, of width / domain for numbers and of the published node's
// leaves for categories. All domains are declared, so a loss tells nothing of the stream.
//
// Inside an engine a point is a list of doubles: the distance from the axis' lower end (below 2^53, so exact), or the number
// of the leaf. A box keeps the least and the greatest of them and, of a category, the least common ancestor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cordon/data/stream.h"

namespace cordon::engine {

struct LossBox {
  std::vector<double> lo;
  std::vector<double> hi;
  std::vector<NodeId> node;  // of categories; 0 elsewhere

  friend bool operator==(const LossBox&, const LossBox&) = default;
};

class BoxLoss {
 public:
  enum class Form {
    kPaper,   // (leaves - 1) / (all leaves - 1)
    kThesis,  // leaves / all leaves, 0 of a single leaf
  };

  // Whether the axes can be measured: ends in order and less than 2^53 apart, weights not negative.
  static Result<void> Check(const StreamSchema& schema);

  // REQUIRES: Check(schema).
  BoxLoss(const StreamSchema& schema, Form form);

  std::size_t num_axes() const { return axes_.size(); }
  bool categorical(std::size_t axis) const { return axes_[axis].hierarchy != nullptr; }
  // What a width of 1 costs on an axis of numbers.
  double scale(std::size_t axis) const { return axes_[axis].scale; }

  double ToPoint(std::size_t axis, std::int64_t value) const { return static_cast<double>(value - axes_[axis].lo); }
  NodeId LeafNode(std::size_t axis, double leaf) const { return axes_[axis].hierarchy->leaf_node(static_cast<Code>(leaf)); }
  NodeId Join(std::size_t axis, NodeId a, NodeId b) const;
  // By node: what it costs joined with the given one. `spare` is used if the table of all pairs would be too large.
  const double* JoinRow(std::size_t axis, NodeId node, std::vector<double>& spare) const;

  LossBox Of(const double* point) const;
  void Extend(LossBox& box, const double* point) const;
  void Extend(LossBox& box, const LossBox& other) const;
  double Loss(const LossBox& box) const;
  // Of one axis: a range of numbers, or the least node over a range of leaves.
  double AxisLoss(std::size_t axis, double lo, double hi) const;
  // As published: numbers as they came in, of categories the leaves under the node.
  std::vector<AxisRange> Publish(const LossBox& box) const;
  std::vector<AxisRange> Widest() const;

 private:
  struct Axis {
    std::int64_t lo = 0;
    std::int64_t hi = 0;
    double scale = 0;
    std::shared_ptr<const Hierarchy> hierarchy;
    std::vector<double> node_loss;   // weighted
    std::vector<double> join_table;  // node x node -> weighted loss of their common ancestor; empty where too large
  };

  std::vector<Axis> axes_;
};

}  // namespace cordon::engine
