// SPDX-License-Identifier: Apache-2.0
//
// What any release must lose: a lower bound on the information loss of every release of a table whose groups all have at least
// k rows and, if asked for, l different sensitive values. docs/bound.md defines it and has the proof.
//
// Up to kMaxCells distinct rows all rows are priced, and the bound is certain. Beyond that, or if asked for, a random sample
// of the rows is, each with the cheapest box around it in the whole table, and the bound holds with kConfidence.
#pragma once

#include <cstdint>
#include <optional>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/metrics/bound/cell_space.h"

namespace cordon::engine {

struct LossBoundOptions {
  static constexpr std::uint64_t kMaxCells = 100'000;
  static constexpr std::uint64_t kDefaultSample = 20'000;
  static constexpr double kConfidence = 0.99;

  std::optional<std::uint64_t> sample;  // rows to look at; 0: all. None: by the size of the table
  std::uint64_t seed = 1;               // of the sample

  Result<void> Validate() const;
};

struct LossBound {
  double information_loss = 0;  // no release loses less
  double cheapest_boxes = 0;    // the weaker bound that the search starts from: the mean cost of the cheapest box of a row
  std::uint64_t rows = 0;       // of the input
  std::uint64_t sampled = 0;    // rows that were looked at; 0: all
  bool cut_short = false;       // with more time it might be higher
  LeastGroup least;
};

// A budget of the run limits the search for better prices and its proof, not the cheapest boxes; what is proved so far holds.
// REQUIRES: least.rows >= 1; every distinct.column is one of the data, and its count is 1 to least.rows.
Result<LossBound> BoundLoss(const Microdata& data, const LeastGroup& least, const LossBoundOptions& options, const Run& run);

}  // namespace cordon::engine
