// SPDX-License-Identifier: Apache-2.0
//
// SHA-256 of bytes (OpenSSL: it uses the processor's own instructions, and whole files are hashed), keyed pseudonyms
// (HMAC-SHA-256) and hexadecimal (libsodium).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace cordon::engine {

using Sha256Digest = std::array<std::uint8_t, 32>;

// Safe to call from any thread, any number of times.
void InitializeSodium();

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void Update(std::string_view bytes);
  Sha256 Clone() const;  // of the bytes so far, to go on with others
  Sha256Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Sha256Digest Sha256Of(std::string_view bytes);

Sha256Digest HmacSha256(std::string_view key, std::string_view bytes);

// SipHash-2-4, 128 bits: tells many short texts apart, quickly, to anyone who has the key.
using SipKey = std::array<std::uint8_t, 16>;
std::array<std::uint64_t, 2> SipHash(const SipKey& key, std::string_view bytes);

std::string ToHex(std::span<const std::uint8_t> bytes);
// False if the text is not exactly two hexadecimal digits per byte.
bool FromHex(std::string_view text, std::span<std::uint8_t> bytes);

}  // namespace cordon::engine
