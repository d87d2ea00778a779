// SPDX-License-Identifier: Apache-2.0
//
// The types of frames, and how long their payloads may be.
#pragma once

#include <cstdint>
#include <optional>

namespace cordon::engine {

inline constexpr std::uint32_t kMaxPayload = 64U << 20;
inline constexpr std::uint32_t kMaxPsiPoints = 65'536;  // in one frame

enum class FrameType : std::uint16_t {
  kHello = 1,
  kConfig = 2,
  kPsi1 = 3,
  kPsi2 = 4,
  kPsi3 = 5,
  kClass = 6,
  kOtKey = 7,
  kOtPoints = 8,
  kOtColumns = 9,
  kScoreCommit = 10,
  kScoreReveal = 11,
  kCompareTable = 12,
  kCompareChoices = 13,
  kCompareResult = 14,
  kInstruct = 20,
  kAck = 21,
  kCommit = 22,
  kFinish = 30,
  kPing = 40,
  kResume = 41,
  kAbort = 50,
};

// How long the payload of a type may be. Nothing: there is no such type.
struct PayloadSize {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};
std::optional<PayloadSize> PayloadSizeOf(FrameType type);

}  // namespace cordon::engine
