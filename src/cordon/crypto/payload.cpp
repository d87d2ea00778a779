// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/payload.h"

#include <algorithm>
#include <bit>

#include "cordon/base/check.h"
#include "cordon/crypto/wire.h"

namespace cordon::engine {
namespace {

constexpr std::uint32_t kChoiceBytes = (kCompareInputs + 7) / 8;

unsigned BitsFor(std::uint16_t below) { return std::max(1U, static_cast<unsigned>(std::bit_width(below - 1U))); }

std::uint64_t PackedSize(std::uint32_t count, unsigned bits) { return (std::uint64_t{count} * bits + 7) / 8; }

// f(number) for each of the packed numbers, as long as it says true.
template <typename Function>
bool ForEachPacked(std::string_view packed, std::uint32_t count, unsigned bits, const Function& f) {
  std::uint64_t window = 0;  // the bits at hand, the next ones lowest
  unsigned filled = 0;
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    for (; filled < bits; filled += 8) window |= std::uint64_t{static_cast<std::uint8_t>(packed[next++])} << filled;
    if (!f(static_cast<std::uint32_t>(window & ((1U << bits) - 1)))) return false;
    window >>= bits;
    filled -= bits;
  }
  return true;
}

void Write(WireWriter& to, const PackedNumbers& numbers) {
  to.Number(numbers.below);
  to.Number(static_cast<std::uint8_t>(BitsFor(numbers.below)));
  to.Number(numbers.count);
  to.Text(numbers.bytes);
}

// Up to the end of the payload.
void Read(WireReader& from, PackedNumbers& numbers) {
  numbers.below = from.Number<std::uint16_t>();
  const auto bits = from.Number<std::uint8_t>();
  numbers.count = from.Number<std::uint32_t>();
  from.Require(numbers.below > 0 && bits == BitsFor(numbers.below) && numbers.count <= PackedNumbers::kMaxNumbers);
  from.Require(from.ok() && from.num_left() == PackedSize(numbers.count, bits));
  if (!from.ok()) return;
  numbers.bytes = from.Take(from.num_left());
  const auto is_below = [&](std::uint32_t number) { return number < numbers.below; };
  from.Require(numbers.below == 1U << bits || ForEachPacked(numbers.bytes, numbers.count, bits, is_below));
  const unsigned used = static_cast<unsigned>(std::uint64_t{numbers.count} * bits % 8);
  if (used != 0) from.Require(static_cast<std::uint8_t>(numbers.bytes.back()) >> used == 0);
}

FrameType TypeOf(const HelloPayload&) { return FrameType::kHello; }
void Write(WireWriter& to, const HelloPayload& hello) {
  to.Number(hello.least_version);
  to.Number(hello.most_version);
  to.Number(static_cast<std::uint8_t>(hello.role));
  to.Bytes(hello.nonce);
  to.Bytes(hello.channel_binding);
}
void Read(WireReader& from, HelloPayload& hello) {
  hello.least_version = from.Number<std::uint16_t>();
  hello.most_version = from.Number<std::uint16_t>();
  const auto role = from.Number<std::uint8_t>();
  hello.role = static_cast<PartyRole>(role);
  from.Require(hello.least_version <= hello.most_version);
  from.Require(hello.role == PartyRole::kA || hello.role == PartyRole::kB);
  from.Bytes(hello.nonce);
  from.Bytes(hello.channel_binding);
}

FrameType TypeOf(const ConfigPayload&) { return FrameType::kConfig; }
void Write(WireWriter& to, const ConfigPayload& config) {
  to.Bytes(config.config);
  to.Bytes(config.input_commitment);
}
void Read(WireReader& from, ConfigPayload& config) {
  from.Bytes(config.config);
  from.Bytes(config.input_commitment);
}

FrameType PsiType(std::uint8_t step) { return static_cast<FrameType>(static_cast<std::uint16_t>(FrameType::kPsi1) + step - 1); }
FrameType TypeOf(const PsiPayload& psi) { return PsiType(psi.step); }
// Which lists a step sends.
bool HasList(std::uint8_t step, PsiPayload::List list) {
  return step == 2 || (step == 1 && list == PsiPayload::List::kOwn) || (step == 3 && list == PsiPayload::List::kRaised);
}
void Write(WireWriter& to, const PsiPayload& psi) {
  to.Number(static_cast<std::uint8_t>(psi.list));
  to.Number(psi.total);
  to.Number(psi.first);
  for (const Point& point : psi.points) to.Bytes(point);
}
void Read(WireReader& from, PsiPayload& psi) {
  psi.list = static_cast<PsiPayload::List>(from.Number<std::uint8_t>());
  psi.total = from.Number<std::uint32_t>();
  psi.first = from.Number<std::uint32_t>();
  from.Require(psi.list == PsiPayload::List::kOwn || psi.list == PsiPayload::List::kRaised);
  from.Require(HasList(psi.step, psi.list) && psi.total <= PsiPayload::kMaxIds);
  from.Require(from.ok() && from.num_left() % sizeof(Point) == 0);
  const std::size_t count = from.num_left() / sizeof(Point);
  from.Require(count <= kMaxPsiPoints && psi.first <= psi.total && count <= psi.total - psi.first);
  if (!from.ok()) return;
  psi.points.resize(count);
  for (Point& point : psi.points) from.Bytes(point);
}

constexpr std::uint8_t kClassMac = 0, kClassLabels = 1;
FrameType TypeOf(const ClassMacPayload&) { return FrameType::kClass; }
void Write(WireWriter& to, const ClassMacPayload& payload) {
  to.Number(kClassMac);
  to.Bytes(payload.mac);
}
void Read(WireReader& from, ClassMacPayload& payload) {
  from.Require(from.Number<std::uint8_t>() == kClassMac);
  from.Bytes(payload.mac);
}
FrameType TypeOf(const ClassLabelsPayload&) { return FrameType::kClass; }
void Write(WireWriter& to, const ClassLabelsPayload& payload) {
  to.Number(kClassLabels);
  Write(to, payload.labels);
}
void Read(WireReader& from, ClassLabelsPayload& payload) {
  from.Require(from.Number<std::uint8_t>() == kClassLabels);
  Read(from, payload.labels);
}

FrameType TypeOf(const OtKeyPayload&) { return FrameType::kOtKey; }
void Write(WireWriter& to, const OtKeyPayload& payload) {
  to.Number(payload.setup);
  to.Bytes(payload.key);
}
void Read(WireReader& from, OtKeyPayload& payload) {
  payload.setup = from.Number<std::uint32_t>();
  from.Bytes(payload.key);
}

FrameType TypeOf(const OtPointsPayload&) { return FrameType::kOtPoints; }
void Write(WireWriter& to, const OtPointsPayload& payload) {
  to.Number(payload.setup);
  for (const Point& point : payload.points) to.Bytes(point);
}
void Read(WireReader& from, OtPointsPayload& payload) {
  payload.setup = from.Number<std::uint32_t>();
  for (Point& point : payload.points) from.Bytes(point);
}

FrameType TypeOf(const OtColumns&) { return FrameType::kOtColumns; }
void Write(WireWriter& to, const OtColumns& columns) {
  to.Number(columns.batch);
  to.Number(columns.count);
  to.Bytes(columns.bytes);
}
void Read(WireReader& from, OtColumns& columns) {
  columns.batch = from.Number<std::uint32_t>();
  columns.count = from.Number<std::uint32_t>();
  from.Require(columns.count > 0 && columns.count % 8 == 0 && columns.count <= kMaxTransfersAtOnce);
  from.Require(from.ok() && from.num_left() == kBaseTransfers * (columns.count / 8));
  if (!from.ok()) return;
  columns.bytes.resize(from.num_left());
  from.Bytes(columns.bytes);
}

FrameType TypeOf(const ScoreCommitPayload&) { return FrameType::kScoreCommit; }
void Write(WireWriter& to, const ScoreCommitPayload& payload) { to.Bytes(payload.commitment); }
void Read(WireReader& from, ScoreCommitPayload& payload) { from.Bytes(payload.commitment); }

FrameType TypeOf(const ScoreRevealPayload&) { return FrameType::kScoreReveal; }
void Write(WireWriter& to, const ScoreRevealPayload& payload) {
  to.Bytes(payload.nonce);
  to.Bytes(payload.key);
}
void Read(WireReader& from, ScoreRevealPayload& payload) {
  from.Bytes(payload.nonce);
  from.Bytes(payload.key);
}

void ReadBlocks(WireReader& from, std::vector<Block>& blocks, std::size_t count) {
  blocks.resize(count);
  for (Block& block : blocks) from.Bytes(block);
}
void ReadPairs(WireReader& from, std::vector<BlockPair>& pairs, std::size_t count) {
  pairs.resize(count);
  for (BlockPair& pair : pairs) {
    from.Bytes(pair[0]);
    from.Bytes(pair[1]);
  }
}
void WritePairs(WireWriter& to, std::span<const BlockPair> pairs) {
  for (const BlockPair& pair : pairs) {
    to.Bytes(pair[0]);
    to.Bytes(pair[1]);
  }
}

FrameType TypeOf(const CompareTable&) { return FrameType::kCompareTable; }
void Write(WireWriter& to, const CompareTable& payload) {
  to.Number(payload.id.attempt);
  WritePairs(to, payload.table.gates);
  WritePairs(to, payload.table.outputs);
  for (const Block& label : payload.garbler_labels) to.Bytes(label);
  WritePairs(to, payload.pads);
}
void Read(WireReader& from, CompareTable& payload) {
  payload.id.attempt = from.Number<std::uint32_t>();
  ReadPairs(from, payload.table.gates, kCompareInputs);
  ReadPairs(from, payload.table.outputs, kCompareOutputs);
  ReadBlocks(from, payload.garbler_labels, kCompareInputs);
  ReadPairs(from, payload.pads, kCompareInputs);
}

FrameType TypeOf(const CompareChoices&) { return FrameType::kCompareChoices; }
void Write(WireWriter& to, const CompareChoices& payload) {
  to.Number(payload.id.attempt);
  to.Number(payload.choices.first);
  std::array<std::uint8_t, kChoiceBytes> bits{};
  for (std::size_t i = 0; i < payload.choices.flips.size(); ++i) {
    bits[i / 8] |= static_cast<std::uint8_t>(payload.choices.flips[i] << (i % 8));
  }
  to.Bytes(bits);
}
void Read(WireReader& from, CompareChoices& payload) {
  payload.id.attempt = from.Number<std::uint32_t>();
  payload.choices.first = from.Number<std::uint64_t>();
  std::array<std::uint8_t, kChoiceBytes> bits{};
  from.Bytes(bits);
  for (std::size_t i = 0; i < kCompareInputs; ++i) {
    payload.choices.flips.push_back(static_cast<std::uint8_t>(bits[i / 8] >> (i % 8) & 1U));
  }
  from.Require(bits.back() >> (kCompareInputs % 8) == 0);
}

FrameType TypeOf(const CompareResult&) { return FrameType::kCompareResult; }
void Write(WireWriter& to, const CompareResult& payload) {
  to.Number(payload.id.attempt);
  for (const Block& label : payload.labels) to.Bytes(label);
}
void Read(WireReader& from, CompareResult& payload) {
  payload.id.attempt = from.Number<std::uint32_t>();
  ReadBlocks(from, payload.labels, kCompareOutputs);
}

FrameType TypeOf(const InstructPayload&) { return FrameType::kInstruct; }
void Write(WireWriter& to, const InstructPayload& payload) {
  to.Number(payload.column);
  to.Number(static_cast<std::uint8_t>(payload.kind));
  if (payload.kind == InstructPayload::Kind::kNode) {
    to.Number(payload.node);
  } else {
    to.Number(payload.lo);
    to.Number(payload.hi);
    to.Number(payload.split);
  }
  Write(to, payload.children);
}
void Read(WireReader& from, InstructPayload& payload) {
  payload.column = from.Number<std::uint16_t>();
  payload.kind = static_cast<InstructPayload::Kind>(from.Number<std::uint8_t>());
  if (payload.kind == InstructPayload::Kind::kNode) {
    payload.node = from.Number<std::uint32_t>();
  } else {
    payload.lo = from.Number<std::int64_t>();
    payload.hi = from.Number<std::int64_t>();
    payload.split = from.Number<std::int64_t>();
    from.Require(payload.kind == InstructPayload::Kind::kInterval && payload.lo < payload.split && payload.split < payload.hi);
  }
  Read(from, payload.children);
  from.Require(payload.kind == InstructPayload::Kind::kNode || payload.children.below == 2);
}

FrameType TypeOf(const AckPayload&) { return FrameType::kAck; }
void Write(WireWriter& to, const AckPayload& payload) { to.Bytes(payload.state); }
void Read(WireReader& from, AckPayload& payload) { from.Bytes(payload.state); }

FrameType TypeOf(const CommitPayload&) { return FrameType::kCommit; }
void Write(WireWriter&, const CommitPayload&) {}
void Read(WireReader&, CommitPayload&) {}

FrameType TypeOf(const FinishPayload&) { return FrameType::kFinish; }
void Write(WireWriter& to, const FinishPayload& payload) {
  to.Bytes(payload.state);
  to.Bytes(payload.signature);
}
void Read(WireReader& from, FinishPayload& payload) {
  from.Bytes(payload.state);
  from.Bytes(payload.signature);
}

FrameType TypeOf(const PingPayload&) { return FrameType::kPing; }
void Write(WireWriter&, const PingPayload&) {}
void Read(WireReader&, PingPayload&) {}

FrameType TypeOf(const ResumePayload&) { return FrameType::kResume; }
void Write(WireWriter& to, const ResumePayload& payload) {
  to.Bytes(payload.run);
  to.Number(payload.durable_round);
  to.Number(payload.num_sent);
  to.Number(payload.num_received);
  to.Bytes(payload.sent_chain);
  to.Bytes(payload.received_chain);
  to.Bytes(payload.state);
  to.Bytes(payload.channel_binding);
}
void Read(WireReader& from, ResumePayload& payload) {
  from.Bytes(payload.run);
  payload.durable_round = from.Number<std::uint32_t>();
  payload.num_sent = from.Number<std::uint64_t>();
  payload.num_received = from.Number<std::uint64_t>();
  from.Bytes(payload.sent_chain);
  from.Bytes(payload.received_chain);
  from.Bytes(payload.state);
  from.Bytes(payload.channel_binding);
}

FrameType TypeOf(const AbortPayload&) { return FrameType::kAbort; }
void Write(WireWriter& to, const AbortPayload& payload) { to.Number(static_cast<std::uint16_t>(payload.code)); }
void Read(WireReader& from, AbortPayload& payload) {
  const auto code = from.Number<std::uint16_t>();
  if (code < static_cast<std::uint16_t>(AbortCode::kMalformed) || code > static_cast<std::uint16_t>(AbortCode::kStopped)) {
    return from.Fail();
  }
  payload.code = static_cast<AbortCode>(code);
}

}  // namespace

