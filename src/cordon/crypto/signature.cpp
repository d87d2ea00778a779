// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/signature.h"

#include <sodium.h>

#include "cordon/base/check.h"
#include "cordon/base/digest.h"

namespace cordon::engine {
namespace {

const unsigned char* MessageBytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

SigningKey SigningKey::Draw(const ByteSource& bytes) {
  Secret<Seed> seed;
  bytes(*seed);
  return FromSeed(seed);
}

SigningKey SigningKey::FromSeed(const Secret<Seed>& seed) {
  InitializeSodium();
  SigningKey made;
  *made.seed_ = *seed;
  CORDON_CHECK_EQ(crypto_sign_seed_keypair(made.verify_key_.data(), made.key_->data(), seed->data()), 0);
  return made;
}

Signature SigningKey::Sign(std::string_view message) const {
  Signature signature;
  CORDON_CHECK_EQ(crypto_sign_detached(signature.data(), nullptr, MessageBytes(message), message.size(), key_->data()), 0);
  return signature;
}

bool VerifySignature(const VerifyKey& key, std::string_view message, const Signature& signature) {
  InitializeSodium();
  return crypto_sign_verify_detached(signature.data(), MessageBytes(message), message.size(), key.data()) == 0;
}

}  // namespace cordon::engine
