// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as what a peer sends. Odd first byte: frames, one after the other, as a receiver reads them off the wire. Even: the
// next two bytes are a type, the rest its payload, so that the search is not held up by hashes; what is read is written as
// the same bytes, and goes to the protocol that waits for it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/base/check.h"
#include "cordon/base/random.h"
#include "cordon/crypto/frame.h"
#include "cordon/crypto/payload.h"
#include "cordon/crypto/private_compare.h"
#include "cordon/crypto/psi.h"

namespace cordon::engine {
namespace {

void TestBytes(std::span<std::uint8_t> bytes) {  // the same in every run of the program
  static Random random = Random::FromSeed(1);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.Next());
}

void ReadFrames(std::string_view wire) {
  FrameSequence receiver(PartyRole::kA);
  while (wire.size() >= kFrameHeaderBytes) {
    const auto header = DecodeFrameHeader(wire.substr(0, kFrameHeaderBytes));
    if (!header.ok()) {
      CORDON_CHECK(header.error().kind() == ErrorKind::kProtocol);
      return;
    }
    CORDON_CHECK_LE(header.value().length, kMaxPayload);
    const std::size_t size = kFrameHeaderBytes + header.value().length;
    const std::uint64_t before = receiver.num_frames();
    const auto frame = receiver.Open(wire.substr(0, size));
    CORDON_CHECK_EQ(receiver.num_frames(), before + (frame.ok() ? 1 : 0));
    if (!frame.ok()) return;
    wire.remove_prefix(size);
  }
}

template <typename Payload>
std::optional<Payload> TryPayload(const Frame& frame) {
  auto read = ReadPayload<Payload>(frame);
  if (!read.ok()) {
    CORDON_CHECK(read.error().kind() == ErrorKind::kProtocol);
    return std::nullopt;
  }
  CORDON_CHECK(MakeFrame(read.value(), frame.round).payload == frame.payload);
  return std::move(read).value();
}

// Parties that wait for a message of a comparison. The set-up takes 30 ms, so it is kept, and goes on with the next round.
struct Waiting {
  CompareGarbler garbler;
  CompareEvaluator evaluator;
  std::uint32_t round = 0;
};
Waiting MakeWaiting() {
  OtReceiverSetup setup({}, TestBytes);
  auto answered = OtSenderSetup::Answer({}, setup.key(), TestBytes).value();
  OtReceiver receiver = std::move(setup).Take(answered.points).value();
  return {CompareGarbler({}, std::move(answered.sender)), CompareEvaluator({}, std::move(receiver))};
}
Waiting& Ready() {
  static Waiting waiting = MakeWaiting();
  if (waiting.evaluator.transfers().num_left() < kCompareInputs) {
    waiting = MakeWaiting();
    CORDON_CHECK(
        waiting.garbler.transfers().Extend(waiting.evaluator.transfers().Extend(100 * kCompareInputs, TestBytes)).ok());
  }
  ++waiting.round;
  return waiting;
}

void TakeTable(CompareTable table) {
  Waiting& waiting = Ready();
  table.id = {waiting.round, 0};
  const CompareChoices choices = waiting.evaluator.Start(table.id, MakeCompareKey(5)).value();
  CORDON_CHECK(waiting.garbler.Start(table.id, MakeCompareKey(6), choices, TestBytes).ok());  // keeps both at the same transfer
  (void)waiting.evaluator.Finish(table);
}

void TakeChoices(CompareChoices choices) {
  Waiting& waiting = Ready();
  choices.id = {waiting.round, 0};
  const CompareChoices own = waiting.evaluator.Start(choices.id, MakeCompareKey(5)).value();
  const auto table = waiting.garbler.Start(choices.id, MakeCompareKey(6), choices, TestBytes);
  if (!table.ok()) {
    const CompareId next{waiting.round, 1};
    CORDON_CHECK(waiting.garbler.Start(next, MakeCompareKey(6), {next, own.choices}, TestBytes).ok());
  }
}

void TakeResult(CompareResult result) {
  Waiting& waiting = Ready();
  result.id = {waiting.round, 0};
  const CompareChoices choices = waiting.evaluator.Start(result.id, MakeCompareKey(5)).value();
  CORDON_CHECK(waiting.garbler.Start(result.id, MakeCompareKey(6), choices, TestBytes).ok());
  (void)waiting.garbler.Finish(result);
}

void TakePoints(const PsiPayload& psi) {
  static const PsiParty party = [] {
    const std::string_view ids[] = {"a", "b"};
    return PsiParty::Make(ids, {}, TestBytes, Random::FromSeed(1), {}).value();
  }();
  (void)party.Raise(std::span(psi.points).first(std::min<std::size_t>(psi.points.size(), 8)), {});
}

void ReadOne(const Frame& frame) {
  switch (frame.type) {
    case FrameType::kHello: TryPayload<HelloPayload>(frame); break;
    case FrameType::kConfig: TryPayload<ConfigPayload>(frame); break;
    case FrameType::kPsi1:
    case FrameType::kPsi2:
    case FrameType::kPsi3:
      if (const auto psi = TryPayload<PsiPayload>(frame)) TakePoints(*psi);
      break;
    case FrameType::kClass:
      TryPayload<ClassMacPayload>(frame);
      TryPayload<ClassLabelsPayload>(frame);
      break;
    case FrameType::kOtKey:
      if (const auto key = TryPayload<OtKeyPayload>(frame)) (void)OtSenderSetup::Answer({}, key->key, TestBytes);
      break;
    case FrameType::kOtPoints:
      if (const auto points = TryPayload<OtPointsPayload>(frame)) (void)OtReceiverSetup({}, TestBytes).Take(points->points);
      break;
    case FrameType::kOtColumns:
      if (const auto columns = TryPayload<OtColumns>(frame)) (void)MakeWaiting().garbler.transfers().Extend(*columns);
      break;
    case FrameType::kScoreCommit: TryPayload<ScoreCommitPayload>(frame); break;
    case FrameType::kScoreReveal: TryPayload<ScoreRevealPayload>(frame); break;
    case FrameType::kCompareTable:
      if (const auto table = TryPayload<CompareTable>(frame)) TakeTable(*table);
      break;
    case FrameType::kCompareChoices:
      if (const auto choices = TryPayload<CompareChoices>(frame)) TakeChoices(*choices);
      break;
    case FrameType::kCompareResult:
      if (const auto result = TryPayload<CompareResult>(frame)) TakeResult(*result);
      break;
    case FrameType::kInstruct:
      if (const auto instruct = TryPayload<InstructPayload>(frame)) {
        for (const std::uint32_t number : instruct->children.Unpack())
          CORDON_CHECK_LT(number, std::uint32_t{instruct->children.below});
      }
      break;
    case FrameType::kAck: TryPayload<AckPayload>(frame); break;
    case FrameType::kCommit: TryPayload<CommitPayload>(frame); break;
    case FrameType::kFinish: TryPayload<FinishPayload>(frame); break;
    case FrameType::kPing: TryPayload<PingPayload>(frame); break;
    case FrameType::kResume: TryPayload<ResumePayload>(frame); break;
    case FrameType::kAbort: TryPayload<AbortPayload>(frame); break;
  }
}

}  // namespace
}  // namespace cordon::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon::engine;
  if (size < 3) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (data[0] % 2 == 1) {
    ReadFrames(bytes.substr(1));
  } else {
    ReadOne({static_cast<FrameType>(data[1] | data[2] << 8), 1, std::string(bytes.substr(3))});
  }
  return 0;
}
