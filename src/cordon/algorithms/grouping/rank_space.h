// SPDX-License-Identifier: Apache-2.0
//
// The rows of a view as points, for searches that group them by their boxes: a rank per quasi attribute (the place of the
// value among those that occur), row after row, and the weighted loss of a run of ranks in constant time. A row is its
// place in the view. Immutable; safe to share between threads.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/box_spans.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"

namespace cordon::engine {

using Rank = std::int32_t;
using Place = std::uint32_t;  // of a row in the view

inline constexpr Rank kHighestRank = std::numeric_limits<Rank>::max();
inline constexpr double kGainMargin = 1e-7;  // a smaller gain is noise of the sums

class RankSpace {
 public:
  static constexpr std::size_t kLargeTable = 700;  // ranks; 2 MB

  // Attributes of up to `largest_table` ranks have a table of all spans.
  RankSpace(const View& view, const Run& run, std::size_t largest_table = kLargeTable);

  std::size_t num_rows() const { return num_rows_; }
  std::size_t num_quasi() const { return axes_.size(); }
  const Rank* row(Place place) const { return ranks_.data() + static_cast<std::size_t>(place) * axes_.size(); }
  Rank rank_of(std::size_t q, Code code) const { return axes_[q].rank_of[static_cast<std::size_t>(code)]; }
  // Whether all ranks fit into 15 bits.
  bool narrow() const { return narrow_; }
  // Of one suppressed row: the sum of the weights.
  double suppressed_loss() const { return spans_.Whole(); }

  float Span(std::size_t q, Rank lo, Rank hi) const { return spans_.Span(q, lo, hi); }

  // The spans of all pairs of ranks, in either order, by lo * num_ranks + hi; null if that would be large.
  const float* span_table(std::size_t q) const { return spans_.table(q); }

  // Whether the attribute is cut at hierarchy nodes, else at thresholds.
  bool has_nodes(std::size_t q) const { return axes_[q].depth > 0; }
  Rank num_ranks(std::size_t q) const { return static_cast<Rank>(axes_[q].size); }
  // Ancestors by depth: 0 is the root's; a leaf stands for itself below its own depth.
  int depth(std::size_t q) const { return axes_[q].depth; }
  NodeId ancestor(std::size_t q, Rank rank, int depth) const {
    return axes_[q].ancestors[static_cast<std::size_t>(rank) * axes_[q].depth + depth];
  }

  // A column and depth at which the rows are under more than `most` times the nodes of one level higher; the first
  // column that has one.
  struct NodePlace {
    std::size_t quasi = 0;
    int depth = 0;
  };
  std::optional<NodePlace> WidestNode(std::span<const Place> rows, std::size_t most) const;

 private:
  struct Axis {
    std::size_t size = 0;
    std::vector<Rank> rank_of;  // by code; -1 if it does not occur
    int depth = 0;
    std::vector<NodeId> ancestors;
  };
  // The codes by rank.
  std::vector<Code> AddAxis(const MicrodataColumn& column, std::span<const RowId> rows, std::size_t q, int threads);

  std::size_t num_rows_;
  std::vector<Axis> axes_;
  std::vector<Rank> ranks_;
  bool narrow_ = true;
  BoxSpans spans_;  // by rank
};

}  // namespace cordon::engine
