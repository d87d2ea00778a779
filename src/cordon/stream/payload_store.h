// SPDX-License-Identifier: Apache-2.0
//
// What a driver keeps of the tuples that an engine still holds: the cells to publish as they are, whose they are, and when
// they came. Memory follows the number of tuples held, not how long the stream is: recent positions lie in a ring; the few
// that outlive it (a pool may hold a tuple for long) move to a map.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cordon/base/bytes.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

// Short payloads lie in it, so that a tuple is one cache line and no allocation.
class alignas(64) HeldPayload {
 public:
  PersonId person = 0;
  EventTime time = 0;

  std::string_view payload() const { return long_ != nullptr ? std::string_view(*long_) : std::string_view(short_, size_); }
  void SetPayload(std::string_view payload) {
    long_.reset();
    size_ = 0;
    if (payload.size() > sizeof short_) {
      long_ = std::make_unique<std::string>(payload);
    } else {
      size_ = static_cast<std::uint8_t>(payload.size());
      std::memcpy(short_, payload.data(), payload.size());
    }
  }

 private:
  std::unique_ptr<std::string> long_;
  std::uint8_t size_ = 0;
  char short_[39];
};
static_assert(sizeof(HeldPayload) == 64);

class PayloadStore {
 public:
  PayloadStore();

  // REQUIRES: positions ascend.
  void Put(Position position, PersonId person, EventTime time, std::string_view payload);
  // REQUIRES: the position is held.
  const HeldPayload& Get(Position position) const { return slots_[SlotOf(position)]; }
  // Has the tuples that come some way after `positions[at]` fetched from memory, for a caller that gets one after the other.
  void Fetch(std::span<const Position> positions, std::size_t at) const;
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
