// SPDX-License-Identifier: Apache-2.0
//
// A stream of independent tuples whose values are more or less skewed: four numbers from 1 to 1000, each value v with a
// share proportional to 1 / v^alpha. At alpha = 0 tuples lie evenly, and groups are wide; the larger alpha, the denser one
// corner. docs/generate.md states everything down to the bit.
#pragma once

#include <cstdint>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/synthetic/generated.h"

namespace cordon::engine {

struct PowerlawOptions {
  std::uint64_t rows = 100'000;
  std::uint64_t seed = 1;
  double alpha = 1;  // 0, 0.5, 1, ..., 4

  Result<void> Validate() const;
};

Result<Generated> GeneratePowerlaw(const PowerlawOptions& options);

// Values 1..values with shares proportional to 1 / v^(halves / 2), in whole numbers.
class PowerlawDraw {
 public:
  PowerlawDraw(int values, int halves);
  int operator()(Random& random) const;
  const std::vector<std::uint64_t>& cumulative() const { return cumulative_; }

 private:
  std::vector<std::uint64_t> cumulative_;
};

}  // namespace cordon::engine
