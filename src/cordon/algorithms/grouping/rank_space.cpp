// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/rank_space.h"

#include <algorithm>
#include <limits>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {

RankSpace::RankSpace(const View& view, const Run& run, std::size_t largest_table)
    : num_rows_(view.size()), axes_(view.data().ColumnsOf(Role::kQuasi).size()), ranks_(num_rows_ * axes_.size()), spans_([&] {
        const std::vector<std::size_t> quasi = view.data().ColumnsOf(Role::kQuasi);
        std::vector<std::vector<Code>> codes;
        for (std::size_t q = 0; q < quasi.size(); ++q) {
          codes.push_back(AddAxis(view.data().columns[quasi[q]], view.rows(), q, run.threads));
        }
        return BoxSpans(view.data(), std::move(codes), largest_table);
      }()) {}

std::vector<Code> RankSpace::AddAxis(const MicrodataColumn& column, std::span<const RowId> rows, std::size_t q, int threads) {
  Axis& axis = axes_[q];
  const Domain& domain = *column.attribute.domain;
  std::vector<Code> codes;
  std::vector<Rank>& rank_of = axis.rank_of;
  rank_of.assign(static_cast<std::size_t>(domain.size()), -1);
  for (const RowId row : rows) rank_of[column.codes[row]] = 0;
  for (Code code = 0; code < domain.size(); ++code) {
    if (rank_of[code] < 0) continue;
    rank_of[code] = static_cast<Rank>(codes.size());
    codes.push_back(code);
  }
  axis.size = codes.size();
  narrow_ = narrow_ && axis.size < std::numeric_limits<std::int16_t>::max();
  ParallelFor(threads, rows.size(), kChunkRows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ranks_[i * axes_.size() + q] = rank_of[column.codes[rows[i]]];
  });
  if (!domain.is_categorical()) return codes;
  const Hierarchy& hierarchy = *domain.hierarchy();
  for (const Code code : codes) axis.depth = std::max(axis.depth, hierarchy.depth(hierarchy.leaf_node(code)) + 1);
  axis.ancestors.resize(axis.size * static_cast<std::size_t>(axis.depth));
  for (std::size_t rank = 0; rank < axis.size; ++rank) {
    NodeId node = hierarchy.leaf_node(codes[rank]);
    for (int depth = axis.depth - 1; depth >= 0; --depth) {
      axis.ancestors[rank * static_cast<std::size_t>(axis.depth) + static_cast<std::size_t>(depth)] = node;
      if (hierarchy.depth(node) >= depth && node != kRoot) node = hierarchy.parent(node);
    }
  }
  return codes;
}

std::optional<RankSpace::NodePlace> RankSpace::WidestNode(std::span<const Place> rows, std::size_t most) const {
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