PackedNumbers PackedNumbers::Pack(std::span<const std::uint32_t> numbers, std::uint16_t below) {
  CORDON_CHECK(below > 0 && numbers.size() <= kMaxNumbers);
  const unsigned bits = BitsFor(below);
  PackedNumbers packed{.below = below, .count = static_cast<std::uint32_t>(numbers.size()), .bytes = {}};
  packed.bytes.resize(PackedSize(packed.count, bits));
  std::uint64_t window = 0;
  unsigned filled = 0;
  std::size_t next = 0;
  for (const std::uint32_t number : numbers) {
    CORDON_CHECK_LT(number, std::uint32_t{below});
    window |= std::uint64_t{number} << filled;
    for (filled += bits; filled >= 8; filled -= 8, window >>= 8) packed.bytes[next++] = static_cast<char>(window & 0xff);
  }
  if (filled > 0) packed.bytes[next] = static_cast<char>(window);
  return packed;
}

std::vector<std::uint32_t> PackedNumbers::Unpack() const {
  const unsigned bits = BitsFor(below);
  std::vector<std::uint32_t> numbers(count);
  std::uint32_t* next = numbers.data();
  ForEachPacked(bytes, count, bits, [&](std::uint32_t number) {
    *next++ = number;
    return true;
  });
  return numbers;
}

