// SPDX-License-Identifier: Apache-2.0
//
// Frames to and from the peer. Everything that leaves goes through Send, in the one order that the chain records.
//
// A run that goes on after its connection was lost starts from its past: the frames that both have exchanged. They are taken
// over one by one, in the same order, before the transport is used: what is sent must be what was sent, or is adopted as it is.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "cordon/base/result.h"
#include "cordon/crypto/frame.h"
#include "cordon/crypto/payload.h"
#include "cordon/party/transport.h"

namespace cordon::engine {

// The frames of a run so far, as its journal has them.
struct PartyPast {
  std::deque<std::string> sent, received;
};

inline PartyRole OtherRole(PartyRole role) { return role == PartyRole::kA ? PartyRole::kB : PartyRole::kA; }

class Channel {
 public:
  Channel(PartyRole role, PartyPast past, Transport& transport)
      : role_(role), past_(std::move(past)), transport_(&transport), sent_(role), received_(OtherRole(role)) {}

  PartyRole role() const { return role_; }
  void SetRun(const RunId& run) {
    sent_.SetRun(run);
    received_.SetRun(run);
  }

  template <typename Payload>
  Result<void> Send(const Payload& payload, std::uint32_t round = 0) {
    const std::string frame = sent_.Seal(MakeFrame(payload, round));
    if (past_.sent.empty()) return transport_->Send(frame);
    if (past_.sent.front() != frame) return Changed();
    past_.sent.pop_front();
    return {};
  }

  // The payload of the next frame, which must be of this type and round.
  template <typename Payload>
  Result<Payload> Receive(std::uint32_t round = 0) {
    CORDON_TRY(const Frame frame, ReceiveFrame(round));
    return ReadPayload<Payload>(frame);
  }

  // A speaks first, so that neither waits for the other.
  template <typename Payload>
  Result<Payload> Exchange(const Payload& own, std::uint32_t round = 0) {
    if (role_ == PartyRole::kA) CORDON_RETURN_IF_ERROR(Send(own, round));
    CORDON_TRY(Payload peer, Receive<Payload>(round));
    if (role_ == PartyRole::kB) CORDON_RETURN_IF_ERROR(Send(own, round));
    return peer;
  }

  // The next frames of the past; nothing at its end.
  std::optional<FrameType> next_sent() const { return TypeOfNext(past_.sent); }
  std::optional<FrameType> next_received() const { return TypeOfNext(past_.received); }
  // Takes the next frame of the past over without making it again. REQUIRES: there is one.
  Result<Frame> AdoptSent();
  Result<Frame> AdoptReceived();

  const Sha256Digest& chain_of(PartyRole sender) const { return sender == role_ ? sent_.chain() : received_.chain(); }

 private:
  static std::optional<FrameType> TypeOfNext(const std::deque<std::string>& frames);
  static Error Changed();
  Result<Frame> ReceiveFrame(std::uint32_t round);

  PartyRole role_;
  PartyPast past_;
  Transport* transport_;
  FrameSequence sent_, received_;
};

}  // namespace cordon::engine
