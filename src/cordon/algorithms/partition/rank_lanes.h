// SPDX-License-Identifier: Apache-2.0
//
// Boxes over ranks as lanes of numbers: the least rank of each attribute, then the greatest, each in whole blocks of 16 bytes
// that one instruction compares. Lane is std::int16_t if all ranks fit, else std::int32_t.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

namespace cordon::engine::internal {

// Memory that is kept from call to call grows and never shrinks.
template <typename Value>
void Grow(std::vector<Value>& values, std::size_t size) {
  if (values.size() < size) values.resize(size);
}

template <typename Lane>
struct RankLanes {
  static constexpr std::size_t kBytes = 16;
  static constexpr std::size_t kLanes = kBytes / sizeof(Lane);
  typedef Lane Block __attribute__((vector_size(kBytes)));

  // Lanes of a row of this many attributes; a box has twice the number.
  static std::size_t Width(std::size_t num_attributes) { return (num_attributes + kLanes - 1) / kLanes * kLanes; }

  static void Empty(Lane* box, std::size_t width) {
    std::fill_n(box, width, std::numeric_limits<Lane>::max());
    std::fill_n(box + width, width, Lane{-1});
  }
  static void Include(Lane* box, const Lane* row, std::size_t width) {
    Lower(box, row, width);
    Raise(box + width, row, width);
  }
  static void Unite(Lane* box, const Lane* other, std::size_t width) {
    Lower(box, other, width);
    Raise(box + width, other + width, width);
  }
  // The box around rows that lie one after the other, into `box`.
  static void Around(const Lane* rows, std::size_t num_rows, std::size_t width, Lane* box) {
    for (std::size_t lane = 0; lane < width; lane += kLanes) {
      Block least = Block{} + std::numeric_limits<Lane>::max();
      Block greatest = Block{} + Lane{-1};
      const Lane* row = rows + lane;
      for (std::size_t i = 0; i < num_rows; ++i, row += width) {
        const Block block = Load(row);
        least = least < block ? least : block;
        greatest = greatest > block ? greatest : block;
      }
      std::memcpy(box + lane, &least, sizeof(least));
      std::memcpy(box + width + lane, &greatest, sizeof(greatest));
    }
  }

 private:
  static Block Load(const Lane* from) {
    Block block;
    std::memcpy(&block, from, sizeof(block));
    return block;
  }
  static void Lower(Lane* to, const Lane* others, std::size_t width) {
    for (std::size_t i = 0; i < width; i += kLanes) {
      const Block a = Load(to + i);
      const Block b = Load(others + i);
      const Block least = a < b ? a : b;
      std::memcpy(to + i, &least, sizeof(least));
    }
  }
  static void Raise(Lane* to, const Lane* others, std::size_t width) {
    for (std::size_t i = 0; i < width; i += kLanes) {
      const Block a = Load(to + i);
      const Block b = Load(others + i);
      const Block greatest = a > b ? a : b;
      std::memcpy(to + i, &greatest, sizeof(greatest));
    }
  }
};

}  // namespace cordon::engine::internal
