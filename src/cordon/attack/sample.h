// SPDX-License-Identifier: Apache-2.0
//
// This many of the numbers 0 to all - 1, ascending, every choice equally likely; all of them if there are no more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "cordon/base/quick_random.h"

namespace cordon::engine {

inline std::vector<std::size_t> SampleNumbers(std::size_t all, std::size_t some, QuickRandom& random) {
  std::vector<std::size_t> numbers(all);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  if (all <= some) return numbers;
  for (std::size_t i = 0; i < some; ++i) std::swap(numbers[i], numbers[i + random.Below(all - i)]);
  numbers.resize(some);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace cordon::engine
