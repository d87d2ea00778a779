// SPDX-License-Identifier: Apache-2.0
//
// Is what a release says true of the data it was made from? Every quasi cell must cover the true value of its row, every
// kept cell must show the original's text. A release can satisfy all models and still be wrong; this finds it.
//
// With a mapping of rows each cell is checked. Without one only what must be so in any case: no more rows than the
// original has, kept texts no more often than there, every quasi cell readable and covering some value that occurs. A column
// that was shuffled inside groups must show, group by group, the values of the group's rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"

namespace cordon::engine {

struct Truth {
  bool holds = true;
  bool necessary_only = false;           // no mapping was given: necessary conditions only
  std::optional<std::uint64_t> bad_row;  // first row of the release, from 1, that is not true
  std::string bad_column;                // its first wrong column; empty if rows are too many
  std::string reason;                    // in words, without any cell

  // "truth: holds", "truth: passed every check that is possible without a row map", "truth: does not hold: row 7, column 'age':
  // ..."
  std::string Explain() const;
};

// `rows`: row of the original behind each row of the release; none given: necessary conditions only. An error if the
// two tables do not go together: a column the original lacks, a mapping of the wrong size or to rows that are not there.
Result<Truth> CheckAgainstOriginal(const Release& release, const Microdata& original,
                                   std::optional<std::span<const RowId>> rows, const Run& run);

}  // namespace cordon::engine
