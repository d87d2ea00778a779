// SPDX-License-Identifier: Apache-2.0
//
// A hash table that numbers things 0, 1, ... in the order in which they come. The things are kept elsewhere: the table holds
// their hashes and asks its caller whether number n is the one that is looked for. Open addressing, linear probing, at most
// half full. A slot is 32 bits of the hash and the number, so that a probe of something else costs no second look, and growing
// needs the slots alone.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cordon/base/key_hash.h"

namespace cordon::engine {

class HashIndex {
 public:
  std::size_t size() const { return size_; }

  // Empty again, with room for this many.
  void Clear(std::size_t expected = 0) {
    const std::size_t capacity = std::bit_ceil(2 * expected + 16);
    bits_ = std::countr_zero(capacity);
    slots_.assign(capacity, 0);
    size_ = 0;
  }

  // The number of what has this hash and is_it(number); none if there is no such thing.
  // All 64 bits of a hash are to be mixed well: the upper half is used.
  template <typename IsIt>
  std::optional<std::uint32_t> Find(std::uint64_t hash, const IsIt& is_it) const {
    const std::uint64_t slot = slots_[Locate(hash, is_it)];
    if (slot == 0) return std::nullopt;
    return NumberIn(slot);
  }

  // The same; what is not there yet gets the next number, size() before the call, and the caller keeps it from there on.
  template <typename IsIt>
  std::uint32_t FindOrAdd(std::uint64_t hash, const IsIt& is_it) {
    const std::size_t at = Locate(hash, is_it);
    if (slots_[at] != 0) return NumberIn(slots_[at]);
    slots_[at] = Tag(hash) | ++size_;
    const auto number = static_cast<std::uint32_t>(size_ - 1);
    if (2 * size_ > slots_.size()) Grow();
    return number;
  }

  // For those who look up many: what a search for the hash will read first, and the first thing it may ask about.
  void Prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[Place(Tag(hash))]); }
  std::optional<std::uint32_t> FirstGuess(std::uint64_t hash) const {
    const std::uint64_t slot = slots_[Place(Tag(hash))];
    if (slot == 0) return std::nullopt;
    return NumberIn(slot);
  }

 private:
  static constexpr std::uint64_t kTagMask = 0xFFFFFFFF00000000;

  static std::uint64_t Tag(std::uint64_t hash) { return hash & kTagMask; }
  static std::uint32_t NumberIn(std::uint64_t slot) { return static_cast<std::uint32_t>(slot) - 1; }
  std::size_t Place(std::uint64_t tag) const { return tag >> (64 - bits_); }

  template <typename IsIt>
  std::size_t Locate(std::uint64_t hash, const IsIt& is_it) const {
    const std::uint64_t tag = Tag(hash);
    std::size_t at = Place(tag);
    while (slots_[at] != 0 && (Tag(slots_[at]) != tag || !is_it(NumberIn(slots_[at])))) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void Grow() {
    std::vector<std::uint64_t> old(2 * slots_.size());
    old.swap(slots_);
    ++bits_;
    for (const std::uint64_t slot : old) {
      if (slot == 0) continue;
      std::size_t at = Place(Tag(slot));
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  std::size_t size_ = 0;
  int bits_ = 4;
  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(16);  // 0: empty; else tag and number + 1
};

// Keys numbered 0, 1, ... in the order in which they first come.
class KeyNumbers {
 public:
  std::size_t size() const { return keys_.size(); }
  void Clear(std::size_t expected = 0) {
    index_.Clear(expected);
    keys_.clear();
  }
  std::uint32_t NumberOf(std::uint64_t key) {
    const std::uint32_t number = index_.FindOrAdd(KeyHash::Of(key), [&](std::uint32_t each) { return keys_[each] == key; });
    if (number == keys_.size()) keys_.push_back(key);
    return number;
  }

 private:
  HashIndex index_;
  std::vector<std::uint64_t> keys_;  // by number
};

}  // namespace cordon::engine
