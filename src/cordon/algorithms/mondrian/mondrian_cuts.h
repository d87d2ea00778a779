// SPDX-License-Identifier: Apache-2.0
//
// Where a run of rows could be cut, and in which order the cuts are worth trying. Knows nothing of privacy models.
//
// A run is surveyed once: one pass counts the codes of all attributes whose box is narrow against the number of
// rows; the others are read one by one and their medians selected. So a run of n rows costs O(n) per attribute,
// however large the domains are.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/packed_rows.h"
#include "cordon/algorithms/mondrian/mondrian_options.h"

namespace cordon::engine {

struct Cut {
  struct Part {
    CodeRange box;  // of its rows, along the cut attribute
    std::size_t rows = 0;
  };
  std::size_t attribute = 0;
  std::vector<Part> parts;      // ascending and disjoint; relaxed: neighbours may share the code at the border
  std::size_t shared_left = 0;  // relaxed: this many rows at parts[1].box.lo, the first ones, belong to parts[0]
};

// For one thread at a time: it keeps its memory from run to run.
class CutFinder {
 public:
  // `attributes`: those of the packed columns, in their order. All three outlive the finder.
  CutFinder(const PackedRows& rows, std::span<const Attribute> attributes, const MondrianOptions& options);

  // Takes up a run, not empty. `box` bounds its codes on entry and is their tight box on return.
  void Survey(const RowRun& run, std::span<CodeRange> box);
  // Attributes that can be cut, the most promising first; ties in the order of the attributes.
  std::span<const std::size_t> Order() const { return order_; }
  // REQUIRES: the attribute is in Order().
  const Cut& Along(std::size_t attribute);

 private:
  // Where the counts of an attribute start in counts_; code c is at shift + c.
  struct Counted {
    bool narrow = false;
    std::ptrdiff_t shift = 0;
  };

  struct Reading {
    std::uint32_t offset;
    std::ptrdiff_t shift;
  };

  void Count();
  void Tighten(std::size_t attribute);
  void Rank();
  void Find(std::size_t attribute);
  void FindMedian(std::size_t attribute);
  void FindMedianByCounts(std::size_t attribute);
  void FindMedianBySelection(std::size_t attribute);
  // `median` starts the right part; `below` is the greatest code under it, with the number of rows under it.
  void SetHalves(std::size_t attribute, Code below, Code median, std::size_t rows_below);
  void FindChildren(std::size_t attribute);
  double LossSaved(const Cut& cut) const;
  void GatherCodes(std::size_t attribute);
  bool Hierarchical(std::size_t attribute) const;

  const PackedRows& rows_;
  std::span<const Attribute> attributes_;
  const MondrianOptions& options_;

  RowRun run_;
  std::span<CodeRange> box_;
  std::vector<Counted> counted_;
  std::array<std::vector<Reading>, 3> reading_;  // counted fields of 1, 2 and 4 bytes
  std::vector<std::uint32_t> counts_;
  std::vector<Code> codes_;  // of the attribute at hand, if it is not counted
  std::vector<Cut> cuts_;
  std::vector<char> found_;
  std::vector<double> scores_;
  std::vector<std::size_t> order_;
};

}  // namespace cordon::engine