template <typename Payload>
Frame MakeFrame(const Payload& payload, std::uint32_t round) {
  if constexpr (requires { payload.id.round; }) round = payload.id.round;
  WireWriter writer;
  Write(writer, payload);
  return Frame{TypeOf(payload), round, std::move(writer).Take()};
}

template <typename Payload>
Result<Payload> ReadPayload(const Frame& frame) {
  Payload payload;
  if constexpr (requires { payload.step; }) {
    const int step = static_cast<int>(frame.type) - static_cast<int>(FrameType::kPsi1) + 1;
    payload.step = static_cast<std::uint8_t>(step >= 1 && step <= 3 ? step : 1);
  }
  if constexpr (requires { payload.id.round; }) payload.id.round = frame.round;
  if (TypeOf(payload) != frame.type) {
    return Error::Protocol("a frame of type {} comes instead of {}", static_cast<int>(frame.type),
                           static_cast<int>(TypeOf(payload)));
  }
  WireReader reader(frame.payload);
  Read(reader, payload);
  if (!reader.ok() || reader.num_left() != 0)
    return Error::Protocol("a frame of type {} is malformed", static_cast<int>(frame.type));
  return payload;
}

#define CORDON_PAYLOAD(Payload)                            \
  template Frame MakeFrame(const Payload&, std::uint32_t); \
  template Result<Payload> ReadPayload(const Frame&)
