// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/signature.h"

#include <gtest/gtest.h>

#include "tests/crypto/crypto_vectors.h"

namespace cordon::engine {
namespace {

Secret<SigningKey::Seed> SeedOfHex(const std::string& hex) {
  Secret<SigningKey::Seed> seed;
  *seed = ArrayOfHex<SigningKey::Seed>(hex);
  return seed;
}

TEST(Signature, IsThatOfTheRfc) {
  const Json vectors = ReadVectors("rfc8032").at("ed25519");
  ASSERT_EQ(vectors.size(), 3U);
  for (const Json& each : vectors) {
    const SigningKey key = SigningKey::FromSeed(SeedOfHex(each.at("seed")));
    const std::string message = BytesOfHex(each.at("message"));
    EXPECT_EQ(ToHex(key.verify_key()), each.at("verify_key"));
    EXPECT_EQ(ToHex(key.Sign(message)), each.at("signature"));
    EXPECT_TRUE(VerifySignature(key.verify_key(), message, key.Sign(message)));
  }
}

TEST(Signature, OfAnotherMessageOrKeyIsRefused) {
  const SigningKey key = SigningKey::Draw(TestBytes(1)), other = SigningKey::Draw(TestBytes(2));
  const std::string message = "what was done";
  const Signature signature = key.Sign(message);
  EXPECT_TRUE(VerifySignature(key.verify_key(), message, signature));
  EXPECT_FALSE(VerifySignature(other.verify_key(), message, signature));
  EXPECT_FALSE(VerifySignature(key.verify_key(), "what was not done", signature));
  for (std::size_t at = 0; at < signature.size(); ++at) {
    Signature changed = signature;
    changed[at] ^= 1;
    EXPECT_FALSE(VerifySignature(key.verify_key(), message, changed)) << at;
  }
}

TEST(Signature, AKeyComesBackFromItsSeed) {
  const SigningKey key = SigningKey::Draw(OperatingSystemBytes());
  EXPECT_EQ(SigningKey::FromSeed(key.seed()).verify_key(), key.verify_key());
}

}  // namespace
}  // namespace cordon::engine
