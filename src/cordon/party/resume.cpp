// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/resume.h"

#include "cordon/crypto/secret.h"

namespace cordon::engine {
namespace {

// The frames that one party can send before the other has to answer: two lists of the most ids, in parts, and a few others.
constexpr std::uint64_t kMaxInARow = 2 * (PsiPayload::kMaxIds / kMaxPsiPoints) + 16;

// The chain of a sender after the first `count` of its frames.
Sha256Digest ChainAfter(PartyRole sender, const std::deque<std::string>& frames, std::uint64_t count) {
  return count == 0 ? FrameSequence(sender).chain() : FrameHash(frames[count - 1]);
}

ResumePayload StandingOf(PartyRole role, const Sha256Digest& channel_binding, const JournalAudit& audit,
                         const PartyPast& past) {
  return {.run = audit.run,
          .durable_round = audit.committed_round,
          .num_sent = past.sent.size(),
          .num_received = past.received.size(),
          .sent_chain = ChainAfter(role, past.sent, past.sent.size()),
          .received_chain = ChainAfter(OtherRole(role), past.received, past.received.size()),
          .state = audit.state,
          .channel_binding = channel_binding};
}

// Whether the peer's frames and ours can be of one run. A party that has no HELLO of the other does not know the run yet.
bool FitTogether(PartyRole role, const ResumePayload& own, const ResumePayload& peer, const PartyPast& past) {
  const auto knows = [](const ResumePayload& each) { return each.run != RunId{}; };
  if (knows(own) && knows(peer) && own.run != peer.run) return false;
  if ((!knows(own) && own.num_received > 0) || (!knows(peer) && peer.num_received > 0)) return false;
  if (peer.num_received > own.num_sent || own.num_received > peer.num_sent) return false;
  if (peer.num_sent - own.num_received > kMaxInARow) return false;
  if (!SameBytes(peer.received_chain, ChainAfter(role, past.sent, peer.num_received))) return false;
  if (peer.num_sent == own.num_received && !SameBytes(peer.sent_chain, own.received_chain)) return false;
  return peer.durable_round != own.durable_round || SameBytes(peer.state, own.state);
}

Result<ResumePayload> ReceiveStanding(JournaledTransport& transport) {
  CORDON_TRY(const std::string bytes, transport.ReceiveUnwritten());
  const Result<Frame> frame = OpenOutside(bytes);
  if (!frame.ok() || frame.value().type != FrameType::kResume) {
    return Error::Protocol("the other party does not resume this run")
        .WithHint("both run cordon party resume, or both start a new run");
  }
  CORDON_TRY(const ResumePayload standing, ReadPayload<ResumePayload>(frame.value()));
  CORDON_RETURN_IF_ERROR(transport.WriteReceived(bytes));
  return standing;
}

// The next frame of the peer's chain, which we lack.
Result<void> ReceiveMissing(PartyRole peer, PartyPast& past, JournaledTransport& transport) {
  CORDON_TRY(std::string frame, transport.ReceiveUnwritten());
  CORDON_TRY(const FrameHeader header, DecodeFrameHeader(frame));
  const Sha256Digest chain = ChainAfter(peer, past.received, past.received.size());
  if (header.number != past.received.size() || !SameBytes(header.chain, chain)) {
    return Error::Protocol("the other party sends another frame than the next one");
  }
  CORDON_RETURN_IF_ERROR(transport.WriteReceived(frame));
  past.received.push_back(std::move(frame));
  return {};
}

}  // namespace

Result<void> CatchUp(PartyRole role, const Sha256Digest& channel_binding, const JournalAudit& audit, PartyPast& past,
                     JournaledTransport& transport) {
  const ResumePayload own = StandingOf(role, channel_binding, audit, past);
  CORDON_RETURN_IF_ERROR(transport.Send(SealOutside(MakeFrame(own))));
  CORDON_TRY(const ResumePayload peer, ReceiveStanding(transport));
  if (!SameBytes(peer.channel_binding, channel_binding)) {
    return Error::Protocol("the other party is at the end of another connection");
  }
  if (!FitTogether(role, own, peer, past)) {
    (void)transport.Send(SealOutside(MakeFrame(AbortPayload{AbortCode::kDiverged})));
    return Error::Protocol("the journals of the two parties do not fit together")
        .WithHint("compare them with cordon party audit; a new run is needed");
  }
  const auto send = [&]() -> Result<void> {
    for (std::uint64_t i = peer.num_received; i < own.num_sent; ++i) {
      CORDON_RETURN_IF_ERROR(transport.SendAgain(past.sent[i]));
    }
    return {};
  };
  // One after the other, so that neither waits for the other to read.
  if (role == PartyRole::kA) CORDON_RETURN_IF_ERROR(send());
  for (std::uint64_t i = own.num_received; i < peer.num_sent; ++i) {
    CORDON_RETURN_IF_ERROR(ReceiveMissing(OtherRole(role), past, transport));
  }
  if (role == PartyRole::kB) CORDON_RETURN_IF_ERROR(send());
  return {};
}

}  // namespace cordon::engine
