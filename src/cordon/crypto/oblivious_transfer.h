// SPDX-License-Identifier: Apache-2.0
//
// Oblivious transfer: the sender has two blocks, the receiver gets the one it chooses, the sender does not learn which. All
// transfers of a run are drawn at set-up with random choices, which costs 128 public-key transfers whatever their number;
// a transfer that is needed later corrects a drawn one by one bit and two blocks.
//
//   receiver                                    sender
//   OtReceiverSetup(..).key()       --key-->    OtSenderSetup::Answer(key): 128 points
//   Take(points)                   <--points--
//   Extend(count)                 --columns-->  Extend(columns)              repeated when transfers run out
//   Choose(bits)                  --choices-->  Send(choices, blocks)
//   Receive(..)                    <--pads--
//
// Guarantee   against a party that follows the protocol: the sender learns nothing of the choices, the receiver nothing of
//             the other blocks (computational Diffie-Hellman; SHA-256 and ChaCha20 as random oracle and generator).
// Source      base transfers: Chou, Orlandi 2015; extension: Ishai, Kilian, Nissim, Petrank 2003, the passive protocol;
//             correction: Beaver 1995.
// Limits      passive only: a receiver that sends inconsistent columns learns the sender's secret. See docs/crypto.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/crypto/block.h"
#include "cordon/crypto/ristretto.h"
#include "cordon/crypto/run_id.h"
#include "cordon/crypto/secret.h"

namespace cordon::engine {

// A run that goes on after a lost connection sets up new transfers, under the next number.
struct OtSession {
  RunId run{};
  std::uint32_t setup = 0;
};

inline constexpr std::size_t kBaseTransfers = 128;
inline constexpr std::uint32_t kMaxTransfersAtOnce = 1U << 20;

using OtSeed = std::array<std::uint8_t, 32>;
using OtPoints = std::array<Point, kBaseTransfers>;

// One column per base transfer, each of count / 8 bytes.
struct OtColumns {
  std::uint32_t batch = 0;
  std::uint32_t count = 0;  // a multiple of 8
  std::vector<std::uint8_t> bytes;
};

// By how the choices differ from those that were drawn: a bit each, which tells nothing.
struct OtChoices {
  std::uint64_t first = 0;          // number of the first transfer that is used
  std::vector<std::uint8_t> flips;  // 0 or 1
};

using BlockPair = std::array<Block, 2>;

class OtReceiver {
 public:
  // Draws `count` more transfers (rounded up to whole bytes). REQUIRES: 0 < count <= kMaxTransfersAtOnce.
  OtColumns Extend(std::size_t count, const ByteSource& bytes);
  std::size_t num_left() const { return keys_.size() - next_; }

  // Uses the next transfers up; no transfer is used twice. REQUIRES: at most num_left() bits, each 0 or 1.
  OtChoices Choose(std::span<const std::uint8_t> bits);
  // The chosen blocks, out of the sender's answer to these choices, once.
  Result<SecretVector<Block>> Receive(const OtChoices& choices, std::span<const std::uint8_t> bits,
                                      std::span<const BlockPair> pads);

 private:
  friend class OtReceiverSetup;
  explicit OtReceiver(const OtSession& session) : session_(session) {}

  OtSession session_;
  std::uint32_t batch_ = 0;
  SecretVector<std::array<OtSeed, 2>> seeds_;
  SecretVector<Block> keys_;           // by transfer
  SecretVector<std::uint8_t> chosen_;  // by transfer: the random choice
  std::size_t next_ = 0;
};

class OtSender {
 public:
  // Takes the next columns. An error, and nothing changed, if they do not fit.
  Result<void> Extend(const OtColumns& columns);
  std::size_t num_left() const { return rows_.size() - next_; }

  // Masks the pairs so that one block of each can be read. Uses the transfers up; an error, and nothing changed, if the choices
  // do not start at the next one.
  Result<std::vector<BlockPair>> Send(const OtChoices& choices, std::span<const BlockPair> pairs);

 private:
  friend class OtSenderSetup;
  explicit OtSender(const OtSession& session) : session_(session) {}

  OtSession session_;
  std::uint32_t batch_ = 0;
  SecretVector<OtSeed> seeds_;
  Secret<Block> secret_;      // the choices of the base transfers
  SecretVector<Block> rows_;  // by transfer
  std::size_t next_ = 0;
};

class OtReceiverSetup {
 public:
  OtReceiverSetup(const OtSession& session, const ByteSource& bytes);
  const Point& key() const { return key_; }
  Result<OtReceiver> Take(const OtPoints& points) &&;

 private:
  OtSession session_;
  Scalar scalar_;
  Point key_;
};

class OtSenderSetup {
 public:
  // The points to send, and the sender.
  struct Answered {
    OtPoints points;
    OtSender sender;
  };
  static Result<Answered> Answer(const OtSession& session, const Point& key, const ByteSource& bytes);
};

}  // namespace cordon::engine
