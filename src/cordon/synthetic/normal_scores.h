// SPDX-License-Identifier: Apache-2.0
//
// Standard normal scores in whole units of 2^-27, the same on every machine. The C library's exp, log and erf
// differ in their last bits from one platform to the next, so nothing here calls them: quantiles are worked out
// once with + - * / alone, which IEEE 754 fixes, rounded to whole units, and all that follows is whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cordon::engine {

inline constexpr int kScoreBits = 27;

// The score below which a share p of the distribution lies; p is numerator / denominator, strictly between 0 and 1.
std::int32_t NormalQuantile(std::uint64_t numerator, std::uint64_t denominator);

// The quantile function over uniform 64-bit words, tabulated: each half of the distribution in 32 octaves of its
// tail probability, each octave in 128 cells, straight lines in between. Off by less than 10^-5 of a standard
// deviation; words beyond the last octave (two in 2^32) get its end, 6.3 standard deviations.
class NormalScores {
 public:
  NormalScores();

  std::int32_t operator()(std::uint64_t word) const {
    const std::uint64_t tail = word << 1 | 1;  // never 0; its half of the top bit is the tail probability
    const auto octave = static_cast<std::size_t>(__builtin_clzll(tail));
    std::int32_t size = last_;
    if (octave < kOctaves) {
      const std::uint64_t mantissa = tail << octave;
      const Cell& cell = cells_[octave * kCells + (mantissa >> 56 & (kCells - 1))];
      const std::uint64_t part = mantissa >> 24 & 0xffffffff;
      size = cell.start - static_cast<std::int32_t>(cell.drop * part >> 32);
    }
    return word >> 63 == 0 ? -size : size;
  }

 private:
  struct Cell {
    std::int32_t start;  // score at the lower end of the cell's tail probabilities, the larger one
    std::uint32_t drop;  // how much less it is at the upper end
  };
  static constexpr std::size_t kOctaves = 32;
  static constexpr std::size_t kCells = 128;
  std::vector<Cell> cells_;
  std::int32_t last_ = 0;
};

}  // namespace cordon::engine
