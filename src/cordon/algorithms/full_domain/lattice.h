// SPDX-License-Identifier: Apache-2.0
//
// The lattice of level vectors, numbered. Node 0 is the bottom; each column counts from the lowest level it may have.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "cordon/algorithms/full_domain/lattice_cells.h"

namespace cordon::engine {

using LatticeNode = std::uint32_t;

class Lattice {
 public:
  // How many nodes lie between the two; the greatest number if there are more.
  static std::uint64_t Size(const LevelVector& bottom, const LevelVector& top) {
    std::uint64_t size = 1;
    for (std::size_t q = 0; q < top.size(); ++q) {
      const std::uint64_t levels = static_cast<std::uint64_t>(top[q] - bottom[q]) + 1;
      if (size > std::numeric_limits<std::uint64_t>::max() / levels) return std::numeric_limits<std::uint64_t>::max();
      size *= levels;
    }
    return size;
  }

  // REQUIRES: below 2^32 nodes.
  Lattice(LevelVector bottom, LevelVector top) : bottom_(std::move(bottom)), top_(std::move(top)) {
    for (std::size_t q = 0; q < top_.size(); ++q) {
      strides_.push_back(static_cast<LatticeNode>(size_));
      size_ *= static_cast<std::uint64_t>(top_[q] - bottom_[q]) + 1;
    }
  }

  std::size_t num_quasi() const { return top_.size(); }
  LatticeNode size() const { return static_cast<LatticeNode>(size_); }
  const LevelVector& bottom() const { return bottom_; }
  const LevelVector& top() const { return top_; }
  LatticeNode stride(std::size_t q) const { return strides_[q]; }

  void Levels(LatticeNode node, LevelVector& levels) const {
    levels = bottom_;
    for (std::size_t q = top_.size(); q-- > 0;) {
      levels[q] = static_cast<std::uint8_t>(levels[q] + node / strides_[q]);
      node %= strides_[q];
    }
  }
  LatticeNode Node(const LevelVector& levels) const {
    LatticeNode node = 0;
    for (std::size_t q = 0; q < top_.size(); ++q) node += static_cast<LatticeNode>(levels[q] - bottom_[q]) * strides_[q];
    return node;
  }

 private:
  LevelVector bottom_;
  LevelVector top_;
  std::vector<LatticeNode> strides_;
  std::uint64_t size_ = 1;
};

inline bool NotAbove(const LevelVector& low, const LevelVector& high) {
  for (std::size_t q = 0; q < low.size(); ++q) {
    if (low[q] > high[q]) return false;
  }
  return true;
}

}  // namespace cordon::engine
