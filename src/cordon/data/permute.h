// SPDX-License-Identifier: Apache-2.0
//
// From groups to published rows by permutation: every cell stays exact, but the numbers of one sensitive column are
// shuffled inside each group. What Recode is to generalization.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/data/view.h"

namespace cordon::engine {

inline constexpr const char* kGroupColumn = "group";

// How a missing cell of a quasi column is published.
enum class MissingAs {
  kMarker,    // the policy's first marker, as in every file of rows
  kNullCell,  // in the tables of a store
};

// The exact cells of rows, as they are published. Numbers and dates of quasi columns in their canonical spelling.
std::vector<ReleaseColumn> ExactCells(const Microdata& data, std::span<const RowId> rows, MissingAs missing, const Run& run);

struct PermutedRows {
  std::vector<ReleaseColumn> columns;  // all that is published, the sensitive column included: its cells are replaced
  std::size_t sensitive = 0;           // its place among them
  std::vector<std::int64_t> values;    // of the sensitive column, row by row
  int scale = 0;                       // digits after the point
  std::span<const RowId> grouped;      // rows, group after group
  std::span<const std::uint64_t> starts;
  std::uint64_t first_group = 1;  // groups get the numbers from here on, in random order
};

struct Permuted {
  Release release;           // rows in random order, with the column "group" last
  std::vector<RowId> order;  // published row -> row of the columns given: private
};

// Each group is shuffled uniformly (its own order included), and so is the order of all rows. The same for any number of
// threads. REQUIRES: each row is in one group.
Permuted PermuteWithinGroups(PermutedRows rows, const Random& random, const Run& run);

}  // namespace cordon::engine
