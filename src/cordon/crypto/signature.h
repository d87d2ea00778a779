// SPDX-License-Identifier: Apache-2.0
//
// Ed25519 (RFC 8032): a party signs what the whole run was, so that neither can deny its part afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "cordon/crypto/secret.h"

namespace cordon::engine {

using VerifyKey = std::array<std::uint8_t, 32>;
using Signature = std::array<std::uint8_t, 64>;

class SigningKey {
 public:
  using Seed = std::array<std::uint8_t, 32>;

  static SigningKey Draw(const ByteSource& bytes);
  static SigningKey FromSeed(const Secret<Seed>& seed);

  const VerifyKey& verify_key() const { return verify_key_; }
  // For the file that keeps the key.
  const Secret<Seed>& seed() const { return seed_; }
  Signature Sign(std::string_view message) const;

 private:
  SigningKey() = default;

  Secret<Seed> seed_;
  Secret<std::array<std::uint8_t, 64>> key_;
  VerifyKey verify_key_{};
};

bool VerifySignature(const VerifyKey& key, std::string_view message, const Signature& signature);

}  // namespace cordon::engine
