// SPDX-License-Identifier: Apache-2.0
//
// Fast numbers for searches that draw millions of them and protect nothing by them: SplitMix64 over a key that comes
// from a Random. What protects (orders of rows, permutations, choices of a stream) takes Random itself.
#pragma once

#include <cmath>
#include <cstdint>

#include "cordon/base/random.h"

namespace cordon::engine {

class QuickRandom {
 public:
  explicit QuickRandom(std::uint64_t key) : state_(key) {}
  explicit QuickRandom(Random random) : state_(random.Next()) {}

  std::uint64_t Next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // In [0, bound); the bias is below bound / 2^32. REQUIRES: 0 < bound <= 2^32.
  std::uint32_t Below(std::uint64_t bound) { return static_cast<std::uint32_t>(((Next() >> 32) * bound) >> 32); }
  // In (0, 1].
  double Unit() { return (static_cast<double>(Next() >> 11) + 1) * 0x1p-53; }
  // Exponentially distributed with mean 1.
  double Exponential() { return -std::log(Unit()); }

 private:
  std::uint64_t state_;
};

}  // namespace cordon::engine
