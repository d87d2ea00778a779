// SPDX-License-Identifier: Apache-2.0
//
// Published rows as learners see them. A cell is a set of leaves of its column's axis: a value is one leaf, an interval or a
// hierarchy node several. The leaves that no training cell tells apart are one atom, and a cell is a weighted set of
// atoms: under a global recoding each cell is one atom, whole values are their own, and overlapping cells share theirs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cordon/data/view.h"

namespace cordon::engine {

using LeafSet = std::vector<CodeRange>;  // ascending, disjoint, not empty

struct FeatureColumn {
  std::string name;
  bool ordered = false;        // numbers and dates: may be split at a threshold
  Code num_leaves = 0;         // of the axis, the same in all tables that are compared with each other
  std::vector<LeafSet> cells;  // the different cells
  std::vector<Code> of_row;    // row -> cell
};

struct FeatureTable {
  std::vector<FeatureColumn> columns;
  std::vector<Code> labels;  // row -> class
  Code num_classes = 0;
  std::size_t num_rows() const { return labels.size(); }
};

struct AxisShare {
  Code atom;
  double share;     // of the cell: its leaves in the atom / its leaves
  double coverage;  // of the atom: its leaves in the cell / its leaves
};

// The atoms of one training column, and cells in terms of them.
class FeatureAxis {
 public:
  explicit FeatureAxis(const FeatureColumn& training);

  bool ordered() const { return ordered_; }
  Code num_atoms() const { return static_cast<Code>(sizes_.size()); }
  // Leaves of the atom.
  std::int64_t size(Code atom) const { return sizes_[atom]; }
  std::vector<AxisShare> Shares(const LeafSet& cell) const;

 private:
  bool ordered_;
  std::vector<Code> atom_of_leaf_;
  std::vector<std::int64_t> sizes_;
};

// Each different cell of a column as shares, on the atoms of a training column of the same axis.
struct AxisColumn {
  std::vector<std::vector<AxisShare>> cells;
  std::span<const Code> of_row;

  AxisColumn(const FeatureAxis& axis, const FeatureColumn& column) : of_row(column.of_row) {
    for (const LeafSet& cell : column.cells) cells.push_back(axis.Shares(cell));
  }
  const std::vector<AxisShare>& operator[](std::size_t row) const { return cells[of_row[row]]; }
};

}  // namespace cordon::engine
