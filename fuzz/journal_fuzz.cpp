// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a journal: it is read up to where it makes sense, and what was read is never more than there is. Then its frames
// are chained again, each after those before it, so that the search is not held up by hashes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/base/check.h"
#include "cordon/party/journal.h"

namespace cordon::engine {
namespace {

// Seals frames as the two parties would have.
class Chains {
 public:
  std::optional<std::string> Seal(bool sent, const Frame& frame) {
    if (frame.type == FrameType::kHello || !sequences_) {
      const auto hello = ReadPayload<HelloPayload>(frame);
      if (!hello.ok()) return std::nullopt;
      const PartyRole own = sent ? hello.value().role : OtherRole(hello.value().role);
      if (!sequences_) sequences_.emplace(std::array{FrameSequence(own), FrameSequence(OtherRole(own))});
      nonces_[hello.value().role == PartyRole::kA ? 0 : 1] = hello.value().nonce;
      ++greetings_;
    }
    std::string sealed = (*sequences_)[sent ? 0 : 1].Seal(frame);
    if (frame.type == FrameType::kHello && greetings_ == 2) {
      for (FrameSequence& each : *sequences_) each.SetRun(MakeRunId(nonces_[0], nonces_[1]));
    }
    return sealed;
  }

 private:
  std::optional<std::array<FrameSequence, 2>> sequences_;  // sent, received
  std::array<Sha256Digest, 2> nonces_{};                   // of A, of B
  int greetings_ = 0;
};

std::string ChainedAnew(std::string_view text, const PartyJournal& journal, std::size_t head_bytes) {
  std::string chained(text.substr(0, head_bytes));
  Chains chains;
  for (const PartyJournal::Entry& entry : journal.entries) {
    const FrameHeader header = DecodeFrameHeader(entry.frame).value();
    std::optional<std::string> frame(entry.frame);
    if (header.number != kOutsideChain) {
      frame = chains.Seal(entry.sent, {header.type, header.round, std::string(entry.frame.substr(kFrameHeaderBytes))});
    }
    if (!frame) break;
    chained += (entry.sent ? '>' : '<') + *frame;
  }
  return chained;
}

void Audit(std::string_view text) {
  const auto audit = AuditJournal(text);
  if (!audit.ok()) return;
  std::size_t instructions = 0;
  for (const auto* traffic : {&audit.value().sent, &audit.value().received}) {
    const auto found = traffic->find(FrameType::kInstruct);
    if (found != traffic->end()) instructions += found->second.frames;
  }
  CORDON_CHECK_LE(audit.value().steps.size(), instructions);
  CORDON_CHECK(!audit.value().finished || !audit.value().statement.empty());
}

}  // namespace
}  // namespace cordon::engine

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cordon::engine;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto journal = ReadPartyJournal(text);
  CORDON_CHECK(!EndsInHead(text) || !journal.ok());
  if (!journal.ok()) return 0;
  CORDON_CHECK_LE(journal.value().whole_bytes, size);
  std::size_t frames = 0;
  for (const PartyJournal::Entry& entry : journal.value().entries) frames += 1 + entry.frame.size();
  CORDON_CHECK_LE(frames, journal.value().whole_bytes);
  const PartyPast past = journal.value().Past();
  CORDON_CHECK_LE(past.sent.size() + past.received.size(), journal.value().entries.size());
  Audit(text);
  Audit(ChainedAnew(text, journal.value(), journal.value().whole_bytes - frames));
  return 0;
}
