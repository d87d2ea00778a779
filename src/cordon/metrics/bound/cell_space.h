// SPDX-License-Identifier: Apache-2.0
//
// The rows of a table as points with a weight, and what a box around some of them costs. A cell is a combination of quasi codes
// that rows have; its weight is the number of these rows.
//
// Costs are whole numbers, rounded down: a column of which nothing is said costs kWholeColumn. They never exceed the
// information loss times kWholeColumn, they grow with the box, and their sums are exact.
//
// Immutable; safe to share between threads.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/microdata.h"

namespace cordon::engine {

using Price = std::int64_t;
inline constexpr Price kWholeColumn = Price{1} << 24;
inline constexpr Price kNoPrice = std::numeric_limits<Price>::max();

// Every group has at least `count` different cells in this column.
struct DistinctValues {
  std::string column;
  std::int64_t count = 1;
};

// What every group of a release has at least.
struct LeastGroup {
  std::int64_t rows = 1;
  std::vector<DistinctValues> distinct;
};

using CellId = std::uint32_t;

// A cell and the cost of the smallest box around it and something else.
struct CellAt {
  CellId cell = 0;
  Price cost = 0;
  friend bool operator==(const CellAt&, const CellAt&) = default;
  friend bool operator<(const CellAt& a, const CellAt& b) { return a.cost != b.cost ? a.cost < b.cost : a.cell < b.cell; }
};

class CellSpace {
 public:
  CellSpace(const Microdata& data, const LeastGroup& least, const Run& run);

  std::size_t size() const { return weights_.size(); }
  std::size_t width() const { return axes_.size(); }
  std::int64_t weight(CellId cell) const { return weights_[cell]; }
  const std::vector<std::uint32_t>& cell_of_row() const { return cell_of_row_; }
  std::span<const Code> codes(CellId cell) const { return std::span(codes_).subspan(cell * width(), width()); }
  // The different values of the rows of a cell, of least.distinct[i].
  std::span<const Code> values(std::size_t i, CellId cell) const {
    const Values& of = values_[i];
    return std::span(of.codes).subspan(of.starts[cell], of.starts[cell + 1] - of.starts[cell]);
  }
  const LeastGroup& least() const { return least_; }
  // A row of which nothing is said.
  Price Whole() const { return kWholeColumn * static_cast<Price>(width()); }

  // REQUIRES: lo <= hi.
  Price Span(std::size_t q, Code lo, Code hi) const {
    const Axis& axis = axes_[q];
    if (!axis.cells.empty()) return axis.cells[static_cast<std::size_t>(lo) * axis.size + static_cast<std::size_t>(hi)];
    return RoundedDown(axis.domain->Loss(lo, hi));
  }
  // Of the box, and of the box with one more cell.
  Price Cost(std::span<const CodeRange> box) const {
    Price cost = 0;
    for (std::size_t q = 0; q < box.size(); ++q) cost += Span(q, box[q].lo, box[q].hi);
    return cost;
  }
  Price Cost(std::span<const CodeRange> box, CellId cell) const {
    const std::span<const Code> at = codes(cell);
    Price cost = 0;
    for (std::size_t q = 0; q < box.size(); ++q) cost += Span(q, std::min(box[q].lo, at[q]), std::max(box[q].hi, at[q]));
    return cost;
  }

  // Up to `most` other cells in ascending order of cost, all that cost less than `radius` and no others.
  struct Near {
    std::vector<CellAt> cells;
    Price radius = kNoPrice;
  };
  Near Nearest(CellId cell, std::size_t most) const;

  // A tree over the cells: node 0 is the root; the children of a node are `child` and `child` + 1, 0 for a leaf.
  struct Node {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t child = 0;
    std::uint32_t parent = 0;
  };
  const std::vector<Node>& nodes() const { return nodes_; }
  CellId cell_at(std::size_t place) const { return order_[place]; }
  std::uint32_t leaf_of(CellId cell) const { return leaf_of_[cell]; }
  // No cell of the node costs less together with this one.
  Price CostTo(std::uint32_t node, CellId cell) const;

 private:
  struct Axis {
    const Domain* domain = nullptr;
    std::size_t size = 0;
    std::vector<std::int32_t> cells;  // [lo * size + hi]; none for large domains
  };
  struct Values {
    std::vector<std::size_t> starts;
    std::vector<Code> codes;
  };
  static Price RoundedDown(double loss);
  void AddAxis(const Domain& domain);
  void AddValues(const Column& text);
  void BuildTree();

  LeastGroup least_;
  std::vector<Axis> axes_;
  std::vector<std::uint32_t> cell_of_row_;
  std::vector<Code> codes_;  // [cell * width + q]
  std::vector<std::int64_t> weights_;
  std::vector<Values> values_;
  std::vector<Node> nodes_;
  std::vector<CodeRange> boxes_;  // [node * width + q]
  std::vector<CellId> order_;
  std::vector<std::uint32_t> leaf_of_;
};

}  // namespace cordon::engine
