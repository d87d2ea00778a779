// SPDX-License-Identifier: Apache-2.0
//
// The groups behind Tally: packed keys to group records.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/hash_index.h"

namespace cordon::engine {

class GroupTable {
 public:
  explicit GroupTable(std::size_t key_words) : key_words_(key_words), stride_(key_words + 1) {}

  std::size_t size() const { return index_.size(); }
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

  void PrefetchSlot(std::uint64_t hash) const { index_.Prefetch(hash); }
  void PrefetchRecord(std::uint64_t hash) const {
    if (const auto group = index_.FirstGuess(hash)) __builtin_prefetch(&records_[*group * stride_], 1);
  }

  // The group of the key, made if new, with `rows` rows more. A new group starts at first_row.
  std::uint32_t Add(const std::uint64_t* key, std::uint64_t hash, std::uint32_t rows, std::uint32_t first_row) {
    const std::size_t known = size();
    const std::uint32_t group = index_.FindOrAdd(hash, [&](std::uint32_t each) {
      const std::uint64_t* const record = this->key(each);
      bool equal = true;
      for (std::size_t i = 0; i < key_words_; ++i) equal &= record[i] == key[i];
      return equal;
    });
    if (group == known) {
      records_.insert(records_.end(), key, key + key_words_);
      records_.push_back((static_cast<std::uint64_t>(first_row) << 32) | rows);
      return group;
    }
    std::uint64_t& counts = records_[group * stride_ + key_words_];
    counts += rows;
    if (static_cast<std::uint32_t>(counts >> 32) > first_row) {
      counts = (static_cast<std::uint64_t>(first_row) << 32) | static_cast<std::uint32_t>(counts);
    }
    return group;
  }

 private:
  std::size_t key_words_;
  std::size_t stride_;
  HashIndex index_;
  std::vector<std::uint64_t> records_;  // key words, then first row and rows in one word
};

}  // namespace cordon::engine
