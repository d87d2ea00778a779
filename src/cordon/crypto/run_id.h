// SPDX-License-Identifier: Apache-2.0
//
// What tells one run, and one comparison of it, from every other: hashes of secrets are bound to it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

namespace cordon::engine {

// Random; both parties contribute to it.
using RunId = std::array<std::uint8_t, 16>;

// A garbles and takes the role of the sender in oblivious transfers; B evaluates.
enum class PartyRole : std::uint8_t { kA = 'A', kB = 'B' };

// A comparison that a lost connection has cut off is made again as the next attempt, with everything fresh.
struct CompareId {
  std::uint32_t round = 0;
  std::uint32_t attempt = 0;
  friend auto operator<=>(const CompareId&, const CompareId&) = default;
};

}  // namespace cordon::engine
