// SPDX-License-Identifier: Apache-2.0
//
// The vectors that tests/crypto/reference.py makes, and the random bytes that both draw.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "cordon/base/digest.h"
#include "cordon/base/json.h"
#include "cordon/crypto/oblivious_transfer.h"
#include "cordon/crypto/secret.h"
#include "cordon/crypto/wire.h"

namespace cordon::engine {

inline Json ReadVectors(const std::string& name) {
  std::ifstream file(std::string(CORDON_CRYPTO_VECTORS) + "/" + name + ".json");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Json json = ParseJson(text);
  EXPECT_FALSE(json.is_discarded()) << name;
  return json;
}

inline std::string BytesOfHex(const std::string& hex) {
  std::vector<std::uint8_t> bytes(hex.size() / 2);
  EXPECT_TRUE(FromHex(hex, bytes));
  return {bytes.begin(), bytes.end()};
}

template <typename Array>
Array ArrayOfHex(const std::string& hex) {
  Array array{};
  EXPECT_TRUE(FromHex(hex, array)) << hex;
  return array;
}

inline std::string HexOf(const std::string& bytes) {
  return ToHex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

// SHA-256 of a seed and a counter, block after block.
inline ByteSource TestBytes(std::uint64_t seed) {
  struct State {
    std::uint64_t counter = 0;
    std::string left;
  };
  return [seed, state = std::make_shared<State>()](std::span<std::uint8_t> bytes) {
    while (state->left.size() < bytes.size()) {
      WireWriter block;
      block.Text("cordon-test");
      block.Number(seed);
      block.Number(state->counter++);
      const Sha256Digest digest = Sha256Of(std::move(block).Take());
      state->left.append(digest.begin(), digest.end());
    }
    std::copy_n(state->left.begin(), bytes.size(), bytes.begin());
    state->left.erase(0, bytes.size());
  };
}

// A receiver and a sender after their set-up, with `count` transfers drawn.
struct OtEnds {
  OtReceiver receiver;
  OtSender sender;
};
inline OtEnds SetUpTransfers(const OtSession& session, std::size_t count, const ByteSource& receiver_bytes,
                             const ByteSource& sender_bytes) {
  OtReceiverSetup setup(session, receiver_bytes);
  auto answered = OtSenderSetup::Answer(session, setup.key(), sender_bytes).value();
  OtEnds ends{std::move(setup).Take(answered.points).value(), std::move(answered.sender)};
  EXPECT_TRUE(ends.sender.Extend(ends.receiver.Extend(count, receiver_bytes)).ok());
  return ends;
}

}  // namespace cordon::engine
