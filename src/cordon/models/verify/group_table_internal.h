// SPDX-License-Identifier: Apache-2.0
//
// The hash table behind Tally: packed keys to group records. Open addressing; a slot holds 32 bits of the hash and the
// group's number, so a probe that does not match costs no second look.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/check.h"

namespace cordon::engine {

class GroupTable {
 public:
  explicit GroupTable(std::size_t key_words) : key_words_(key_words), stride_(key_words + 1), slots_(1024) {}

  std::size_t size() const { return size_; }
  const std::uint64_t* key(std::size_t group) const { return records_.data() + group * stride_; }
  std::uint32_t rows(std::size_t group) const { return static_cast<std::uint32_t>(records_[group * stride_ + key_words_]); }
  std::uint32_t first_row(std::size_t group) const {
    return static_cast<std::uint32_t>(records_[group * stride_ + key_words_] >> 32);
  }

  static std::uint64_t Hash(std::span<const std::uint64_t> key) {
    std::uint64_t hash = 0x9E3779B97F4A7C15;
    for (const std::uint64_t word : key) {
      hash = (hash ^ word) * 0xD6E8FEB86659FD93;
      hash ^= hash >> 32;
    }
    return hash * 0x9E3779B97F4A7C15;
  }

  void PrefetchSlot(std::uint64_t hash) const { __builtin_prefetch(&slots_[Place(hash)]); }
  void PrefetchRecord(std::uint64_t hash) const {
    const std::uint64_t slot = slots_[Place(hash)];
    if (slot != 0) __builtin_prefetch(&records_[((slot & kGroupMask) - 1) * stride_], 1);
  }

  // The group of the key, made if new, with `rows` rows more. A new group starts at first_row.
  std::uint32_t Add(const std::uint64_t* key, std::uint64_t hash, std::uint32_t rows, std::uint32_t first_row) {
    const std::uint64_t tag = hash << 32;
    for (std::size_t at = Place(hash);; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint64_t slot = slots_[at];
      if (slot == 0) return Insert(at, key, tag, rows, first_row);
      if ((slot & ~kGroupMask) != tag) continue;
      const std::size_t group = (slot & kGroupMask) - 1;
      std::uint64_t* const record = records_.data() + group * stride_;
      bool equal = true;
      for (std::size_t i = 0; i < key_words_; ++i) equal &= record[i] == key[i];
      if (!equal) continue;
      record[key_words_] += rows;
      if (static_cast<std::uint32_t>(record[key_words_] >> 32) > first_row) {
        record[key_words_] = (static_cast<std::uint64_t>(first_row) << 32) | static_cast<std::uint32_t>(record[key_words_]);
      }
      return static_cast<std::uint32_t>(group);
    }
  }

 private:
  static constexpr std::uint64_t kGroupMask = 0xFFFFFFFF;

  // High bits: the low ones are the tag's.
  std::size_t Place(std::uint64_t hash) const { return hash >> (64 - slot_bits_); }

  std::uint32_t Insert(std::size_t at, const std::uint64_t* key, std::uint64_t tag, std::uint32_t rows,
                       std::uint32_t first_row) {
    records_.insert(records_.end(), key, key + key_words_);
    records_.push_back((static_cast<std::uint64_t>(first_row) << 32) | rows);
    slots_[at] = tag | ++size_;
    const std::uint32_t group = static_cast<std::uint32_t>(size_ - 1);
    if (2 * size_ > slots_.size()) Grow();
    return group;
  }

  void Grow() {
    ++slot_bits_;
    slots_.assign(std::size_t{1} << slot_bits_, 0);
    for (std::size_t group = 0; group < size_; ++group) {
      const std::uint64_t hash = Hash({key(group), key_words_});
      std::size_t at = Place(hash);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = (hash << 32) | (group + 1);
    }
  }

  std::size_t key_words_;
  std::size_t stride_;
  std::size_t size_ = 0;
  int slot_bits_ = 10;
  std::vector<std::uint64_t> slots_;    // 0: empty; else tag and group + 1
  std::vector<std::uint64_t> records_;  // key words, then first row and rows in one word
};

}  // namespace cordon::engine
