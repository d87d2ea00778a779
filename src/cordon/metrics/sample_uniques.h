// SPDX-License-Identifier: Apache-2.0
//
// Why rows are at risk: the minimal sets of columns by which a row has fewer than `below` rows like it, itself included. With
// below = 2 these are the minimal sample uniques of SUDA (Elliot and Manning): the row is alone by all columns of the set, and
// not by any part of it. A short set is a risk that an attacker needs to know little for.
//
// The search visits sets of columns so that every set comes after its subsets. The rows of a set lie in classes; a class that
// gets too small is entered for its rows and leaves the search, because all that would come after it is not minimal. So the
// work shrinks with every class found. It is bounded by the size of the sets, which is chosen before the search begins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/metrics/grouping.h"

namespace cordon::engine {

struct SampleUniqueOptions {
  std::int64_t below = 2;
  std::uint64_t budget = std::uint64_t{1} << 28;  // rows times sets that may be looked at
};

// A row at risk.
struct RiskyRow {
  RowId row = 0;
  std::uint32_t sets = 0;            // minimal sets of columns
  std::uint64_t best = 0;            // the set with the highest score, one bit per column; of several, the first
  double score = 0;                  // sum over its sets
  std::vector<double> contribution;  // by column: share of the score in sets that have the column
};

struct SampleUniques {
  std::vector<RiskyRow> rows;  // by score, descending; then by row
  std::size_t max_size = 0;    // of the sets that were looked at; below the number of columns if the budget did not allow more
  std::vector<double> contribution;  // by column, over all rows
};

inline constexpr std::size_t kMaxUniqueColumns = 64;

// The score of a set of s out of n columns, as SUDA has it with sets of at most m: (n - s) (n - s - 1) ... (n - m), where m is
// below n; 1 for an empty product.
double SetScore(std::size_t size, std::size_t columns, std::size_t max_size);

// REQUIRES: 1 to kMaxUniqueColumns columns, below >= 2.
Result<SampleUniques> FindSampleUniques(std::span<const CodedColumn> columns, std::size_t num_rows,
                                        const SampleUniqueOptions& options, const Run& run);

}  // namespace cordon::engine
