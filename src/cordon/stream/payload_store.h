// SPDX-License-Identifier: Apache-2.0
//
// What a driver keeps of the tuples that an engine still holds: the cells to publish as they are, whose they are, and when
// they came. Memory follows the number of tuples held, not how long the stream is: recent positions lie in a ring; the few
// that outlive it (a pool may hold a tuple for long) move to a map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

struct HeldPayload {
  PersonId person = 0;
  EventTime time = 0;
  std::string payload;
};

class PayloadStore {
 public:
  PayloadStore();

  // REQUIRES: positions ascend.
  void Put(Position position, PersonId person, EventTime time, std::string_view payload);
  // REQUIRES: the position is held.
  const HeldPayload& Get(Position position) const { return slots_[SlotOf(position)]; }
  bool Holds(Position position) const;
  void Drop(Position position);

  std::size_t size() const { return size_; }
  // The least time of all that are held, for tuples whose times ascend with their positions. REQUIRES: size() > 0.
  EventTime OldestTime();

  void Save(ByteWriter& out) const;
  void Restore(ByteReader& in);  // into an empty store; in.ok() says whether it went well

 private:
  using Slot = std::uint32_t;
  struct Place {
    Position position = 0;  // 0: free
    Slot slot = 0;
  };
  Slot SlotOf(Position position) const;
  void Grow();

  std::vector<HeldPayload> slots_;
  std::vector<Slot> free_;
  std::vector<Place> ring_;  // at position % size, a power of two
  std::unordered_map<Position, Slot> older_;
  std::size_t size_ = 0;
  Position newest_ = 0;
  Position oldest_ = 1;  // nothing in the ring is older
};

}  // namespace cordon::engine
