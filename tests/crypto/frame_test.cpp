// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/frame.h"

#include <gtest/gtest.h>

#include "cordon/crypto/payload.h"
#include "cordon/crypto/signature.h"
#include "tests/crypto/crypto_vectors.h"

namespace cordon::engine {
namespace {

std::vector<std::string> FramesOfHex(const Json& hexes) {
  std::vector<std::string> frames;
  for (const std::string hex : hexes) frames.push_back(BytesOfHex(hex));
  return frames;
}

TEST(Frame, IsThatOfTheReference) {
  const Json vectors = ReadVectors("frames");
  FrameSequence from_a(PartyRole::kA), from_b(PartyRole::kB);
  const std::vector<std::string> a = FramesOfHex(vectors.at("a")), b = FramesOfHex(vectors.at("b"));
  const auto hello_a = ReadPayload<HelloPayload>(from_a.Open(a[0]).value()).value();
  const auto hello_b = ReadPayload<HelloPayload>(from_b.Open(b[0]).value()).value();
  EXPECT_EQ(hello_b.role, PartyRole::kB);
  const RunId run = MakeRunId(hello_a.nonce, hello_b.nonce);
  EXPECT_EQ(ToHex(run), vectors.at("run"));
  from_a.SetRun(run);
  from_b.SetRun(run);
  EXPECT_EQ(from_a.Open(a[1]).value().type, FrameType::kConfig);

  const Frame interval = from_b.Open(b[1]).value();
  EXPECT_EQ(interval.round, 1U);
  const auto split = ReadPayload<InstructPayload>(interval).value();
  EXPECT_EQ(split.column, 2);
  EXPECT_EQ(split.kind, InstructPayload::Kind::kInterval);
  EXPECT_EQ(std::tie(split.lo, split.hi, split.split), std::tuple(1, 99, 37));
  std::vector<std::uint32_t> numbers(34, 1);
  std::fill_n(numbers.begin(), 12, 0U);
  EXPECT_EQ(split.children.Unpack(), numbers);
  const auto node = ReadPayload<InstructPayload>(from_b.Open(b[2]).value()).value();
  EXPECT_EQ(node.node, 7U);
  EXPECT_EQ(node.children.Unpack(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 4, 0}));
  EXPECT_EQ(from_a.Open(a[2]).value().type, FrameType::kAck);
  EXPECT_EQ(from_b.Open(b[3]).value().type, FrameType::kCommit);
  EXPECT_EQ(ReadPayload<AbortPayload>(from_a.Open(a[3]).value()).value().code, AbortCode::kState);

