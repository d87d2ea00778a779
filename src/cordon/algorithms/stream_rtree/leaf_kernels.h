// SPDX-License-Identifier: Apache-2.0
//
// The inner loops of the R-tree publisher: distances from a point to many boxes, and which of many points lie within an
// interval. They add in the order of the calls, lane by lane, without fused operations, so every instruction set gives the
// same bits and ties stay ties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cordon::engine::internal {

// Boxes by axis: side a of box i stands at [a * stride + i].
struct BoxColumns {
  const double* los;
  const double* his;
  std::size_t stride;
};

// sums[i] = sum over the axes of max(lo - x, x - hi, 0) * scale: how far the point lies outside of each box.
void Gaps(const BoxColumns& boxes, std::span<const double> point, std::span<const double> scales, double* sums,
          std::size_t size);

// codes[i] lies in lo .. lo + width.
struct CodeTest {
  const std::uint8_t* codes;
  std::uint8_t lo;
  std::uint8_t width;
};

// marks[i] = 1 if all tests hold of i, else 0; returns how many do.
std::size_t MarkAll(std::span<const CodeTest> tests, std::uint8_t* marks, std::size_t size);

}  // namespace cordon::engine::internal
