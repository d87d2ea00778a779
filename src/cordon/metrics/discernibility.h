// SPDX-License-Identifier: Apache-2.0
//
// How many rows each row cannot be told from: the sum of |group|^2, and the rows of the input for each row that was suppressed
// or dropped, which cannot be told from any of them. Groups are those a reader sees (grouping.h).
#pragma once

#include <cstdint>

#include "cordon/base/run.h"
#include "cordon/data/release.h"

namespace cordon::engine {

struct Discernibility {
  std::uint64_t discernibility = 0;
  std::uint64_t groups = 0;  // without the suppressed rows, like the sizes below; 0 if there is none
  std::uint64_t min_group = 0;
  double mean_group = 0;
  std::uint64_t max_group = 0;
  std::uint64_t suppressed = 0;  // left out or published as stars
  std::uint64_t starred = 0;     // of these, published
  std::uint64_t dropped = 0;     // for missing cells
};

Discernibility MeasureDiscernibility(const Release& release, const Run& run);

}  // namespace cordon::engine
