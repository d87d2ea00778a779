// SPDX-License-Identifier: Apache-2.0
//
// What the frames say. Reading a payload checks all that can be checked without knowing the run: lengths, counts, that
// padding is zero, that nothing follows. What is left (the right round, a column of the sender's, a step that keeps k) is
// the receiver's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/digest.h"
#include "cordon/base/result.h"
#include "cordon/crypto/frame.h"
#include "cordon/crypto/oblivious_transfer.h"
#include "cordon/crypto/private_compare.h"
#include "cordon/crypto/ristretto.h"
#include "cordon/crypto/run_id.h"
#include "cordon/crypto/signature.h"

namespace cordon::engine {

struct HelloPayload {
  std::uint16_t least_version = kFrameVersion;
  std::uint16_t most_version = kFrameVersion;
  PartyRole role = PartyRole::kA;
  Sha256Digest nonce{};
  Sha256Digest channel_binding{};  // the TLS exporter of this connection
};

struct ConfigPayload {
  Sha256Digest config{};
  Sha256Digest input_commitment{};
};

// A part of a list of masked ids. PSI1: A's, once. PSI2: A's raised by B, and B's, once. PSI3: B's raised by A.
struct PsiPayload {
  enum class List : std::uint8_t { kOwn = 0, kRaised = 1 };
  static constexpr std::uint32_t kMaxIds = 1U << 26;

  std::uint8_t step = 1;  // 1 to 3
  List list = List::kOwn;
  std::uint32_t total = 0;  // ids in the whole list
  std::uint32_t first = 0;  // place of points[0] in it
  std::vector<Point> points;
};

// Numbers below `below`, each in the bits that this takes (at least one), lowest bit first.
struct PackedNumbers {
  static constexpr std::uint32_t kMaxNumbers = 1U << 26;

  std::uint16_t below = 1;
  std::uint32_t count = 0;
  std::string bytes;

  // REQUIRES: 0 < below, every number is below it, and at most kMaxNumbers.
  static PackedNumbers Pack(std::span<const std::uint32_t> numbers, std::uint16_t below);
  std::vector<std::uint32_t> Unpack() const;
  friend bool operator==(const PackedNumbers&, const PackedNumbers&) = default;
};

// Of the class, by record: that both have the same one, or the classes themselves.
struct ClassMacPayload {
  Sha256Digest mac{};
};
struct ClassLabelsPayload {
  PackedNumbers labels;
};

struct OtKeyPayload {
  std::uint32_t setup = 0;
  Point key{};
};
struct OtPointsPayload {
  std::uint32_t setup = 0;
  OtPoints points{};
};

// Only if both configs accept that scores are disclosed.
struct ScoreCommitPayload {
  Sha256Digest commitment{};
};
struct ScoreRevealPayload {
  Sha256Digest nonce{};
  std::array<std::uint8_t, kCompareBits / 8> key{};
};

// One refinement, and where each record on it goes, leaf after leaf.
struct InstructPayload {
  enum class Kind : std::uint8_t { kNode = 0, kInterval = 1 };

  std::uint16_t column = 0;
  Kind kind = Kind::kNode;
  std::uint32_t node = 0;                  // kNode
  std::int64_t lo = 0, hi = 0, split = 0;  // kInterval: lo < split < hi
  PackedNumbers children;
  friend bool operator==(const InstructPayload&, const InstructPayload&) = default;
};

struct AckPayload {
  Sha256Digest state{};
};
struct CommitPayload {};

struct FinishPayload {
  Sha256Digest state{};
  Signature signature{};
};

struct PingPayload {};

// Where a party stands when a connection is made again.
struct ResumePayload {
  RunId run{};
  std::uint32_t durable_round = 0;
  std::uint64_t num_sent = 0;
  std::uint64_t num_received = 0;
  Sha256Digest sent_chain{};
  Sha256Digest received_chain{};
  Sha256Digest state{};
  Sha256Digest channel_binding{};
};

// Why a run ends: a code, no words, no values.
enum class AbortCode : std::uint16_t {
  kMalformed = 1,   // not a frame, or not its payload
  kSequence = 2,    // not the next frame
  kConfig = 3,      // other configs, versions or people
  kInfeasible = 4,  // fewer common records than k
  kCheck = 5,       // a step that breaks a rule
  kState = 6,       // digests differ
  kDiverged = 7,    // logs do not fit together
  kTimeout = 8,
  kStopped = 9,  // an operator, or a full disk
};
// In words: "its policy, version or people do not fit".
const char* Describe(AbortCode code);
struct AbortPayload {
  AbortCode code = AbortCode::kMalformed;
};

// The frame of a payload. Comparisons bring their round along; PSI steps their type.
template <typename Payload>
Frame MakeFrame(const Payload& payload, std::uint32_t round = 0);
// The payload of a frame. An error if the frame is of another type, or a byte is not as it must be.
template <typename Payload>
Result<Payload> ReadPayload(const Frame& frame);

}  // namespace cordon::engine
