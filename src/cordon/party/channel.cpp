// SPDX-License-Identifier: Apache-2.0
#include "cordon/party/channel.h"

namespace cordon::engine {

Result<Frame> Channel::ReceiveFrame(std::uint32_t round) {
  CORDON_TRY(const std::string bytes, transport_->Receive());
  CORDON_TRY(Frame frame, received_.Open(bytes));
  if (frame.type == FrameType::kAbort) {
    CORDON_TRY(const AbortPayload abort, ReadPayload<AbortPayload>(frame));
    return Error::Protocol("the other party has ended the run (code {})", static_cast<int>(abort.code));
  }
  if (frame.round != round) return Error::Protocol("a frame of round {} comes in round {}", frame.round, round);
  return frame;
}

}  // namespace cordon::engine
