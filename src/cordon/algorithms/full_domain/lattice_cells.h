// SPDX-License-Identifier: Apache-2.0
//
// The rows of a view as the lattice search sees them: rows that agree in every quasi column are one cell, and at a node
// of the lattice (a level per quasi column) cells whose bins agree are one group. Keys are exact: no hash value stands
// for a row.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/full_domain/lattice_levels.h"
#include "cordon/base/hash_index.h"
#include "cordon/base/run.h"

namespace cordon::engine {

using LevelVector = std::vector<std::uint8_t>;  // a level per quasi column: a node of the lattice

// Cells, and which of them stand for several: at a node, one cell of each group can stand for the whole group at every
// node above.
struct CellSet {
  LevelVector levels;                    // the node whose groups these are; all 0: the cells themselves
  std::vector<std::uint32_t> cells;      // one of each group
  std::vector<std::uint32_t> rows;       // of the input in each group
  std::vector<std::vector<Code>> codes;  // [quasi][place in cells]: of those cells
};

class LatticeCells {
 public:
  LatticeCells(const View& view, std::vector<std::vector<Level>> levels, const Run& run);

  std::size_t num_quasi() const { return levels_.size(); }
  std::size_t num_cells() const { return starts_.size() - 1; }
  std::uint64_t num_rows() const { return num_rows_; }  // of the input that the view's rows stand for
  const std::vector<Level>& levels(std::size_t quasi) const { return levels_[quasi]; }
  std::uint8_t top(std::size_t quasi) const { return static_cast<std::uint8_t>(levels_[quasi].size() - 1); }
  LevelVector Top() const;

  // In the order of their first rows; the rows of a cell in the order of the view.
  std::span<const RowId> rows(std::size_t cell) const {
    return std::span(rows_).subspan(starts_[cell], starts_[cell + 1] - starts_[cell]);
  }
  Code code(std::size_t quasi, std::size_t cell) const { return all_.codes[quasi][cell]; }
  const CellSet& all() const { return all_; }

 private:
  std::vector<std::vector<Level>> levels_;
  std::vector<std::size_t> starts_;
  std::vector<RowId> rows_;
  std::uint64_t num_rows_;
  CellSet all_;
};

// Groups cells; keeps its memory from call to call. One per thread.
class CellGrouper {
 public:
  explicit CellGrouper(const LatticeCells& cells) : cells_(cells) {}

  // Numbers the groups of `set` at `levels` by the columns `quasi`, in the order of their first cells: group_of(i) is
  // the group of set.cells[i]. Returns how many there are. REQUIRES: set.codes is filled.
  std::size_t Group(const CellSet& set, std::span<const std::size_t> quasi, std::span<const std::uint8_t> levels);

  std::uint32_t group_of(std::size_t i) const { return ids_[i]; }
  std::span<const std::uint32_t> groups() const { return ids_; }

 private:
  std::size_t Number(std::uint64_t radix);
  std::size_t NumberByTable(std::uint64_t radix);
  std::size_t NumberByHash();

  const LatticeCells& cells_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint32_t> slots_;  // by key, if the keys are few
  KeyNumbers numbers_;
  std::vector<std::uint64_t> part_;  // of a key, by code
};

}  // namespace cordon::engine
