// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/frame_type.h"

#include "cordon/crypto/oblivious_transfer.h"
#include "cordon/crypto/private_compare.h"

namespace cordon::engine {
namespace {

constexpr std::uint32_t kPsiHeader = 1 + 4 + 4;
constexpr std::uint32_t kNumbersHeader = 2 + 1 + 4;
constexpr std::uint32_t kCompareTableBytes =
    4 + kCompareInputs * 32 + kCompareOutputs * 32 + kCompareInputs * 16 + kCompareInputs * 32;

}  // namespace

std::optional<PayloadSize> PayloadSizeOf(FrameType type) {
  const auto exactly = [](std::uint32_t size) { return PayloadSize{size, size}; };
  switch (type) {
    case FrameType::kHello: return exactly(2 + 2 + 1 + 32 + 32);
    case FrameType::kConfig: return exactly(32 + 32);
    case FrameType::kPsi1:
    case FrameType::kPsi2:
    case FrameType::kPsi3: return PayloadSize{kPsiHeader, kPsiHeader + kMaxPsiPoints * 32};
    case FrameType::kClass: return PayloadSize{1 + kNumbersHeader, kMaxPayload};
    case FrameType::kOtKey: return exactly(4 + 32);
    case FrameType::kOtPoints: return exactly(4 + kBaseTransfers * 32);
    case FrameType::kOtColumns: return PayloadSize{4 + 4 + kBaseTransfers, 4 + 4 + kBaseTransfers * (kMaxTransfersAtOnce / 8)};
    case FrameType::kScoreCommit: return exactly(32);
    case FrameType::kScoreReveal: return exactly(32 + kCompareBits / 8);
    case FrameType::kCompareTable: return exactly(kCompareTableBytes);
    case FrameType::kCompareChoices: return exactly(4 + 8 + (kCompareInputs + 7) / 8);
    case FrameType::kCompareResult: return exactly(4 + kCompareOutputs * 16);
    case FrameType::kInstruct: return PayloadSize{2 + 1 + 4 + kNumbersHeader, kMaxPayload};
    case FrameType::kAck: return exactly(32);
    case FrameType::kCommit: return exactly(0);
    case FrameType::kFinish: return exactly(32 + 64);
    case FrameType::kPing: return exactly(0);
    case FrameType::kResume: return exactly(16 + 4 + 8 + 8 + 4 * 32);
    case FrameType::kAbort: return exactly(2);
  }
  return std::nullopt;
}

}  // namespace cordon::engine
