// SPDX-License-Identifier: Apache-2.0
//
// The score of a refinement in whole numbers, so that two machines, two thread counts and two parties of a protocol
// agree on every winner. A logarithm is a fixed-point number of 32 binary places, truncated; sums of count * log2(count)
// give |rows| * information gain * 2^32 without rounding in between.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cordon/base/rational.h"

namespace cordon::engine {

// log2(n) * 2^32, truncated. REQUIRES: n > 0.
std::uint64_t FixedLog2(std::uint64_t n);

// n * FixedLog2(n), each logarithm up to some number worked out once. Safe to use from any thread.
class LogTable {
 public:
  // `largest`: logarithms of greater numbers are not kept.
  explicit LogTable(std::uint64_t largest);

  // REQUIRES: 0 <= n < 2^32; below 2^69 then.
  Int128 operator()(std::int64_t n) const {
    if (n < 2) return 0;
    if (static_cast<std::uint64_t>(n) >= size_) return static_cast<Int128>(n) * FixedLog2(static_cast<std::uint64_t>(n));
    std::uint64_t log = logs_[n].load(std::memory_order_relaxed);
    if (log == 0) {
      log = FixedLog2(static_cast<std::uint64_t>(n));
      logs_[n].store(log, std::memory_order_relaxed);  // the first to come stores the same number
    }
    return static_cast<Int128>(n) * log;
  }

  // |rows| * entropy of the classes * 2^32: 0 exactly if all rows are of one class.
  Int128 Entropy(std::span<const std::int64_t> class_counts) const {
    Int128 sum = 0;
    std::int64_t rows = 0;
    for (const std::int64_t count : class_counts) {
      sum += (*this)(count);
      rows += count;
    }
    return (*this)(rows)-sum;
  }

 private:
  std::size_t size_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> logs_;
};

// What a refinement costs: the sum over the requirements it touches of what they lose, in units of 1 / 2^kLossBits.
inline constexpr int kLossBits = 20;
struct LossSum {
  Int128 sum = 0;
  std::int64_t terms = 0;
};

// floor(gain / rows / (mean loss + 1) * 2^20), where gain is |rows| * information gain * 2^32: score * 2^52. A loss of
// nobody (no terms) counts 0.
UInt128 GainPerLoss(Int128 gain, std::int64_t rows, const LossSum& loss);

}  // namespace cordon::engine
