// SPDX-License-Identifier: Apache-2.0
//
// The closed groups that a later tuple may join: at most `cap`, the oldest leaves first, whatever the data. Which of them
// hold a point is asked for every tuple that expires without a group, so next to the boxes stands a bitmap per axis and
// stretch of the axis: the boxes that reach into it. A point's candidates are the AND over the axes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/data/stream.h"

namespace cordon::engine {

class ReuseSet {
 public:
  using Box = std::vector<AxisRange>;
  struct Entry {
    std::int64_t group = 0;
    std::int64_t since = 0;  // position or time it was published at
    Box box;
  };

  ReuseSet(const StreamSchema& schema, std::size_t cap);

  std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  // From the oldest on.
  const Entry& entry(std::size_t i) const { return entries_[Place(begin_ + static_cast<std::int64_t>(i))]; }

  bool Contains(const Box& box);
  bool Overlaps(const Box& box);
  // The oldest gives way if there is no room. REQUIRES: cap > 0, !Contains(entry.box).
  void Insert(Entry entry);
  void DropBefore(std::int64_t since);

  // The groups whose box holds the point, in an order that depends on nothing but the insertions so far.
  const std::vector<const Entry*>& Covering(std::span<const std::int64_t> point);

  // How many were ever inserted: with the entries, all that the order of Covering depends on.
  std::int64_t inserted() const { return end_; }
  // REQUIRES: empty.
  void StartAt(std::int64_t inserted) { begin_ = end_ = inserted; }

 private:
  struct Axis {
    std::int64_t lo = 0;
    std::uint64_t step = 1;  // values to a stretch
    std::size_t first_row = 0;
    std::size_t rows = 0;
  };

  std::size_t Place(std::int64_t number) const { return static_cast<std::size_t>(number) % cap_; }
  std::size_t Row(std::size_t axis, std::int64_t value) const {
    const std::uint64_t offset = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(axes_[axis].lo);
    return axes_[axis].first_row + static_cast<std::size_t>(offset / axes_[axis].step);
  }
  void Mark(std::size_t place, bool present);
  // Those that may overlap the box, for the caller to look at.
  void FindCandidates(const Box& box);
  void GrowTo(std::size_t places);
  void DropOldest();

  std::size_t cap_;
  std::int64_t begin_ = 0;  // entries begin_..end_-1 are there, each at its number modulo cap
  std::int64_t end_ = 0;
  std::vector<Entry> entries_;
  std::vector<Axis> axes_;
  std::size_t num_rows_ = 0;
  std::size_t words_ = 0;            // to a row
  std::vector<std::uint64_t> bits_;  // row x word
  std::vector<std::uint64_t> candidates_;
  std::vector<std::uint64_t> reaching_;
  Box point_;
  std::vector<const Entry*> covering_;
};

}  // namespace cordon::engine
