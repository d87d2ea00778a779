// SPDX-License-Identifier: Apache-2.0
#include "cordon/stream/payload_store.h"

#include <algorithm>

namespace cordon::engine {
namespace {

constexpr std::size_t kLeast = 1024;

}  // namespace

PayloadStore::PayloadStore() : ring_(kLeast) {}

bool PayloadStore::Holds(Position position) const {
  const Place& place = ring_[static_cast<std::size_t>(position) & (ring_.size() - 1)];
  return position > 0 && (place.position == position || older_.contains(position));
}

PayloadStore::Slot PayloadStore::SlotOf(Position position) const {
  const Place& place = ring_[static_cast<std::size_t>(position) & (ring_.size() - 1)];
  if (place.position == position) return place.slot;
  const auto found = older_.find(position);
  CORDON_CHECK(found != older_.end());
  return found->second;
}

void PayloadStore::Fetch(std::span<const Position> positions, std::size_t at) const {
  constexpr std::size_t kNear = 6;
  constexpr std::size_t kFar = 12;
  const auto place = [&](std::size_t i) -> const Place& {
    return ring_[static_cast<std::size_t>(positions[i]) & (ring_.size() - 1)];
  };
  if (at + kFar < positions.size()) __builtin_prefetch(&place(at + kFar));
  if (at + kNear < positions.size()) __builtin_prefetch(slots_.data() + place(at + kNear).slot);
}

void PayloadStore::Put(Position position, PersonId person, EventTime time, std::string_view payload) {
  CORDON_CHECK_LT(newest_, position);
  newest_ = position;
  Place* place = &ring_[static_cast<std::size_t>(position) & (ring_.size() - 1)];
  while (place->position != 0) {  // the ring has come round to a tuple that is still here
    if (2 * size_ > ring_.size()) {
      Grow();
      place = &ring_[static_cast<std::size_t>(position) & (ring_.size() - 1)];
    } else {
      older_.emplace(place->position, place->slot);
      place->position = 0;
    }
  }
  Slot slot = 0;
  if (free_.empty()) {
    slot = static_cast<Slot>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot].person = person;
  slots_[slot].time = time;
  slots_[slot].SetPayload(payload);
  *place = {position, slot};
  ++size_;
}

void PayloadStore::Drop(Position position) {
  free_.push_back(SlotOf(position));
  Place& place = ring_[static_cast<std::size_t>(position) & (ring_.size() - 1)];
  if (place.position == position) {
    place.position = 0;
  } else {
    older_.erase(position);
  }
  --size_;
}

void PayloadStore::Grow() {
  std::vector<Place> larger(ring_.size() * 2);
  for (const Place& place : ring_) {
    if (place.position != 0) larger[static_cast<std::size_t>(place.position) & (larger.size() - 1)] = place;
  }
  ring_ = std::move(larger);
}

EventTime PayloadStore::OldestTime() {
  CORDON_CHECK_LT(std::size_t{0}, size_);
  EventTime oldest = INT64_MAX;
  for (const auto& [position, slot] : older_) oldest = std::min(oldest, slots_[slot].time);
  oldest_ = std::max(oldest_, newest_ - static_cast<Position>(ring_.size()) + 1);
  while (oldest_ <= newest_ && ring_[static_cast<std::size_t>(oldest_) & (ring_.size() - 1)].position != oldest_) ++oldest_;
  if (oldest_ <= newest_) oldest = std::min(oldest, slots_[SlotOf(oldest_)].time);
  return oldest;
}

void PayloadStore::Save(ByteWriter& out) const {
  std::vector<Position> held;
  for (const auto& [position, slot] : older_) held.push_back(position);
  for (const Place& place : ring_) {
    if (place.position != 0) held.push_back(place.position);
  }
  std::sort(held.begin(), held.end());
  out.Whole(newest_);
  out.Count(held.size());
  for (const Position position : held) {
    const HeldPayload& tuple = Get(position);
    out.Whole(position);
    out.Word(tuple.person);
    out.Whole(tuple.time);
    out.Text(tuple.payload());
  }
}

void PayloadStore::Restore(ByteReader& in) {
  newest_ = in.Whole();
  const std::size_t count = in.Length();
  while (ring_.size() < 2 * count) Grow();
  Position last = 0;
  for (std::size_t left = count; left > 0 && in.ok(); --left) {
    const Position position = in.Whole();
    const PersonId person = in.Word();
    const EventTime time = in.Whole();
    const std::string_view payload = in.Text();
    if (position <= last || position > newest_) in.Fail();
    if (!in.ok()) return;
    last = position;
    const auto slot = static_cast<Slot>(slots_.size());
    HeldPayload& held = slots_.emplace_back();
    held.person = person;
    held.time = time;
    held.SetPayload(payload);
    ++size_;
    if (newest_ - position >= static_cast<Position>(ring_.size())) {
      older_.emplace(position, slot);
    } else {
      ring_[static_cast<std::size_t>(position) & (ring_.size() - 1)] = {position, slot};
    }
  }
}

}  // namespace cordon::engine
