// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/oblivious_transfer.h"

#include <gtest/gtest.h>

#include <set>

#include "cordon/base/random.h"
#include "tests/crypto/crypto_vectors.h"

namespace cordon::engine {
namespace {

std::vector<BlockPair> RandomPairs(std::size_t count, const ByteSource& bytes) {
  std::vector<BlockPair> pairs(count);
  for (BlockPair& pair : pairs) {
    bytes(pair[0]);
    bytes(pair[1]);
  }
  return pairs;
}

std::vector<std::uint8_t> RandomBits(std::size_t count, Random& random) {
  std::vector<std::uint8_t> bits(count);
  for (std::uint8_t& bit : bits) bit = static_cast<std::uint8_t>(random.Below(2));
  return bits;
}

TEST(ObliviousTransfer, IsThatOfTheReference) {
  const Json vectors = ReadVectors("ot");
  const OtSession session{ArrayOfHex<RunId>(vectors.at("run")), vectors.at("setup")};
  const ByteSource receiver_bytes = TestBytes(vectors.at("receiver_seed")), sender_bytes = TestBytes(vectors.at("sender_seed"));
  OtReceiverSetup setup(session, receiver_bytes);
  EXPECT_EQ(ToHex(setup.key()), vectors.at("key"));
  OtSenderSetup::Answered answered = OtSenderSetup::Answer(session, setup.key(), sender_bytes).value();
  for (std::size_t i = 0; i < kBaseTransfers; ++i) EXPECT_EQ(ToHex(answered.points[i]), vectors.at("points")[i]);
  OtReceiver receiver = std::move(setup).Take(answered.points).value();
  OtSender& sender = answered.sender;
  for (std::size_t i = 0; i < 2; ++i) {
    const OtColumns columns = receiver.Extend(vectors.at("counts")[i], receiver_bytes);
    EXPECT_EQ(columns.batch, i);
    EXPECT_EQ(ToHex(columns.bytes), vectors.at("columns")[i]);
    ASSERT_TRUE(sender.Extend(columns).ok());
  }
  const std::vector<std::uint8_t> bits = vectors.at("bits");
  std::vector<BlockPair> pairs;
  for (const Json& pair : vectors.at("pairs")) pairs.push_back({ArrayOfHex<Block>(pair[0]), ArrayOfHex<Block>(pair[1])});
  const OtChoices choices = receiver.Choose(bits);
  EXPECT_EQ(choices.flips, vectors.at("flips").get<std::vector<std::uint8_t>>());
  const std::vector<BlockPair> pads = sender.Send(choices, pairs).value();
  const SecretVector<Block> read = receiver.Receive(choices, bits, pads).value();
  for (std::size_t i = 0; i < bits.size(); ++i) {
    EXPECT_EQ(ToHex(pads[i][0]), vectors.at("pads")[i][0]);
    EXPECT_EQ(ToHex(pads[i][1]), vectors.at("pads")[i][1]);
    EXPECT_EQ(ToHex(read[i]), vectors.at("read")[i]);
  }
}

TEST(ObliviousTransferProperty, TheReceiverReadsWhatItChoseAndNotTheOther) {
  const ByteSource bytes = TestBytes(7);
  Random random = Random::FromSeed(7);
  OtEnds ends = SetUpTransfers({}, 100, bytes, bytes);
  for (int i = 0; i < 200; ++i) {
    const std::size_t count = random.Below(40);
    if (ends.receiver.num_left() < count) {
      ASSERT_TRUE(ends.sender.Extend(ends.receiver.Extend(77, bytes)).ok());
    }
    const std::vector<BlockPair> pairs = RandomPairs(count, bytes);
    const std::vector<std::uint8_t> bits = RandomBits(count, random);
    const OtChoices choices = ends.receiver.Choose(bits);
    const std::vector<BlockPair> pads = ends.sender.Send(choices, pairs).value();
    const SecretVector<Block> read = ends.receiver.Receive(choices, bits, pads).value();
    for (std::size_t j = 0; j < count; ++j) {
      EXPECT_EQ(read[j], pairs[j][bits[j]]);
      // The key of the chosen block does not open the other one.
      const Block key = read[j] ^ pads[j][bits[j]];
      EXPECT_NE(key ^ pads[j][1 - bits[j]], pairs[j][1 - bits[j]]);
    }
  }
}

// What the sender sees are bits that say nothing of the choices.
TEST(ObliviousTransfer, FlipsAreBalancedWhateverIsChosen) {
  for (const std::uint8_t bit : {std::uint8_t{0}, std::uint8_t{1}}) {
    const ByteSource bytes = TestBytes(3);
    OtEnds ends = SetUpTransfers({}, 8000, bytes, bytes);
    const OtChoices choices = ends.receiver.Choose(std::vector<std::uint8_t>(8000, bit));
    const auto ones = std::count(choices.flips.begin(), choices.flips.end(), 1);
    EXPECT_NEAR(static_cast<double>(ones), 4000, 6 * 44.7);  // six standard deviations
  }
}

TEST(ObliviousTransfer, NoTransferIsUsedTwice) {
  const ByteSource bytes = TestBytes(9);
  OtEnds ends = SetUpTransfers({}, 16, bytes, bytes);
  const std::vector<BlockPair> pairs = RandomPairs(4, bytes);
  const std::vector<std::uint8_t> bits = {1, 0, 1, 1};
  const OtChoices first = ends.receiver.Choose(bits);
  EXPECT_TRUE(ends.sender.Send(first, pairs).ok());
  EXPECT_EQ(ends.sender.Send(first, pairs).error().kind(), ErrorKind::kProtocol);  // the same again
  const OtChoices second = ends.receiver.Choose(bits);
  EXPECT_EQ(second.first, 4U);
  OtChoices ahead = second;
  ahead.first = 8;
  EXPECT_FALSE(ends.sender.Send(ahead, pairs).ok());
  EXPECT_FALSE(ends.sender.Send(second, std::span(pairs).first(3)).ok());
  EXPECT_TRUE(ends.sender.Send(second, pairs).ok());
  EXPECT_EQ(ends.sender.num_left(), 8U);
}

TEST(ObliviousTransfer, MoreThanWasDrawnIsRefused) {
  const ByteSource bytes = TestBytes(9);
  OtEnds ends = SetUpTransfers({}, 8, bytes, bytes);
  const OtChoices choices{.first = 0, .flips = std::vector<std::uint8_t>(9)};
  EXPECT_FALSE(ends.sender.Send(choices, RandomPairs(9, bytes)).ok());
  EXPECT_EQ(ends.sender.num_left(), 8U);
}

TEST(ObliviousTransfer, MalformedSetUpIsRefused) {
  const ByteSource bytes = TestBytes(5);
  EXPECT_EQ(OtSenderSetup::Answer({}, Point{}, bytes).error().kind(), ErrorKind::kProtocol);  // the identity
  Point negative{};
  negative[0] = 1;
  EXPECT_FALSE(OtSenderSetup::Answer({}, negative, bytes).ok());

  const auto key_of = [](std::uint64_t seed) { return OtReceiverSetup({}, TestBytes(seed)).key(); };
  const OtPoints good = OtSenderSetup::Answer({}, key_of(6), bytes).value().points;
  for (const Point& bad : {Point{}, negative, key_of(6)}) {  // the last makes the identity
    OtPoints points = good;
    points[77] = bad;
    EXPECT_EQ(OtReceiverSetup({}, TestBytes(6)).Take(points).error().kind(), ErrorKind::kProtocol);
  }
  EXPECT_TRUE(OtReceiverSetup({}, TestBytes(6)).Take(good).ok());

  OtEnds ends = SetUpTransfers({}, 8, bytes, bytes);
  OtColumns columns = ends.receiver.Extend(16, bytes);
  OtColumns wrong = columns;
  wrong.batch = 0;  // has been
  EXPECT_FALSE(ends.sender.Extend(wrong).ok());
  wrong = columns;
  wrong.bytes.pop_back();
  EXPECT_FALSE(ends.sender.Extend(wrong).ok());
  wrong = columns;
  wrong.count = 12;
  EXPECT_FALSE(ends.sender.Extend(wrong).ok());
  EXPECT_TRUE(ends.sender.Extend(columns).ok());
  EXPECT_EQ(ends.sender.num_left(), 24U);
}

// A key is bound to run, set-up and transfer: nothing repeats, even from the same randomness.
TEST(ObliviousTransfer, KeysAreBoundToRunAndSetUp) {
  std::set<Block> pads;
  RunId other{};
  other[15] = 1;
  for (const OtSession& session : {OtSession{{}, 0}, OtSession{{}, 1}, OtSession{other, 0}}) {
    OtEnds ends = SetUpTransfers(session, 8, TestBytes(1), TestBytes(2));
    const OtChoices choices = ends.receiver.Choose(std::vector<std::uint8_t>(8, 0));
    const std::vector<BlockPair> sent = ends.sender.Send(choices, std::vector<BlockPair>(8)).value();
    for (const BlockPair& pair : sent) {
      EXPECT_TRUE(pads.insert(pair[0]).second);
      EXPECT_TRUE(pads.insert(pair[1]).second);
    }
  }
}

}  // namespace
}  // namespace cordon::engine
