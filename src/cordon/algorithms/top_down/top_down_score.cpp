// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/top_down/top_down_score.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace cordon::engine {

namespace {
constexpr std::uint64_t kMaxKept = std::uint64_t{1} << 26;  // 512 MB of address space, touched where needed
}

std::uint64_t FixedLog2(std::uint64_t n) {
  const int exponent = static_cast<int>(std::bit_width(n)) - 1;
  std::uint64_t mantissa = n << (63 - exponent);  // in [1, 2), 63 binary places
  std::uint64_t fraction = 0;
  for (int bit = 0; bit < 32; ++bit) {
    // Squaring doubles the logarithm: its next bit is whether the square has passed 2.
    const UInt128 square = static_cast<UInt128>(mantissa) * mantissa >> 63;
    fraction <<= 1;
    if (square >> 64 != 0) {
      fraction |= 1;
      mantissa = static_cast<std::uint64_t>(square >> 1);
    } else {
      mantissa = static_cast<std::uint64_t>(square);
    }
  }
  return (static_cast<std::uint64_t>(exponent) << 32) | fraction;
}

LogTable::LogTable(std::uint64_t largest)
    : size_(static_cast<std::size_t>(std::min(largest + 1, kMaxKept))), logs_(new std::atomic<std::uint64_t>[size_]()) {}

UInt128 GainPerLoss(Int128 gain, std::int64_t rows, const LossSum& loss) {
  // gain < 2^69, or 2^64 without classes; terms < 2^16; 2^40: below 2^127.
  const Int128 terms = std::max<std::int64_t>(loss.terms, 1);
  const UInt128 above = static_cast<UInt128>(gain) * static_cast<UInt128>(terms) << (2 * kLossBits);
  const UInt128 below = static_cast<UInt128>(rows) * static_cast<UInt128>(loss.sum + (terms << kLossBits));
  return above / below;
}

}  // namespace cordon::engine
