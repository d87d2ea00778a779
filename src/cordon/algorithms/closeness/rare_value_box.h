// SPDX-License-Identifier: Apache-2.0
//
// A box around a row whose value needs a large group: widened attribute by attribute until it holds enough rows of
// enough different values, each step the one that captures most for what it costs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/closeness/mix_lookahead.h"
#include "cordon/algorithms/closeness/search_rows.h"
#include "cordon/algorithms/grouping/box_spans.h"

namespace cordon::engine {

class RareValueBoxes {
 public:
  // All of them outlive the boxes.
  RareValueBoxes(const SearchRows& rows, const BoxSpans& spans, const MixLookahead& outlook);

  struct Box {
    std::vector<std::uint32_t> rows;  // those of `alive` in it, the values of the largest need first
    float loss = 0;
  };
  // Around a row, wide enough for a group of `size` rows of `alive` if there is such a box. The row itself is not among
  // those of the box.
  Box Around(std::size_t seed, std::int64_t size, std::span<const std::uint32_t> alive);
  std::size_t num_values() const { return inside_.size(); }

 private:
  struct Step {
    std::size_t q = 0;
    CodeRange range;
  };
  void Begin(std::size_t seed, std::span<const std::uint32_t> alive);
  void MissesLess(std::uint32_t row);
  void Widen(const Step& step);
  bool BestStep(std::int64_t size, Step& best) const;
  std::int64_t Captured(std::span<const std::int64_t> counts, std::int64_t size) const;
  template <typename Consider>
  void Options(std::size_t q, const Consider& consider) const;

  const SearchRows& rows_;
  const BoxSpans& spans_;
  const MixLookahead& outlook_;
  std::vector<std::vector<std::uint32_t>> by_code_;  // by attribute: the rows in the order of their codes,
  std::vector<std::vector<std::uint32_t>> starts_;   // and where those of each code begin
  std::vector<CodeRange> box_;
  std::vector<std::uint32_t> missed_;               // by row: attributes in which it misses the box; kGone: not alive
  std::vector<std::int64_t> inside_;                // by value: rows in the box
  std::vector<std::vector<std::uint32_t>> nearly_;  // by attribute: rows that miss the box there alone
};

}  // namespace cordon::engine
