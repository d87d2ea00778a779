// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/hilbert.h"

#include <algorithm>
#include <bit>

#include "cordon/base/check.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr int kMaxKeyBits = 128;
constexpr std::size_t kKeysPerTask = 1 << 14;

}  // namespace

HilbertCurve::HilbertCurve(std::span<const Code> sizes) : cells_(sizes.size()) {
  for (const Code size : sizes) {
    CORDON_CHECK_LE(1, size);
    bits_ = std::max(bits_, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(size - 1))));
  }
  key_bits_ = static_cast<int>(std::min<std::size_t>(sizes.size() * static_cast<std::size_t>(bits_), kMaxKeyBits));
  // floor(code * (2^bits - 1) / (size - 1)): the ends of each axis are the ends of the grid.
  const std::uint64_t last = (std::uint64_t{1} << bits_) - 1;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto size = static_cast<std::uint64_t>(sizes[axis]);
    for (std::uint64_t code = 0; code < size; ++code) {
      cells_[axis].push_back(static_cast<std::uint32_t>(code * last / std::max<std::uint64_t>(size - 1, 1)));
    }
  }
}

// One step of one bit: if it is set in `other`, `first` is inverted below it, else the two swap what is below it.
void HilbertCurve::Exchange(std::uint32_t* __restrict first, std::uint32_t* __restrict other, int bit, std::uint32_t below) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint32_t set = 0 - ((other[i] >> bit) & 1);  // all ones if it is set
    const std::uint32_t swap = (first[i] ^ other[i]) & below & ~set;
    first[i] ^= swap ^ (below & set);
    other[i] ^= swap;
  }
}

// Skilling's steps without branches, so that a block of points goes through them side by side.
void HilbertCurve::Transpose(std::uint32_t* x) const {
  const std::size_t axes = cells_.size();
  for (int bit = bits_ - 1; bit > 0; --bit) {
    const std::uint32_t below = (std::uint32_t{1} << bit) - 1;
    for (std::size_t i = 0; i < kBlock; ++i) x[i] ^= below & (0 - ((x[i] >> bit) & 1));  // axis 0 against itself
    for (std::size_t axis = 1; axis < axes; ++axis) Exchange(x, x + axis * kBlock, bit, below);
  }
  for (std::size_t axis = 1; axis < axes; ++axis) {
    for (std::size_t i = 0; i < kBlock; ++i) x[axis * kBlock + i] ^= x[(axis - 1) * kBlock + i];
  }
  std::uint32_t flips[kBlock] = {};
  const std::uint32_t* const last = x + (axes - 1) * kBlock;
  for (int bit = bits_ - 1; bit > 0; --bit) {
    const std::uint32_t below = (std::uint32_t{1} << bit) - 1;
    for (std::size_t i = 0; i < kBlock; ++i) flips[i] ^= below & (0 - ((last[i] >> bit) & 1));
  }
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (std::size_t i = 0; i < kBlock; ++i) x[axis * kBlock + i] ^= flips[i];
  }
}

// The highest bits of all axes, axis 0 first, then the next ones.
template <typename Word>
void HilbertCurve::Interleave(const std::uint32_t* x, Word* keys) const {
  std::fill(keys, keys + kBlock, Word{0});
  int left = key_bits_;
  for (int bit = bits_ - 1; bit >= 0; --bit) {
    for (std::size_t axis = 0; axis < cells_.size(); ++axis) {
      if (left-- == 0) return;
      for (std::size_t i = 0; i < kBlock; ++i) keys[i] = (keys[i] << 1) | ((x[axis * kBlock + i] >> bit) & 1);
    }
  }
}

UInt128 HilbertCurve::Key(std::span<const Code> codes) const {
  CORDON_CHECK_EQ(codes.size(), cells_.size());
  if (key_bits_ == 0) return 0;
  std::vector<std::uint32_t> x(cells_.size() * kBlock);
  for (std::size_t axis = 0; axis < cells_.size(); ++axis) x[axis * kBlock] = cells_[axis][codes[axis]];
  Transpose(x.data());
  UInt128 keys[kBlock];
  Interleave(x.data(), keys);
  return keys[0];
}

template <typename Word>
std::vector<Word> HilbertCurve::Keys(const View& view, std::span<const std::size_t> columns, const Run& run) const {
  CORDON_CHECK_EQ(columns.size(), cells_.size());
  CORDON_CHECK_LE(static_cast<std::size_t>(key_bits_), 8 * sizeof(Word));
  std::vector<Word> keys(view.size());
  if (key_bits_ == 0) return keys;
  ParallelFor(run.threads, view.size(), kKeysPerTask, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> x(cells_.size() * kBlock);
    Word block[kBlock];
    for (std::size_t at = begin; at < end; at += kBlock) {
      const std::span<const RowId> rows = view.rows().subspan(at, std::min(kBlock, end - at));
      for (std::size_t axis = 0; axis < cells_.size(); ++axis) {
        const Codes& codes = view.data().columns[columns[axis]].codes;
        for (std::size_t i = 0; i < rows.size(); ++i) x[axis * kBlock + i] = cells_[axis][codes[rows[i]]];
      }
      Transpose(x.data());
      Interleave(x.data(), block);
      std::copy_n(block, rows.size(), keys.begin() + static_cast<std::ptrdiff_t>(at));
    }
  });
  return keys;
}

template std::vector<std::uint64_t> HilbertCurve::Keys(const View&, std::span<const std::size_t>, const Run&) const;
template std::vector<UInt128> HilbertCurve::Keys(const View&, std::span<const std::size_t>, const Run&) const;

}  // namespace cordon::engine
