// SPDX-License-Identifier: Apache-2.0
//
// Frames: everything that goes from one party to the other, byte by byte, so that both can keep it, hash it and show it.
//
//   0  4 magic "TDI1"    4 2 version    6 2 type    8 4 payload length    12 4 round
//  16  8 number of the frame among its sender's, from 0                   24 16 run id
//  40 32 chain: hash of this sender's previous frame                      72 payload
//
// hash = SHA-256(chain, bytes 0 to 40, payload), and the first chain is SHA-256("TDI1", run id of zeros, role). So the hash of
// a frame stands for all that its sender has sent. Before both HELLOs are there the run id is zeros.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/base/digest.h"
#include "cordon/base/result.h"
#include "cordon/crypto/frame_type.h"
#include "cordon/crypto/run_id.h"

namespace cordon::engine {

inline constexpr std::size_t kFrameHeaderBytes = 72;
inline constexpr std::uint16_t kFrameVersion = 1;

struct FrameHeader {
  FrameType type{};
  std::uint32_t length = 0;
  std::uint32_t round = 0;
  std::uint64_t number = 0;
  RunId run{};
  Sha256Digest chain{};
};

struct Frame {
  FrameType type{};
  std::uint32_t round = 0;
  std::string payload;
};

// The first 72 bytes of a frame. After it `length` bytes may be read: an oversized frame is refused before it is in memory.
Result<FrameHeader> DecodeFrameHeader(std::string_view bytes);

// The hash of a frame, out of its bytes. REQUIRES: at least kFrameHeaderBytes of them.
Sha256Digest FrameHash(std::string_view bytes);

// The frames of one sender, at the sender and at the receiver alike.
class FrameSequence {
 public:
  explicit FrameSequence(PartyRole sender);

  // Once both HELLOs are there. The chain goes on.
  void SetRun(const RunId& run) { run_ = run; }

  // Sender: the bytes of the next frame. REQUIRES: the payload has a length that its type may have.
  std::string Seal(const Frame& frame);
  // Receiver: the next frame out of its bytes, which are all of it. An error, and nothing changed, unless it is whole and
  // comes next in this run.
  Result<Frame> Open(std::string_view bytes);

  std::uint64_t num_frames() const { return num_frames_; }
  // The hash of the last frame.
  const Sha256Digest& chain() const { return chain_; }

 private:
  RunId run_{};
  std::uint64_t num_frames_ = 0;
  Sha256Digest chain_;
};

// Frames outside the chain: they say where a party stands when a connection is made again, and no frame is the next one yet.
// Their number is the greatest there is, their run id and chain are zeros.
inline constexpr std::uint64_t kOutsideChain = ~std::uint64_t{0};
std::string SealOutside(const Frame& frame);
Result<Frame> OpenOutside(std::string_view bytes);

// The id of a run, out of what both have drawn for it.
RunId MakeRunId(const Sha256Digest& nonce_a, const Sha256Digest& nonce_b);

// What both sign at the end: the run, both chains before the FINISH frames, and the state.
std::string FinishStatement(const RunId& run, const Sha256Digest& chain_a, const Sha256Digest& chain_b,
                            const Sha256Digest& state);

}  // namespace cordon::engine
