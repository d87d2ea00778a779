// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/channel.h"

#include "cordon/base/check.h"

namespace cordon::engine {

std::optional<FrameType> Channel::TypeOfNext(const std::deque<std::string>& frames) {
  if (frames.empty()) return std::nullopt;
  const Result<FrameHeader> header = DecodeFrameHeader(frames.front());
  return header.ok() ? std::optional(header.value().type) : std::nullopt;
}

Error Channel::Changed() {
  return Error::InvalidData("this party would now send other bytes than those in its journal")
      .WithHint("a run goes on with the same table, policy, pepper and key; if one has changed, a new run is needed");
}

Result<Frame> Channel::AdoptSent() {
  CORDON_CHECK(!past_.sent.empty());
  CORDON_TRY(Frame frame, sent_.Open(past_.sent.front()));
  past_.sent.pop_front();
  return frame;
}

Result<Frame> Channel::AdoptReceived() {
  CORDON_CHECK(!past_.received.empty());
  CORDON_TRY(Frame frame, received_.Open(past_.received.front()));
  past_.received.pop_front();
  return frame;
}

Result<Frame> Channel::ReceiveFrame(std::uint32_t round) {
  Frame frame;
  if (past_.received.empty()) {
    CORDON_TRY(const std::string bytes, transport_->Receive());
    const Result<FrameHeader> header = DecodeFrameHeader(bytes);
    if (header.ok() && header.value().type == FrameType::kResume && received_.num_frames() == 0) {
      return Error::Io("the other party goes on with an earlier run");
    }
    CORDON_TRY(frame, received_.Open(bytes));
  } else {
    CORDON_TRY(frame, AdoptReceived());
  }
  if (frame.type == FrameType::kAbort) {
    CORDON_TRY(const AbortPayload abort, ReadPayload<AbortPayload>(frame));
    return Error::Protocol("the other party has ended the run: {}", Describe(abort.code));
  }
  if (frame.round != round) return Error::Protocol("a frame of round {} comes in round {}", frame.round, round);
  return frame;
}

}  // namespace cordon::engine
