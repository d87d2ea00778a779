// SPDX-License-Identifier: Apache-2.0
//
// How well columns tell rows apart, alone and a few together: what makes a column a quasi-identifier, whatever its name.
//
//   distinction   distinct combinations / rows: 1 where every row has its own
//   separation    share of the pairs of rows that differ in at least one of the columns
//
// Both are those of Motwani and Xu; a column of high cardinality has a high distinction, one that merely splits the rows
// well, such as sex, a high separation for its few values. A missing cell is a value like any other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/metrics/grouping.h"

namespace cordon {

struct Separation {
  std::vector<std::size_t> columns;  // places among the columns given, ascending
  std::uint64_t combinations = 0;    // distinct ones
  std::uint64_t unique_rows = 0;     // rows that nobody shares a combination with
  double distinction = 0;            // 0 for a table without rows
  double separation = 0;             // 0 for a table of fewer than two rows
};

// Of all the columns together.
Separation MeasureSeparation(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run);

struct SubsetOptions {
  std::size_t max_columns = 3;     // in a subset
  std::size_t max_subsets = 4096;  // where more would come up, subsets have fewer columns; single columns are always measured
};

// Of every subset of at most max_columns columns: those that separate most first, then those that distinguish most, then
// those of fewer and of earlier columns. Time is that of one pass over the rows a subset.
std::vector<Separation> SeparationOfSubsets(std::span<const CodedColumn> columns, std::size_t num_rows,
                                            const SubsetOptions& options, const Run& run);

}  // namespace cordon
