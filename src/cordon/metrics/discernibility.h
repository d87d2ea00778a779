// SPDX-License-Identifier: Apache-2.0
//
// How many rows each row cannot be told from: the sum of |group|^2, and rows x suppressed for suppressed rows, which
// cannot be told from any row of the input. Groups are those a reader sees (grouping.h).
#pragma once

#include <cstdint>

#include "cordon/base/run.h"
#include "cordon/data/release.h"

namespace cordon {

struct Discernibility {
  std::uint64_t discernibility = 0;
  std::uint64_t groups = 0;  // without the suppressed rows, like the sizes below; 0 where there is none
  std::uint64_t min_group = 0;
  double mean_group = 0;
  std::uint64_t max_group = 0;
  std::uint64_t suppressed = 0;  // rows left out, and rows that are "*" in every quasi column
};

Discernibility MeasureDiscernibility(const Release& release, const Run& run);

}  // namespace cordon
