// SPDX-License-Identifier: Apache-2.0
//
// The Hilbert curve over the quasi columns: rows whose keys are near lie near in every column. Any number of columns
// and any sizes of domains; each column is stretched over the same grid of 2^bits cells, so that a column of two values
// weighs as much as one of eighty.
//
// Keys come from Skilling's transposition (Programming the Hilbert curve, 2004). A key has columns * bits bits, of which
// the first 128 are kept: beyond them rows are neighbours in all that matters, and a prefix of a key is the key of a
// coarser grid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"

namespace cordon::engine {

class HilbertCurve {
 public:
  // Over axes of this many codes each, every size at least 1.
  explicit HilbertCurve(std::span<const Code> sizes);

  std::size_t num_axes() const { return cells_.size(); }
  int bits() const { return bits_; }  // per axis: enough for the largest
  // Of a kept key, at most 128.
  int key_bits() const { return key_bits_; }

  // Where a point lies on the curve. REQUIRES: a code per axis, 0 <= code < size.
  UInt128 Key(std::span<const Code> codes) const;

  // The keys of the view's rows in their order, over the given columns. Word is std::uint64_t, if key_bits() <= 64, or
  // UInt128. The same for any number of threads.
  template <typename Word>
  std::vector<Word> Keys(const View& view, std::span<const std::size_t> columns, const Run& run) const;

 private:
  // A block of points side by side: x[axis * kBlock + point].
  static constexpr std::size_t kBlock = 64;
  void Transpose(std::uint32_t* x) const;
  static void Exchange(std::uint32_t* __restrict first, std::uint32_t* __restrict other, int bit, std::uint32_t below);
  template <typename Word>
  void Interleave(const std::uint32_t* x, Word* keys) const;

  std::vector<std::vector<std::uint32_t>> cells_;  // by axis and code: the place on the grid
  int bits_ = 0;
  int key_bits_ = 0;
};

}  // namespace cordon::engine
