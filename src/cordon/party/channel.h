// SPDX-License-Identifier: Apache-2.0
//
// Frames to and from the peer. Everything that leaves goes through Send, in the one order that the chain records.
#pragma once

#include <cstdint>
#include <utility>

#include "cordon/base/result.h"
#include "cordon/crypto/frame.h"
#include "cordon/crypto/payload.h"
#include "cordon/party/transport.h"

namespace cordon::engine {

class Channel {
 public:
  Channel(PartyRole role, Transport& transport)
      : role_(role), transport_(&transport), sent_(role), received_(role == PartyRole::kA ? PartyRole::kB : PartyRole::kA) {}

  PartyRole role() const { return role_; }
  void SetRun(const RunId& run) {
    sent_.SetRun(run);
    received_.SetRun(run);
  }

  template <typename Payload>
  Result<void> Send(const Payload& payload, std::uint32_t round = 0) {
    return transport_->Send(sent_.Seal(MakeFrame(payload, round)));
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

  const Sha256Digest& chain_of(PartyRole sender) const { return sender == role_ ? sent_.chain() : received_.chain(); }

 private:
  Result<Frame> ReceiveFrame(std::uint32_t round);

  PartyRole role_;
  Transport* transport_;
  FrameSequence sent_, received_;
};

}  // namespace cordon::engine
