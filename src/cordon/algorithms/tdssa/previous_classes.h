// SPDX-License-Identifier: Apache-2.0
//
// The previous releases as one side of a join, for one requirement. Several releases are folded into one: rows that match each
// other become one row whose cells in a shared column are what all of them may stand for (runs on a line that overlap
// pairwise have a common part). Rows that are alike in what joins are a class; what a class holds is counted by x and by what
// the requirement asks of Y. The join itself is never made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/algorithms/tdssa/sequential_input.h"

namespace cordon::engine {

struct PreviousClasses {
  struct Entry {
    std::uint32_t x = 0;           // number of the previous releases' part of x
    std::uint32_t unit = 0;        // what Y counts: number of a row or of values; guarded: number of a set of guarded values
    std::int64_t rows = 0;         // tuples of previous rows
    std::int64_t unit_weight = 1;  // different Y that the unit stands for
    std::uint32_t pair = 0;        // number of (x, unit)
  };

  std::uint32_t num_classes = 0;
  std::uint32_t num_x = 0;
  std::uint32_t num_pairs = 0;
  std::vector<std::uint32_t> starts;  // class i has entries[starts[i]] .. entries[starts[i + 1] - 1]
  std::vector<Entry> entries;
  std::vector<std::vector<std::uint32_t>> guarded_sets;  // by unit: numbers of guarded values

  // Cells of the classes, for each way in which the current table is compared with them:
  struct Link {
    std::string column;                      // of the current table
    std::vector<Extent> extents;             // by class, if the previous releases have the column; else empty
    const ImpossiblePairs* pairs = nullptr;  // or cells that nobody has together with the column's:
    bool is_current = true;                  // whether the column is the pairs' `current`
    std::vector<std::string> texts;          // by class
  };
  std::vector<Link> links;
};

// `values`: by previous guarded place, in the order of `join.y`, numbers of its texts (code + 1 -> number or -1).
struct GuardedTexts {
  std::size_t table = 0;
  std::size_t column = 0;
  std::vector<std::int32_t> number_of;  // by code + 1; -1: not guarded
};

// An error if the releases' own join is too large to be folded.
Result<PreviousClasses> MakePreviousClasses(const SequentialInput& sequential, const ResolvedJoin& join,
                                            const std::vector<GuardedTexts>& guarded);

}  // namespace cordon::engine
