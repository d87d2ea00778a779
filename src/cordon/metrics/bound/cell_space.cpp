// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/bound/cell_space.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "cordon/metrics/grouping.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxTabled = 1024;  // values of a domain whose costs are looked up
constexpr std::size_t kCellsPerLeaf = 8;

}  // namespace

// The loss is off by less than 2^-52 of itself, and a smaller factor makes up for it.
Price CellSpace::RoundedDown(double loss) {
  return static_cast<Price>(loss * (1 - 0x1p-50) * static_cast<double>(kWholeColumn));
}

CellSpace::CellSpace(const Microdata& data, const LeastGroup& least, const Run& run) : least_(least) {
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) AddAxis(*data.columns[column].attribute.domain);
  RowGroups cells = NumberRows(QuasiColumns(data), data.num_rows, run);
  weights_.resize(cells.size());
  for (const std::uint32_t cell : cells.of_row) ++weights_[cell];
  codes_.reserve(cells.size() * width());
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  for (const RowId row : cells.first_row) {
    for (const std::size_t column : quasi) codes_.push_back(data.columns[column].codes[row]);
  }
  cell_of_row_ = std::move(cells.of_row);
  for (const DistinctValues& distinct : least.distinct) AddValues(data.columns[*data.Find(distinct.column)].text);
  BuildTree();
}

void CellSpace::AddAxis(const Domain& domain) {
  Axis& axis = axes_.emplace_back();
  axis.domain = &domain;
  axis.size = static_cast<std::size_t>(domain.size());
  if (axis.size > kMaxTabled) return;
  axis.cells.resize(axis.size * axis.size);
  for (Code lo = 0; lo < domain.size(); ++lo) {
    for (Code hi = lo; hi < domain.size(); ++hi) {
      axis.cells[static_cast<std::size_t>(lo) * axis.size + static_cast<std::size_t>(hi)] =
          static_cast<std::int32_t>(RoundedDown(domain.Loss(lo, hi)));
    }
  }
}

// Cells as they are published: whatever a model takes for one value, these are not fewer.
void CellSpace::AddValues(const Column& text) {
  std::vector<std::pair<std::uint32_t, Code>> pairs;
  pairs.reserve(cell_of_row_.size());
  for (std::size_t row = 0; row < cell_of_row_.size(); ++row) pairs.emplace_back(cell_of_row_[row], text.codes[row]);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  Values& of = values_.emplace_back();
  of.starts.resize(size() + 1);
  for (const auto& [cell, code] : pairs) {
    ++of.starts[cell + 1];
    of.codes.push_back(code);
  }
  std::partial_sum(of.starts.begin(), of.starts.end(), of.starts.begin());
}

// Halves along the column whose span costs most.
void CellSpace::BuildTree() {
  order_.resize(size());
  std::iota(order_.begin(), order_.end(), CellId{0});
  leaf_of_.resize(size());
  nodes_.push_back({0, static_cast<std::uint32_t>(size()), 0, 0});
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    const auto [begin, end, unused, parent] = nodes_[at];
    std::size_t widest = 0;
    Price most = -1;
    for (std::size_t q = 0; q < width(); ++q) {
      CodeRange range{std::numeric_limits<Code>::max(), 0};
      for (std::uint32_t i = begin; i < end; ++i) {
        range.lo = std::min(range.lo, codes(order_[i])[q]);
        range.hi = std::max(range.hi, codes(order_[i])[q]);
      }
      boxes_.push_back(range);
      const Price span = begin == end ? 0 : Span(q, range.lo, range.hi);
      if (range.lo < range.hi && span > most) {
        most = span;
        widest = q;
      }
    }
    if (end - begin <= kCellsPerLeaf || most < 0) {
      for (std::uint32_t i = begin; i < end; ++i) leaf_of_[order_[i]] = static_cast<std::uint32_t>(at);
      continue;
    }
    const std::uint32_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](CellId a, CellId b) {
      return codes(a)[widest] != codes(b)[widest] ? codes(a)[widest] < codes(b)[widest] : a < b;
    });
    nodes_[at].child = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({begin, middle, 0, static_cast<std::uint32_t>(at)});
    nodes_.push_back({middle, end, 0, static_cast<std::uint32_t>(at)});
  }
}

Price CellSpace::CostTo(std::uint32_t node, CellId cell) const {
  const std::span<const Code> at = codes(cell);
  const CodeRange* box = boxes_.data() + node * width();
  Price cost = 0;
  for (std::size_t q = 0; q < width(); ++q) {
    if (at[q] < box[q].lo) {
      cost += Span(q, at[q], box[q].lo);
    } else if (at[q] > box[q].hi) {
      cost += Span(q, box[q].hi, at[q]);
    } else {
      cost += Span(q, at[q], at[q]);
    }
  }
  return cost;
}

CellSpace::Near CellSpace::Nearest(CellId cell, std::size_t most) const {
  std::vector<CodeRange> box;
  for (const Code code : codes(cell)) box.push_back({code, code});
  Near near;
  std::vector<CellAt>& kept = near.cells;  // a heap, the dearest on top
  const auto offer = [&](CellAt other) {
    if (kept.size() < most) {
      kept.push_back(other);
      std::push_heap(kept.begin(), kept.end());
      return;
    }
    near.radius = std::min(near.radius, std::max(other.cost, kept.front().cost));
    if (!(other < kept.front())) return;
    std::pop_heap(kept.begin(), kept.end());
    kept.back() = other;
    std::push_heap(kept.begin(), kept.end());
  };
  using Open = std::pair<Price, std::uint32_t>;
  std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
  open.emplace(CostTo(0, cell), 0);
  while (!open.empty()) {
    const auto [cost, at] = open.top();
    open.pop();
    if (kept.size() == most && cost >= kept.front().cost) {
      near.radius = std::min(near.radius, kept.front().cost);
      break;
    }
    const Node& node = nodes_[at];
    if (node.child != 0) {
      open.emplace(CostTo(node.child, cell), node.child);
      open.emplace(CostTo(node.child + 1, cell), node.child + 1);
      continue;
    }
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      if (order_[i] != cell) offer({order_[i], Cost(box, order_[i])});
    }
  }
  std::sort_heap(kept.begin(), kept.end());
  // What was pushed out, or never looked at, costs no less than the dearest that is left.
  if (near.radius != kNoPrice) near.radius = kept.back().cost;
  while (!kept.empty() && kept.back().cost >= near.radius) kept.pop_back();
  return near;
}

}  // namespace cordon::engine
