// SPDX-License-Identifier: Apache-2.0
//
// A hash table from small keys to small values that never are kAbsent. Open addressing, linear probing, at most half full;
// removal shifts back, so it never fills with tombstones, however long a stream runs. An empty table takes no memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cordon/base/key_hash.h"

namespace cordon::engine {

// Hash::Of(key): the upper bits are used.
template <typename Key, typename Value, Value kAbsent, typename Hash = KeyHash>
class HashMap {
 public:
  struct Slot {
    Key key = {};
    Value value = kAbsent;
  };

  std::size_t size() const { return size_; }
  // Empty again, with room for this many.
  void Clear(std::size_t expected = 0) {
    *this = {};
    if (expected > 0) Resize(std::max(kFirstBits, static_cast<int>(std::bit_width(2 * expected))));
  }

  // kAbsent if there is none.
  Value Get(const Key& key) const { return slots_.empty() ? kAbsent : slots_[Locate(key)].value; }

  // REQUIRES: value != kAbsent.
  void Set(const Key& key, Value value) {
    Reserve();
    Slot& slot = slots_[Locate(key)];
    size_ += slot.value == kAbsent ? 1 : 0;
    slot = {key, value};
  }

  // The value of the key; made by make() if there is none, and kept unless make() says kAbsent. make() leaves the map alone.
  template <typename Make>
  Value GetOrMake(const Key& key, const Make& make) {
    Reserve();
    Slot& slot = slots_[Locate(key)];
    if (slot.value != kAbsent) [[likely]]
      return slot.value;
    const Value value = make();
    if (value == kAbsent) return value;
    slot = {key, value};
    ++size_;
    return value;
  }

  void Erase(const Key& key) {
    if (slots_.empty()) return;
    std::size_t hole = Locate(key);
    if (slots_[hole].value == kAbsent) return;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = (hole + 1) & mask; slots_[at].value != kAbsent; at = (at + 1) & mask) {
      // An entry may fill the hole unless it would then stand before its own place.
      if (((at - Place(slots_[at].key)) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].value = kAbsent;
    --size_;
  }

  // The values afterwards. Counts are values of which 0 is absent.
  Value Increment(const Key& key)
    requires(kAbsent == 0)
  {
    Reserve();
    Slot& slot = slots_[Locate(key)];
    size_ += slot.value == 0 ? 1 : 0;
    slot.key = key;
    return ++slot.value;
  }
  // REQUIRES: Get(key) > 0.
  Value Decrement(const Key& key)
    requires(kAbsent == 0)
  {
    const Value left = Get(key) - 1;
    left == 0 ? Erase(key) : Set(key, left);
    return left;
  }

  // f(key, value) for all, in no particular order.
  template <typename Function>
  void ForEach(const Function& f) const {
    for (const Slot& slot : slots_) {
      if (slot.value != kAbsent) f(slot.key, slot.value);
    }
  }

 private:
  static constexpr int kFirstBits = 4;

  std::size_t Place(const Key& key) const { return static_cast<std::size_t>(Hash::Of(key) >> shift_); }
  // Where the key stands, or would.
  std::size_t Locate(const Key& key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = Place(key);
    while (slots_[at].value != kAbsent && !(slots_[at].key == key)) at = (at + 1) & mask;
    return at;
  }

  // For one more.
  void Reserve() {
    if (2 * (size_ + 1) > slots_.size()) [[unlikely]]
      Grow();
  }
  void Grow() {
    const std::vector<Slot> old = std::move(slots_);
    Resize(old.empty() ? kFirstBits : 64 - shift_ + 1);
    for (const Slot& slot : old) {
      if (slot.value != kAbsent) slots_[Locate(slot.key)] = slot;
    }
  }
  void Resize(int bits) {
    slots_.assign(std::size_t{1} << bits, {});
    shift_ = 64 - bits;
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  int shift_ = 64;
};

using KeyCounts = HashMap<std::uint64_t, std::uint32_t, 0>;

}  // namespace cordon::engine