  const Json& finish = vectors.at("finish");
  const std::string statement =
      FinishStatement(run, from_a.chain(), from_b.chain(), ArrayOfHex<Sha256Digest>(finish.at("state")));
  EXPECT_EQ(HexOf(statement), finish.at("statement"));
  EXPECT_TRUE(VerifySignature(ArrayOfHex<VerifyKey>(finish.at("verify_key")), statement,
                              ArrayOfHex<Signature>(finish.at("signature"))));
}

TEST(Frame, SealingWhatWasOpenedGivesTheSameBytes) {
  const Json vectors = ReadVectors("frames");
  FrameSequence opened(PartyRole::kB), sealed(PartyRole::kB);
  bool first = true;
  for (const std::string& bytes : FramesOfHex(vectors.at("b"))) {
    EXPECT_EQ(sealed.Seal(opened.Open(bytes).value()), bytes);
    EXPECT_EQ(sealed.chain(), opened.chain());
    EXPECT_EQ(sealed.chain(), FrameHash(bytes));
    if (first) opened.SetRun(ArrayOfHex<RunId>(vectors.at("run")));
    if (first) sealed.SetRun(ArrayOfHex<RunId>(vectors.at("run")));
    first = false;
  }
}

Frame AckOf(std::uint8_t byte) {
  AckPayload ack;
  ack.state[0] = byte;
  return MakeFrame(ack, 3);
}

struct Pipe {
  FrameSequence sender{PartyRole::kA}, receiver{PartyRole::kA};
};

TEST(Frame, ReplayedReorderedDroppedOrForeignFramesAreRefused) {
  Pipe pipe;
  const std::string one = pipe.sender.Seal(AckOf(1)), two = pipe.sender.Seal(AckOf(2)), three = pipe.sender.Seal(AckOf(3));
  EXPECT_EQ(pipe.receiver.Open(two).error().kind(), ErrorKind::kProtocol);  // before its turn
  EXPECT_TRUE(pipe.receiver.Open(one).ok());
  EXPECT_FALSE(pipe.receiver.Open(one).ok());                 // again
  EXPECT_FALSE(pipe.receiver.Open(three).ok());               // one is missing
  EXPECT_FALSE(FrameSequence(PartyRole::kB).Open(one).ok());  // of the other role
  FrameSequence another_run(PartyRole::kA);
  another_run.SetRun({1});
  EXPECT_FALSE(another_run.Open(one).ok());
  EXPECT_TRUE(pipe.receiver.Open(two).ok());  // nothing was changed by what was refused
  EXPECT_TRUE(pipe.receiver.Open(three).ok());
  EXPECT_EQ(pipe.receiver.chain(), pipe.sender.chain());
}

TEST(Frame, AChangedPayloadShowsAtTheNextFrame) {
  Pipe pipe;
  std::string one = pipe.sender.Seal(AckOf(1));
  const std::string two = pipe.sender.Seal(AckOf(2));
  one.back() = static_cast<char>(one.back() ^ 1);
  EXPECT_TRUE(pipe.receiver.Open(one).ok());  // TLS guards a single frame
  EXPECT_FALSE(pipe.receiver.Open(two).ok());
}

TEST(Frame, AChangedBitOfAHeaderShowsAtOnceOrAtTheNextFrame) {
  Pipe pipe;
  const std::string good = pipe.sender.Seal(AckOf(1)), next = pipe.sender.Seal(AckOf(2));
  for (std::size_t bit = 0; bit < 8 * kFrameHeaderBytes; ++bit) {
    std::string changed = good;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    FrameSequence receiver(PartyRole::kA);
    const bool is_type_or_round = bit / 8 == 6 || (bit / 8 >= 12 && bit / 8 < 16);
    EXPECT_TRUE(!receiver.Open(changed).ok() || (is_type_or_round && !receiver.Open(next).ok())) << bit;
  }
}

TEST(Frame, TruncatedOrExtendedFramesAreRefused) {
  Pipe pipe;
  const std::string good = pipe.sender.Seal(AckOf(1));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(pipe.receiver.Open(std::string_view(good).substr(0, size)).ok()) << size;
  }
  EXPECT_FALSE(pipe.receiver.Open(good + "x").ok());
  EXPECT_TRUE(pipe.receiver.Open(good).ok());
}

TEST(Frame, AnOversizedFrameIsRefusedByItsHeader) {
  Pipe pipe;
  std::string header = pipe.sender.Seal(AckOf(1)).substr(0, kFrameHeaderBytes);
  for (const std::uint32_t length : {0U, 31U, 33U, 64U << 20, 0xFFFFFFFFU}) {
    WireWriter number;
    number.Number(length);
    header.replace(8, 4, std::move(number).Take());
    EXPECT_FALSE(DecodeFrameHeader(header).ok()) << length;
  }
}

TEST(Frame, UnknownTypesHaveNoSize) {
  int known = 0;
  for (int type = 0; type < 65536; ++type) {
    const auto size = PayloadSizeOf(static_cast<FrameType>(type));
    if (size) {
      ++known;
      EXPECT_LE(size->least, size->most);
      EXPECT_LE(size->most, kMaxPayload);
    }
  }
  EXPECT_EQ(known, 21);
}

}  // namespace
}  // namespace cordon::engine
