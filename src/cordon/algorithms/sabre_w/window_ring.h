// SPDX-License-Identifier: Apache-2.0
//
// The newest tuples of a stream by position, those of a window and one step: their places on the axes, whose they are,
// the counted sensitive values, and whether they have left. Tuples that have left stay until the window has passed: it is
// what the others are compared with.
//
// Also turns tuples that have not left into a table, as searches know tables.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cordon/algorithms/sabre_w/window_models.h"
#include "cordon/data/microdata.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

class WindowRing {
 public:
  // References outlive the ring.
  WindowRing(const StreamSchema& schema, const WindowModels& models, std::int64_t capacity);

  Position last() const { return last_; }
  // REQUIRES: tuple.position == last() + 1, every counted value in its domain. The oldest gives way.
  void Add(const Tuple& tuple);
  void StartAfter(Position position) { last_ = position; }  // REQUIRES: nothing was added

  // REQUIRES of all of these: last() - capacity < position <= last().
  bool Gone(Position position) const { return gone_[Slot(position)] != 0; }
  void Leave(Position position) { gone_[Slot(position)] = 1; }
  PersonId person(Position position) const { return persons_[Slot(position)]; }
  std::span<const std::int64_t> quasi(Position position) const {
    return std::span(quasi_).subspan(Slot(position) * num_quasi_, num_quasi_);
  }
  std::span<const Code> values(Position position) const {
    return std::span(values_).subspan(Slot(position) * num_values_, num_values_);
  }

  void Count(Position position, std::int64_t times, ValueCounts& counts) const;
  // Whether this many different people are behind these tuples.
  bool HasPeople(std::span<const Position> positions, std::int64_t least) const;
  // Of the published node if the axis is one of categories.
  std::vector<AxisRange> BoxOf(std::span<const Position> positions) const;
  Microdata TableOf(std::span<const Position> positions) const;

 private:
  std::size_t Slot(Position position) const { return static_cast<std::size_t>(position) & (gone_.size() - 1); }
  void Grow();
  MicrodataColumn QuasiColumn(std::size_t axis, std::span<const Position> positions) const;
  void SetPersons(std::span<const Position> positions, Microdata& table) const;

  const StreamSchema& schema_;
  const WindowModels& models_;
  std::size_t capacity_;  // like every size of the ring, a power of two
  std::size_t num_quasi_;
  std::size_t num_values_;
  std::vector<std::shared_ptr<const Domain>> domains_;  // by axis; none if it is too wide to be listed
  Position last_ = 0;
  std::vector<std::int64_t> quasi_;
  std::vector<Code> values_;
  std::vector<PersonId> persons_;
  std::vector<std::uint8_t> gone_;
};

}  // namespace cordon::engine
