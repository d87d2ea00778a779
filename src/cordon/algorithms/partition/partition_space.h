// SPDX-License-Identifier: Apache-2.0
//
// The rows of a view as points, for searches that group them by their boxes: a rank per quasi attribute (the place of the
// value among those that occur), row after row, and the weighted loss of a run of ranks in constant time. A row is its
// place in the view. Immutable; safe to share between threads.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/view.h"

namespace cordon::engine {

using Rank = std::int32_t;
using Place = std::uint32_t;  // of a row in the view

inline constexpr Rank kHighestRank = std::numeric_limits<Rank>::max();
inline constexpr double kGainMargin = 1e-7;  // a smaller gain is noise of the sums

class PartitionSpace {
 public:
  explicit PartitionSpace(const View& view, const Run& run);

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_quasi() const { return axes_.size(); }
  const Rank* row(Place place) const { return ranks_.data() + static_cast<std::size_t>(place) * axes_.size(); }
  Rank rank_of(std::size_t q, Code code) const { return axes_[q].rank_of[static_cast<std::size_t>(code)]; }
  // Whether all ranks fit into 15 bits.
  bool narrow() const { return narrow_; }
  // Of one suppressed row: the sum of the weights.
  double suppressed_loss() const { return suppressed_loss_; }

  float Span(std::size_t q, Rank lo, Rank hi) const {
    const Axis& axis = axes_[q];
    if (!axis.table.empty()) return axis.table[static_cast<std::size_t>(lo) * axis.size + hi];
    return axis.depth > 0 ? axis.NodeLoss(lo, hi) : axis.Loss(lo, hi);
  }

  // The spans of all pairs of ranks, in either order, by lo * num_ranks + hi; null where that would be large.
  const float* span_table(std::size_t q) const { return axes_[q].table.empty() ? nullptr : axes_[q].table.data(); }

  // Whether the attribute is cut at hierarchy nodes, else at thresholds.
  bool has_nodes(std::size_t q) const { return axes_[q].depth > 0; }
  Rank num_ranks(std::size_t q) const { return static_cast<Rank>(axes_[q].size); }
  // Ancestors by depth: 0 is the root's; a leaf stands for itself below its own depth.
  int depth(std::size_t q) const { return axes_[q].depth; }
  NodeId ancestor(std::size_t q, Rank rank, int depth) const {
    return axes_[q].ancestors[static_cast<std::size_t>(rank) * axes_[q].depth + depth];
  }

  // A column and depth at which the rows are under more than `most` times as many nodes as one level higher; the first
  // column that has one.
  struct NodePlace {
    std::size_t quasi = 0;
    int depth = 0;
  };
  std::optional<NodePlace> WidestNode(std::span<const Place> rows, std::size_t most) const;

 private:
  struct Axis {
    std::shared_ptr<const Domain> domain;
    double weight = 1;
    std::size_t size = 0;
    std::vector<Code> codes;    // by rank
    std::vector<Rank> rank_of;  // by code; -1 where it does not occur
    std::vector<float> table;   // span by lo * size + hi and hi * size + lo, where that is small
    int depth = 0;
    std::vector<NodeId> ancestors;

    std::vector<float> node_loss;  // by node, where there is no table

    // Of the deepest common ancestor.
    float NodeLoss(Rank lo, Rank hi) const {
      const NodeId* const a = &ancestors[static_cast<std::size_t>(lo) * depth];
      const NodeId* const b = &ancestors[static_cast<std::size_t>(hi) * depth];
      int at = 0;
      while (at + 1 < depth && a[at + 1] == b[at + 1]) ++at;
      return node_loss[static_cast<std::size_t>(a[at])];
    }
    float Loss(Rank lo, Rank hi) const { return static_cast<float>(weight * domain->Loss(codes[lo], codes[hi])); }
  };
  void AddAxis(const MicrodataColumn& column, std::span<const RowId> rows, std::size_t q, int threads);

  std::size_t num_rows_;
  std::vector<Axis> axes_;
  std::vector<Rank> ranks_;
  double suppressed_loss_ = 0;
  bool narrow_ = true;
};

}  // namespace cordon::engine
