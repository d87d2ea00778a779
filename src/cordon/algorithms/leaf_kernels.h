// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of the R-tree publisher: distances from a point to many boxes, and which of many points lie within an
// interval. They add in the order of the calls, lane by lane, without fused operations, so every instruction set gives the
// same bits and ties stay ties.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cordon::internal {

// sums[i] += max(los[i] - x, x - his[i], 0) * scale: how far x lies outside of each interval.
void AddGaps(const double* los, const double* his, double x, double scale, double* sums, std::size_t size);

// marks[i] = 0 where codes[i] is not in lo..hi.
void KeepWithin(const std::uint8_t* codes, std::uint8_t lo, std::uint8_t hi, std::uint8_t* marks, std::size_t size);

// How many of the marks, each 0 or 1, are set.
std::size_t CountMarks(const std::uint8_t* marks, std::size_t size);

}  // namespace cordon::internal
