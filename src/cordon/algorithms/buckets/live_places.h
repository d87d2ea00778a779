// SPDX-License-Identifier: Apache-2.0
//
// Places 0..size-1 that are taken one by one, and the nearest one still there. A bit a place, and above it a bit for every
// 64 bits that are not all zero, and so on: half a million places are 64 KB, and a step to the next one left is mostly a
// count of trailing zeros.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cordon::engine {

class LivePlaces {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  explicit LivePlaces(std::size_t size) {
    do {
      std::vector<std::uint64_t> words((size + 63) / 64, ~std::uint64_t{0});
      if (size % 64 != 0) words.back() = (std::uint64_t{1} << (size % 64)) - 1;
      size = words.size();
      levels_.push_back(std::move(words));
    } while (size > 1);
  }

  bool Has(std::size_t place) const { return (levels_[0][place / 64] >> (place % 64)) & 1; }

  void Take(std::size_t place) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[place / 64];
      word &= ~(std::uint64_t{1} << (place % 64));
      if (word != 0) return;
      place /= 64;
    }
  }

  // The first place from `place` on that is still there, or kNone.
  std::size_t AtOrAfter(std::size_t place) const {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if (place / 64 >= levels_[level].size()) return kNone;
      const std::uint64_t rest = levels_[level][place / 64] >> (place % 64);
      if (rest != 0) return Descend<true>(level, place + static_cast<std::size_t>(std::countr_zero(rest)));
      place = place / 64 + 1;
    }
    return kNone;
  }

  // The last place before `place` that is still there, or kNone.
  std::size_t Before(std::size_t place) const {
    for (std::size_t level = 0; level < levels_.size() && place > 0; ++level) {
      const std::size_t last = place - 1;
      const std::uint64_t rest = levels_[level][last / 64] << (63 - last % 64);
      if (rest != 0) return Descend<false>(level, last - static_cast<std::size_t>(std::countl_zero(rest)));
      place = last / 64;
    }
    return kNone;
  }

 private:
  template <bool kFirst>
  std::size_t Descend(std::size_t level, std::size_t place) const {
    while (level > 0) {
      const std::uint64_t word = levels_[--level][place];
      place = place * 64 + static_cast<std::size_t>(kFirst ? std::countr_zero(word) : 63 - std::countl_zero(word));
    }
    return place;
  }

  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace cordon::engine
