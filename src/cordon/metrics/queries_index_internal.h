// SPDX-License-Identifier: Apache-2.0
//
// Which items of a block have a key below a given one, as bits. Items are sorted by key; at some keys (a cut about every
// kStep items) the bits of all items below are kept. Any other threshold is the next cut below it and a walk over the few
// items between. A predicate on 16,384 rows is then an AND of two times 256 words, however many values a column has.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cordon/data/domain.h"

namespace cordon::engine::internal {

inline constexpr std::size_t kBlockItems = std::size_t{1} << 14;
inline constexpr std::size_t kBlockWords = kBlockItems / 64;
using Bits = std::array<std::uint64_t, kBlockWords>;

class PrefixBits {
 public:
  // keys[i] is that of item i. REQUIRES: at most kBlockItems.
  explicit PrefixBits(std::span<const Code> keys) {
    items_.resize(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) items_[i] = {keys[i], static_cast<std::uint32_t>(i)};
    std::sort(items_.begin(), items_.end(),
              [](const Item& a, const Item& b) { return a.key != b.key ? a.key < b.key : a.number < b.number; });
    constexpr std::size_t kStep = 128;
    Bits below{};
    AddCut(items_.empty() ? 0 : items_.front().key, 0, below);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (i > 0 && items_[i].key != items_[i - 1].key && i - cuts_.back().position >= kStep) AddCut(items_[i].key, i, below);
      Set(below, items_[i].number);
    }
    if (!items_.empty()) AddCut(items_.back().key + 1, items_.size(), below);
  }

  // out = items with from <= key <= to; if `below` indexes other keys of the same items, key < from is by those, and some
  // items too many may be in it.
  static void Between(const PrefixBits& upto, Code to, const PrefixBits& below, Code from, Bits& out) {
    const Cut& high = upto.CutAt(to + 1);
    const Cut& low = below.CutAt(from);
    const std::uint64_t* __restrict high_bits = high.bits.data();
    const std::uint64_t* __restrict low_bits = low.bits.data();
    std::uint64_t* __restrict out_bits = out.data();  // restrict: vectorized without a check for overlap
    for (std::size_t i = 0; i < kBlockWords; ++i) out_bits[i] = high_bits[i] & ~low_bits[i];
    for (std::size_t i = high.position; i < upto.items_.size() && upto.items_[i].key <= to; ++i)
      Set(out, upto.items_[i].number);
    for (std::size_t i = low.position; i < below.items_.size() && below.items_[i].key < from; ++i) {
      out[below.items_[i].number / 64] &= ~(std::uint64_t{1} << (below.items_[i].number % 64));
    }
  }

 private:
  struct Item {
    Code key;
    std::uint32_t number;
  };
  struct Cut {
    Code key;              // the bits are those of all items with a smaller one
    std::size_t position;  // how many they are: items_[position] is the first that is not among them
    Bits bits;
  };

  static void Set(Bits& bits, std::uint32_t item) { bits[item / 64] |= std::uint64_t{1} << (item % 64); }
  void AddCut(Code key, std::size_t position, const Bits& bits) { cuts_.push_back({key, position, bits}); }
  // The last cut at or below the key; the first one has no item below it and serves smaller keys too.
  const Cut& CutAt(Code key) const {
    const auto above =
        std::upper_bound(cuts_.begin() + 1, cuts_.end(), key, [](Code k, const Cut& cut) { return k < cut.key; });
    return *(above - 1);
  }

  std::vector<Item> items_;  // by key
  std::vector<Cut> cuts_;    // by key; the first at position 0
};

}  // namespace cordon::engine::internal
