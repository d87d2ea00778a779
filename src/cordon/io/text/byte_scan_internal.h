// SPDX-License-Identifier: Apache-2.0
//
// Finding bytes 16 or 64 at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace cordon::engine {

inline bool IsSpace(char byte) { return byte == ' ' || byte == '\t'; }

// Bit i is set if data[i] == byte, for 64 bytes.
inline std::uint64_t EqualMask(const char* data, char byte) {
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi8(byte);
  std::uint64_t mask = 0;
  for (int part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + 16 * part));
    const auto bits = static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)));
    mask |= static_cast<std::uint64_t>(bits) << (16 * part);
  }
  return mask;
#else
  std::uint64_t mask = 0;
  for (int i = 0; i < 64; ++i) mask |= static_cast<std::uint64_t>(data[i] == byte) << i;
  return mask;
#endif
}

// Bit i is the parity of bits 0..i.
inline std::uint64_t PrefixXor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

inline std::size_t CountByte(std::string_view text, char byte) {
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at + 64 <= text.size(); at += 64) count += static_cast<std::size_t>(std::popcount(EqualMask(text.data() + at, byte)));
  for (; at < text.size(); ++at) count += text[at] == byte;
  return count;
}

inline bool HoldsByte(std::string_view text, char byte) {
  return !text.empty() && std::memchr(text.data(), byte, text.size()) != nullptr;
}

// Whether one of the eight bytes of the word is `byte`.
inline bool WordHolds(std::uint64_t word, char byte) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  const std::uint64_t zeroed = word ^ (kOnes * static_cast<unsigned char>(byte));
  return ((zeroed - kOnes) & ~zeroed & (kOnes << 7)) != 0;
}

}  // namespace cordon::engine
