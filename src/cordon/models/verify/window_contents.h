// SPDX-License-Identifier: Apache-2.0
//
// The verifier's own copy of the tuples that have come and not gone, by position: a ring of rows from the oldest to the
// newest, and next to it the few that were set aside because they wait in a pool. Private: it holds data.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

class WindowContents {
 public:
  struct Row {
    Position position;
    EventTime time;
    PersonId person;
    std::span<const std::int64_t> quasi;
    std::span<const std::int64_t> sensitive;
    bool aside;
  };

  WindowContents(std::size_t num_quasi, std::size_t num_sensitive);

  // REQUIRES: tuple.position == last() + 1.
  void Add(const Tuple& tuple);
  bool Holds(Position position) const;
  // Has the row fetched from memory, if it is there: it will be asked for soon. Any number will do.
  void Fetch(Position position) const {
    const Cell* row = cells_.data() + Slot(position);
    __builtin_prefetch(row);
    __builtin_prefetch(row + stride_ - 1);
  }
  Row Get(Position position) const;  // REQUIRES: Holds(position)
  void Remove(Position position);    // REQUIRES: Holds(position)
  void SetAside(Position position);  // REQUIRES: Holds(position)

  std::size_t size() const { return in_ring_ + aside_.size(); }
  Position last() const { return last_; }
  // The oldest that is not set aside; last() + 1 if there is none.
  Position first() const { return first_; }

  void Save(ByteWriter& writer) const;
  void Restore(ByteReader& reader);

 private:
  using Cell = std::int64_t;
  enum { kHeld, kTime, kPerson, kQuasi };  // places in a row

  std::size_t Slot(Position position) const { return (static_cast<std::size_t>(position) & mask_) * stride_; }
  Row RowAt(Position position, const Cell* cells, bool aside) const;
  void Grow();
  void Leave(Position position);

  std::size_t num_quasi_;
  std::size_t num_sensitive_;
  std::size_t stride_;
  std::size_t mask_ = 0;
  std::vector<Cell> cells_;
  std::map<Position, std::vector<Cell>> aside_;
  Position first_ = 1;
  Position last_ = 0;
  std::size_t in_ring_ = 0;
};

}  // namespace cordon::engine
