// SPDX-License-Identifier: Apache-2.0
//
// Whose candidate is the better one? Both parties learn which of them has the greater key, or that neither has one, and
// nothing else about the other's key: losing looks as having none.
//
//   evaluator                                         garbler
//   CompareEvaluator::Start(id, key)   --choices-->   CompareGarbler::Start(id, key, choices): table
//   Finish(table): winner, result      <--table--
//                                      --result-->    Finish(result): winner
//
// Every comparison draws its own labels and uses its own transfers. A comparison that was cut off is made again under the
// next attempt; an id that was used is refused.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"
#include "cordon/crypto/half_gates.h"
#include "cordon/crypto/oblivious_transfer.h"
#include "cordon/crypto/run_id.h"

namespace cordon::engine {

inline constexpr std::uint32_t kCompareBits = 96;
// Of each party: the bits of its key, and whether it has one. This is also the number of transfers and AND gates.
inline constexpr std::uint32_t kCompareInputs = kCompareBits + 1;
inline constexpr std::uint32_t kCompareOutputs = 2;

// 96 bits, lowest first; 0: no candidate.
using CompareKey = Secret<std::array<std::uint8_t, kCompareBits / 8>>;
// REQUIRES: key < 2^96.
CompareKey MakeCompareKey(UInt128 key);

enum class CompareOutcome { kGarbler, kEvaluator, kNeither };

struct CompareChoices {
  CompareId id;
  OtChoices choices;
};
struct CompareTable {
  CompareId id;
  GarbledTable table;
  std::vector<Block> garbler_labels;
  std::vector<BlockPair> pads;  // of the evaluator's labels
};
struct CompareResult {
  CompareId id;
  std::vector<Block> labels;
};

class CompareGarbler {
 public:
  CompareGarbler(const RunId& run, OtSender transfers) : run_(run), transfers_(std::move(transfers)) {}

  // Refuses an id that does not come after all earlier ones.
  Result<CompareTable> Start(const CompareId& id, const CompareKey& key, const CompareChoices& choices,
                             const ByteSource& bytes);
  // Once per Start.
  Result<CompareOutcome> Finish(const CompareResult& result);

  OtSender& transfers() { return transfers_; }

 private:
  RunId run_;
  OtSender transfers_;
  std::optional<CompareId> last_;
  std::optional<Garbling> open_;
};

class CompareEvaluator {
 public:
  CompareEvaluator(const RunId& run, OtReceiver transfers) : run_(run), transfers_(std::move(transfers)) {}

  // Refuses an id that does not come after all earlier ones. REQUIRES: kCompareInputs transfers are left.
  Result<CompareChoices> Start(const CompareId& id, const CompareKey& key);
  struct Finished {
    CompareOutcome outcome;
    CompareResult result;  // to be sent
  };
  // Once per Start.
  Result<Finished> Finish(const CompareTable& table);

  OtReceiver& transfers() { return transfers_; }

 private:
  RunId run_;
  OtReceiver transfers_;
  std::optional<CompareId> last_;
  struct Open {
    OtChoices choices;
    SecretVector<std::uint8_t> bits;
  };
  std::optional<Open> open_;
};

}  // namespace cordon::engine
