// SPDX-License-Identifier: Apache-2.0
//
// A hash table from 64-bit keys to counts above 0: open addressing, linear probing, removal by shifting back, so that it
// never fills with tombstones however long a stream runs.
#pragma once

#include <cstdint>
#include <vector>

namespace cordon::engine {

class FlatCounts {
 public:
  std::size_t size() const { return size_; }

  // 0 where there is none.
  std::uint32_t Get(std::uint64_t key) const {
    if (size_ == 0) return 0;
    const std::size_t at = Locate(key);
    return values_[at];
  }

  // REQUIRES: value > 0.
  void Set(std::uint64_t key, std::uint32_t value) {
    if (2 * (size_ + 1) > keys_.size()) Grow();
    const std::size_t at = Locate(key);
    size_ += values_[at] == 0 ? 1 : 0;
    keys_[at] = key;
    values_[at] = value;
  }

  void Erase(std::uint64_t key) {
    if (size_ == 0) return;
    std::size_t hole = Locate(key);
    if (values_[hole] == 0) return;
    const std::size_t mask = keys_.size() - 1;
    for (std::size_t at = (hole + 1) & mask; values_[at] != 0; at = (at + 1) & mask) {
      // An entry may fill the hole unless it would then stand before its own place.
      if (((at - Place(keys_[at])) & mask) < ((at - hole) & mask)) continue;
      keys_[hole] = keys_[at];
      values_[hole] = values_[at];
      hole = at;
    }
    values_[hole] = 0;
    --size_;
  }

  // The count afterwards.
  std::uint32_t Increment(std::uint64_t key) {
    const std::uint32_t value = Get(key) + 1;
    Set(key, value);
    return value;
  }
  // REQUIRES: Get(key) > 0.
  std::uint32_t Decrement(std::uint64_t key) {
    const std::uint32_t value = Get(key) - 1;
    value == 0 ? Erase(key) : Set(key, value);
    return value;
  }

 private:
  // Fibonacci hashing after a fold, so that neither low nor high bits alone decide.
  std::size_t Place(std::uint64_t key) const {
    key ^= key >> 32;
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> shift_);
  }
  // Where the key stands, or would.
  std::size_t Locate(std::uint64_t key) const {
    const std::size_t mask = keys_.size() - 1;
    std::size_t at = Place(key);
    while (values_[at] != 0 && keys_[at] != key) at = (at + 1) & mask;
    return at;
  }
  void Grow() {
    FlatCounts larger;
    const std::size_t capacity = keys_.empty() ? 16 : 2 * keys_.size();
    larger.keys_.resize(capacity);
    larger.values_.resize(capacity);
    larger.shift_ = keys_.empty() ? 60 : shift_ - 1;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (values_[i] != 0) larger.Set(keys_[i], values_[i]);
    }
    *this = std::move(larger);
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> values_;
  std::size_t size_ = 0;
  int shift_ = 60;
};

}  // namespace cordon::engine
