// SPDX-License-Identifier: Apache-2.0
//
// The share of rows that are unique by some columns, in bounded memory: of people who have no other person next to them.
// Exact up to a number of combinations. Beyond it, combinations are sampled by their hash, each with all of its rows, so what
// is counted stays exact for those that are kept and the share is an estimate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>

namespace cordon::engine {

// One number for the cells of a row; data() == nullptr: absent.
std::uint64_t CombinationOf(std::span<const std::string_view> cells);

class UniqueShare {
 public:
  static constexpr std::size_t kMostCombinations = std::size_t{1} << 17;
  explicit UniqueShare(std::size_t most = kMostCombinations) : most_(most) {}

  // A row of this person; without people, each row has a number of its own.
  void Add(std::uint64_t combination, std::uint64_t person);

  std::uint64_t rows() const { return rows_; }
  bool exact() const { return skipped_bits_ == 0; }
  double share() const;  // 0 without rows

 private:
  struct Combination {
    std::uint64_t person = 0;
    std::uint64_t rows = 0;
    bool shared = false;  // several people have it
  };
  bool IsKept(std::uint64_t combination) const { return (combination & ((std::uint64_t{1} << skipped_bits_) - 1)) == 0; }

  std::size_t most_;
  std::unordered_map<std::uint64_t, Combination> combinations_;
  int skipped_bits_ = 0;  // kept: combinations whose last bits are 0
  std::uint64_t rows_ = 0;
};

}  // namespace cordon::engine
