// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/partition_space.h"

#include <algorithm>
#include <limits>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kLargestTable = 700;  // ranks; 2 MB

}  // namespace

PartitionSpace::PartitionSpace(const View& view, const Run& run) : num_rows_(view.size()) {
  const std::vector<std::size_t> quasi = view.data().ColumnsOf(Role::kQuasi);
  axes_.resize(quasi.size());
  ranks_.resize(num_rows_ * quasi.size());
  for (std::size_t q = 0; q < quasi.size(); ++q) AddAxis(view.data().columns[quasi[q]], view.rows(), q, run.threads);
}

void PartitionSpace::AddAxis(const MicrodataColumn& column, std::span<const RowId> rows, std::size_t q, int threads) {
  Axis& axis = axes_[q];
  axis.domain = column.attribute.domain;
  axis.weight = column.attribute.weight;
  suppressed_loss_ += axis.weight;
  std::vector<Rank>& rank_of = axis.rank_of;
  rank_of.assign(static_cast<std::size_t>(axis.domain->size()), -1);
  for (const RowId row : rows) rank_of[column.codes[row]] = 0;
  for (Code code = 0; code < axis.domain->size(); ++code) {
    if (rank_of[code] < 0) continue;
    rank_of[code] = static_cast<Rank>(axis.codes.size());
    axis.codes.push_back(code);
  }
  axis.size = axis.codes.size();
  narrow_ = narrow_ && axis.size < std::numeric_limits<std::int16_t>::max();
  ParallelFor(threads, rows.size(), kChunkRows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ranks_[i * axes_.size() + q] = rank_of[column.codes[rows[i]]];
  });
  if (axis.size <= kLargestTable) {
    axis.table.resize(axis.size * axis.size);
    for (std::size_t lo = 0; lo < axis.size; ++lo) {
      for (std::size_t hi = lo; hi < axis.size; ++hi) {
        const float loss = axis.Loss(static_cast<Rank>(lo), static_cast<Rank>(hi));
        axis.table[lo * axis.size + hi] = loss;
        axis.table[hi * axis.size + lo] = loss;
      }
    }
  }
  if (!axis.domain->is_categorical()) return;
  const Hierarchy& hierarchy = *axis.domain->hierarchy();
  for (const Code code : axis.codes) axis.depth = std::max(axis.depth, hierarchy.depth(hierarchy.leaf_node(code)) + 1);
  if (axis.table.empty()) {
    for (NodeId node = 0; node < hierarchy.num_nodes(); ++node) {
      const double loss = axis.domain->Loss(hierarchy.first_leaf(node), hierarchy.last_leaf(node));
      axis.node_loss.push_back(static_cast<float>(axis.weight * loss));
    }
  }
  axis.ancestors.resize(axis.size * static_cast<std::size_t>(axis.depth));
  for (std::size_t rank = 0; rank < axis.size; ++rank) {
    NodeId node = hierarchy.leaf_node(axis.codes[rank]);
    for (int depth = axis.depth - 1; depth >= 0; --depth) {
      axis.ancestors[rank * static_cast<std::size_t>(axis.depth) + static_cast<std::size_t>(depth)] = node;
      if (hierarchy.depth(node) >= depth && node != kRoot) node = hierarchy.parent(node);
    }
  }
}

std::optional<PartitionSpace::NodePlace> PartitionSpace::WidestNode(std::span<const Place> rows, std::size_t most) const {
  for (std::size_t q = 0; q < axes_.size(); ++q) {
    if (!has_nodes(q) || axes_[q].size <= most) continue;
    std::vector<NodeId> nodes(rows.size());
    std::size_t above = 1;
    for (int d = 1; d < depth(q); ++d) {
      for (std::size_t i = 0; i < rows.size(); ++i) nodes[i] = ancestor(q, row(rows[i])[q], d);
      std::sort(nodes.begin(), nodes.end());
      const auto distinct = static_cast<std::size_t>(std::unique(nodes.begin(), nodes.end()) - nodes.begin());
      if (distinct > most * above) return NodePlace{q, d};
      above = distinct;
    }
  }
  return std::nullopt;
}

}  // namespace cordon::engine