CORDON_PAYLOAD(HelloPayload);
CORDON_PAYLOAD(ConfigPayload);
CORDON_PAYLOAD(PsiPayload);
CORDON_PAYLOAD(ClassMacPayload);
CORDON_PAYLOAD(ClassLabelsPayload);
CORDON_PAYLOAD(OtKeyPayload);
CORDON_PAYLOAD(OtPointsPayload);
CORDON_PAYLOAD(OtColumns);
CORDON_PAYLOAD(ScoreCommitPayload);
CORDON_PAYLOAD(ScoreRevealPayload);
CORDON_PAYLOAD(CompareTable);
CORDON_PAYLOAD(CompareChoices);
CORDON_PAYLOAD(CompareResult);
CORDON_PAYLOAD(InstructPayload);
CORDON_PAYLOAD(AckPayload);
CORDON_PAYLOAD(CommitPayload);
CORDON_PAYLOAD(FinishPayload);
CORDON_PAYLOAD(PingPayload);
CORDON_PAYLOAD(ResumePayload);
CORDON_PAYLOAD(AbortPayload);
#undef CORDON_PAYLOAD

const char* Describe(AbortCode code) {
  switch (code) {
    case AbortCode::kMalformed: return "what it received is not a frame";
    case AbortCode::kSequence: return "a frame was not the next one";
    case AbortCode::kConfig: return "policies, keys, people or classes do not fit";
    case AbortCode::kInfeasible: return "there are fewer common people than k";
    case AbortCode::kCheck: return "a frame broke a rule of the protocol";
    case AbortCode::kState: return "the two tables differ";
    case AbortCode::kDiverged: return "the journals do not fit together";
    case AbortCode::kTimeout: return "it has waited too long";
    case AbortCode::kStopped: return "it was stopped";
  }
  return "it gave no reason";
}

}  // namespace cordon::engine
