// SPDX-License-Identifier: Apache-2.0
//
// Rows that are about to be cut, taken out of the table so that cuts read them one after the other: their ranks as lanes
// (rank_lanes.h) and the places of their sensitive values among the counts of a GroupCounts. Sets of rows lie on a stack.
// A cut reorders a set where it lies, so a side of a cut is a set of its own and need not be taken again.
//
// Keeps its memory from call to call: one per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cordon/algorithms/grouping/group_gate.h"
#include "cordon/algorithms/grouping/rank_space.h"

namespace cordon::engine {

class CutRows {
 public:
  CutRows(const RankSpace& space, const GroupGate& gate);

  // On top of what is there; returns where they begin.
  std::size_t Push(std::span<const Place> rows);
  std::size_t PushCopy(std::size_t begin, std::size_t size);
  // Those from `begin` on go.
  void Pop(std::size_t begin);
  // Places of the rows, in their order: those of ranks in lo..hi come first, and both sides keep their order. Returns how many
  // are inside. Partition moves the rows as well.
  std::size_t Order(std::size_t begin, std::span<Place> places, std::size_t q, Rank lo, Rank hi);
  std::size_t Partition(std::size_t begin, std::span<Place> places, std::size_t q, Rank lo, Rank hi);

  std::size_t width() const { return width_; }  // lanes of a row
  // Calls f with the lanes of the row at `begin` and what follows, std::int16_t if all ranks fit.
  template <typename Function>
  auto WithLanes(std::size_t begin, const Function& f) const {
    return narrow_ ? f(&narrow_lanes_[begin * width_]) : f(&wide_lanes_[begin * width_]);
  }

  // Whether the model looks at counts of values, all of which are kept. Then a row has num_values() of them.
  bool counted() const { return num_values_ > 0; }
  std::size_t num_values() const { return num_values_; }
  const std::uint16_t* values(std::size_t begin) const { return &values_[begin * num_values_]; }
  // How many rows it stands for; null: one.
  const std::uint32_t* weights(std::size_t begin) const { return weighted_ ? &weights_[begin] : nullptr; }

 private:
  std::size_t PartitionShort(std::size_t begin, std::span<Place> places, std::size_t q, Rank lo, Rank hi);
  std::size_t Mark(std::size_t begin, std::size_t size, std::size_t q, Rank lo, Rank hi);

  const RankSpace& space_;
  const GroupGate& gate_;
  bool narrow_;
  bool weighted_;
  std::size_t width_;
  std::size_t num_values_ = 0;
  std::size_t size_ = 0;
  std::vector<std::int16_t> narrow_lanes_;
  std::vector<std::int32_t> wide_lanes_;
  std::vector<std::uint16_t> values_;
  std::vector<std::uint32_t> weights_;
  std::vector<std::uint8_t> inside_;  // of the cut at hand, by row
  std::vector<std::byte> aside_;      // of its other side
  std::vector<Place> places_aside_;
  std::vector<std::uint16_t> values_aside_;
};

}  // namespace cordon::engine
