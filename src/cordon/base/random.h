// SPDX-License-Identifier: Apache-2.0
//
// A keyed counter generator: the n-th word is a function of (key, n), the ChaCha20 key stream. So a stream
// can be saved as (key, position) and restored, and substreams are independent of the order in which they
// are drawn: a run gives the same release for any number of threads.
//
// Production keys come from the operating system. A fixed seed repeats a run; anyone who knows it can undo
// every permutation made from it, so it never enters a published file.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/base/result.h"

namespace cordon::engine {

class Random {
 public:
  using Key = std::array<std::uint8_t, 32>;
  using result_type = std::uint64_t;

  static Random FromOperatingSystem();
  static Random FromSeed(std::uint64_t seed);

  // A separate generator for each name and number; drawing from it does not move this one.
  Random Substream(std::string_view name, std::uint64_t number = 0) const;

  std::uint64_t Next();
  // Uniform in [0, bound), without bias. REQUIRES: bound > 0.
  std::uint64_t Below(std::uint64_t bound);
  // Uniform in [0, 1) on a grid of 2^-53.
  double Unit();

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return Next(); }

  template <typename T>
  void Shuffle(std::span<T> items) {  // Fisher-Yates; std::shuffle differs between standard libraries
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[Below(left)]);
  }

  std::string Save() const;  // hexadecimal key and position: private
  static Result<Random> Restore(std::string_view saved);

 private:
  explicit Random(const Key& key, std::uint64_t position = 0) : key_(key), position_(position) {}
  void Refill();

  static constexpr std::size_t kWords = 128;  // 16 ChaCha blocks at a time
  Key key_;
  std::uint64_t position_;                   // words drawn so far
  std::uint64_t first_ = ~std::uint64_t{0};  // position of buffer_[0], none yet
  std::array<std::uint64_t, kWords> buffer_{};
};

}  // namespace cordon::engine
