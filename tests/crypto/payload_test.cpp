// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/payload.h"

#include <gtest/gtest.h>

#include "cordon/base/random.h"
#include "tests/crypto/crypto_vectors.h"

namespace cordon::engine {
namespace {

// Written, read, written: the same bytes; and no byte too few or too many is taken.
template <typename Payload>
Payload RoundTrip(const Payload& payload) {
  const Frame frame = MakeFrame(payload, 9);
  const auto size = PayloadSizeOf(frame.type).value();
  EXPECT_LE(size.least, frame.payload.size());
  EXPECT_GE(size.most, frame.payload.size());
  Payload read = ReadPayload<Payload>(frame).value();
  EXPECT_EQ(MakeFrame(read, 9).payload, frame.payload);
  Frame changed = frame;
  changed.payload += '\0';
  EXPECT_FALSE(ReadPayload<Payload>(changed).ok());
  if (!frame.payload.empty()) {
    changed.payload = frame.payload.substr(0, frame.payload.size() - 1);
    EXPECT_FALSE(ReadPayload<Payload>(changed).ok());
  }
  changed = frame;
  changed.type = frame.type == FrameType::kPing ? FrameType::kCommit : FrameType::kPing;
  EXPECT_FALSE(ReadPayload<Payload>(changed).ok());
  return read;
}

PsiPayload PsiPart(std::uint8_t step, PsiPayload::List list) {
  return {.step = step, .list = list, .total = 10, .first = 7, .points = std::vector<Point>(3)};
}

TEST(Payload, EveryTypeComesBackAsItWas) {
  HelloPayload hello;
  hello.role = PartyRole::kB;
  hello.nonce[3] = 4;
  EXPECT_EQ(RoundTrip(hello).nonce, hello.nonce);
  RoundTrip(ConfigPayload{});
  EXPECT_EQ(RoundTrip(PsiPart(1, PsiPayload::List::kOwn)).step, 1);
  EXPECT_EQ(RoundTrip(PsiPart(2, PsiPayload::List::kRaised)).step, 2);
  EXPECT_EQ(RoundTrip(PsiPart(3, PsiPayload::List::kRaised)).points.size(), 3U);
  RoundTrip(ClassMacPayload{});
  RoundTrip(ClassLabelsPayload{PackedNumbers::Pack(std::vector<std::uint32_t>{0, 1, 2, 2, 1}, 3)});
  RoundTrip(OtKeyPayload{.setup = 3});
  RoundTrip(OtPointsPayload{.setup = 3});
  RoundTrip(OtColumns{.batch = 1, .count = 16, .bytes = std::vector<std::uint8_t>(256, 7)});
  RoundTrip(ScoreCommitPayload{});
  RoundTrip(ScoreRevealPayload{});
  RoundTrip(AckPayload{});
  RoundTrip(CommitPayload{});
  RoundTrip(FinishPayload{});
  RoundTrip(PingPayload{});
  const ResumePayload resume{.durable_round = 5, .num_sent = 17, .num_received = 1ULL << 40};
  EXPECT_EQ(RoundTrip(resume).num_received, 1ULL << 40);
  EXPECT_EQ(RoundTrip(AbortPayload{AbortCode::kDiverged}).code, AbortCode::kDiverged);
  const InstructPayload node{
      .column = 3, .node = 70'000, .children = PackedNumbers::Pack(std::vector<std::uint32_t>{0, 2, 1}, 3)};
  EXPECT_EQ(RoundTrip(node), node);
  const InstructPayload interval{.column = 3,
                                 .kind = InstructPayload::Kind::kInterval,
                                 .lo = -5,
                                 .hi = 1LL << 50,
                                 .split = -4,
                                 .children = PackedNumbers::Pack(std::vector<std::uint32_t>{1, 1, 0, 1, 0, 0, 0, 1, 1}, 2)};
  EXPECT_EQ(RoundTrip(interval), interval);
}

TEST(Payload, ComparisonsTakeTheirRoundFromTheFrame) {
  CompareResult result{.id = {12, 3}, .labels = std::vector<Block>(2)};
  const Frame frame = MakeFrame(result);
  EXPECT_EQ(frame.round, 12U);
  EXPECT_EQ(ReadPayload<CompareResult>(frame).value().id, (CompareId{12, 3}));
  CompareChoices choices{.id = {12, 3}, .choices = {.first = 99, .flips = std::vector<std::uint8_t>(kCompareInputs, 1)}};
  const auto read = ReadPayload<CompareChoices>(MakeFrame(choices)).value();
  EXPECT_EQ(read.choices.first, 99U);
  EXPECT_EQ(read.choices.flips, choices.choices.flips);
}

TEST(Payload, PackedNumbersAreThoseOfTheSpecification) {
  const Json runs = ReadVectors("runs");
  std::size_t steps = 0;
  for (const char* name : {"W2", "W3"}) {
    for (const Json& each : runs.at(name)) {
      if (each.at("winner").is_null()) continue;
      const std::vector<std::uint32_t> numbers = each.at("numbers");
      const PackedNumbers packed = PackedNumbers::Pack(numbers, each.at("children"));
      EXPECT_EQ(HexOf(packed.bytes), each.at("packed"));
      EXPECT_EQ(packed.Unpack(), numbers);
      ++steps;
    }
  }
  EXPECT_EQ(steps, 10U);
}

TEST(PayloadProperty, PackedNumbersComeBack) {
  Random random = Random::FromSeed(1);
  for (int i = 0; i < 300; ++i) {
    const auto below = static_cast<std::uint16_t>(i < 40 ? i + 1 : 1 + random.Below(65'535));
    std::vector<std::uint32_t> numbers(random.Below(70));
    for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random.Below(below));
    EXPECT_EQ(PackedNumbers::Pack(numbers, below).Unpack(), numbers);
    RoundTrip(ClassLabelsPayload{PackedNumbers::Pack(numbers, below)});
  }
}

Frame InstructFrame(const InstructPayload& instruct) { return MakeFrame(instruct, 1); }

TEST(Payload, WrongInstructionsAreRefused) {
  const InstructPayload good{.kind = InstructPayload::Kind::kInterval,
                             .lo = 1,
                             .hi = 99,
                             .split = 37,
                             .children = PackedNumbers::Pack(std::vector<std::uint32_t>{0, 1, 0}, 2)};
  EXPECT_TRUE(ReadPayload<InstructPayload>(InstructFrame(good)).ok());
  InstructPayload wrong = good;
  wrong.split = 1;
  EXPECT_FALSE(ReadPayload<InstructPayload>(InstructFrame(wrong)).ok());
  wrong.split = 99;
  EXPECT_FALSE(ReadPayload<InstructPayload>(InstructFrame(wrong)).ok());
  wrong = good;
  wrong.children = PackedNumbers::Pack(std::vector<std::uint32_t>{0, 1, 2}, 3);  // an interval has two halves
  EXPECT_FALSE(ReadPayload<InstructPayload>(InstructFrame(wrong)).ok());
  wrong = good;
  wrong.children.bytes[0] = '\x0A';  // a bit of the padding
  EXPECT_FALSE(ReadPayload<InstructPayload>(InstructFrame(wrong)).ok());
  const InstructPayload three{.children = PackedNumbers::Pack(std::vector<std::uint32_t>{0, 1, 2}, 3)};
  wrong = three;
  wrong.children.bytes[0] = '\x03';  // 3 is not below 3
  EXPECT_TRUE(ReadPayload<InstructPayload>(InstructFrame(three)).ok());
  EXPECT_FALSE(ReadPayload<InstructPayload>(InstructFrame(wrong)).ok());
  wrong = three;
  wrong.children.count = 4;  // the bits of the padding are a fourth number
  EXPECT_TRUE(ReadPayload<InstructPayload>(InstructFrame(wrong)).ok());
  wrong.children.count = 5;
  EXPECT_FALSE(ReadPayload<InstructPayload>(InstructFrame(wrong)).ok());
  wrong.children.count = 0xFFFFFFFF;
  EXPECT_FALSE(ReadPayload<InstructPayload>(InstructFrame(wrong)).ok());
  wrong = three;
  wrong.children.below = 0;
  EXPECT_FALSE(ReadPayload<InstructPayload>(InstructFrame(wrong)).ok());
  Frame kind = InstructFrame(three);
  kind.payload[2] = 2;
  EXPECT_FALSE(ReadPayload<InstructPayload>(kind).ok());
}

TEST(Payload, WrongListsOfIdsAreRefused) {
  PsiPayload wrong = PsiPart(1, PsiPayload::List::kOwn);
  wrong.first = 8;  // 8 + 3 > 10
  EXPECT_FALSE(ReadPayload<PsiPayload>(MakeFrame(wrong)).ok());
  wrong.first = 0xFFFFFFFF;
  EXPECT_FALSE(ReadPayload<PsiPayload>(MakeFrame(wrong)).ok());
  EXPECT_FALSE(ReadPayload<PsiPayload>(MakeFrame(PsiPart(1, PsiPayload::List::kRaised))).ok());
  EXPECT_FALSE(ReadPayload<PsiPayload>(MakeFrame(PsiPart(3, PsiPayload::List::kOwn))).ok());
  wrong = PsiPart(2, PsiPayload::List::kOwn);
  wrong.total = PsiPayload::kMaxIds + 1;
  EXPECT_FALSE(ReadPayload<PsiPayload>(MakeFrame(wrong)).ok());
}

TEST(Payload, WrongGreetingsAndCodesAreRefused) {
  HelloPayload hello;
  hello.least_version = 2;
  EXPECT_FALSE(ReadPayload<HelloPayload>(MakeFrame(hello)).ok());
  Frame role = MakeFrame(HelloPayload{});
  role.payload[4] = 'C';
  EXPECT_FALSE(ReadPayload<HelloPayload>(role).ok());
  for (const int code : {0, 10, 999}) {
    EXPECT_FALSE(ReadPayload<AbortPayload>(MakeFrame(AbortPayload{static_cast<AbortCode>(code)})).ok()) << code;
  }
  Frame choices = MakeFrame(CompareChoices{.id = {}, .choices = {.flips = std::vector<std::uint8_t>(kCompareInputs)}});
  EXPECT_TRUE(ReadPayload<CompareChoices>(choices).ok());
  choices.payload.back() = 2;  // a bit beyond the last choice
  EXPECT_FALSE(ReadPayload<CompareChoices>(choices).ok());
  EXPECT_FALSE(ReadPayload<ClassLabelsPayload>(MakeFrame(ClassMacPayload{})).ok());
}

}  // namespace
}  // namespace cordon::engine
