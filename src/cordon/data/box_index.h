// SPDX-License-Identifier: Apache-2.0
//
// Finds, among many boxes that may overlap, the first one that covers a point. A tree of bounding boxes, split at the
// median of the dimension in which the centres are most spread; each node knows the least number below it, so a search
// leaves out what cannot come first. Immutable; safe to share between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/data/domain.h"

namespace cordon::engine {

class BoxIndex {
 public:
  // `ranges`: num_dimensions ranges a box, box after box. REQUIRES: num_dimensions > 0.
  BoxIndex(std::vector<CodeRange> ranges, std::size_t num_dimensions);

  // The least number of a box with lo <= point <= hi in every dimension.
  std::optional<std::size_t> FirstCovering(std::span<const Code> point) const;
  // The same of the `most` least numbers, ascending, after what `found` holds.
  void LeastCovering(std::span<const Code> point, std::size_t most, std::vector<std::uint32_t>& found) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Node {
    std::uint32_t first = 0;  // least number of a box below
    std::uint32_t begin = 0;  // its boxes are order_[begin] .. order_[end - 1]
    std::uint32_t end = 0;
    std::uint32_t left = kNone;  // children, or a leaf
    std::uint32_t right = kNone;
  };

  std::span<const CodeRange> box(std::uint32_t number) const {
    return std::span(ranges_).subspan(number * num_dimensions_, num_dimensions_);
  }
  std::uint32_t Build(std::uint32_t begin, std::uint32_t end);
  std::size_t WidestDimension(std::uint32_t begin, std::uint32_t end) const;
  void Search(std::uint32_t node, std::span<const Code> point, std::uint32_t& best) const;
  void Gather(std::uint32_t node, std::span<const Code> point, std::vector<std::uint32_t>& found) const;

  std::size_t num_dimensions_;
  std::vector<CodeRange> ranges_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
  std::vector<CodeRange> bounds_;  // num_dimensions a node
};

}  // namespace cordon::engine
