// SPDX-License-Identifier: Apache-2.0
//
// 128 bits: a wire label, a key of an oblivious transfer, a row of the extension. What is done to them takes the same time
// for all values: a bit selects by a mask, never by a branch or an address.
#pragma once

#include <array>
#include <cstdint>

namespace cordon::engine {

using Block = std::array<std::uint8_t, 16>;

inline Block operator^(Block a, const Block& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
  return a;
}

// The block if the bit is 1, zeros if it is 0. REQUIRES: bit is 0 or 1.
inline Block Times(unsigned bit, Block block) {
  const auto mask = static_cast<std::uint8_t>(0U - bit);
  for (std::uint8_t& byte : block) byte &= mask;
  return block;
}

// The color of a label: its lowest bit.
inline unsigned LowBit(const Block& block) { return block[0] & 1U; }

}  // namespace cordon::engine
