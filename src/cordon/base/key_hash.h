// SPDX-License-Identifier: Apache-2.0
//
// The hash of numbers. Keys are often sums of a few small numbers times powers, so every bit of the key reaches the upper
// half of the hash; the hash tables use that half.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace cordon::engine {

struct KeyHash {
  static std::uint64_t Of(std::integral auto key) {
    const std::uint64_t hash = static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15;
    return (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93;
  }
  template <std::size_t kWords>
  static std::uint64_t Of(const std::array<std::uint64_t, kWords>& words) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : words) hash = Of(hash ^ (hash >> 32) ^ word);
    return hash;
  }
};

}  // namespace cordon::engine
