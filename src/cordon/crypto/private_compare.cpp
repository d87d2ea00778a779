// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/private_compare.h"

#include <sodium.h>

#include <utility>

#include "cordon/base/check.h"
#include "cordon/base/digest.h"
#include "cordon/crypto/compare_circuit.h"

namespace cordon::engine {
namespace {

const Circuit& TheCircuit() {
  static const Circuit circuit = CompareCircuit(kCompareBits);
  return circuit;
}

SecretVector<std::uint8_t> InputBits(const CompareKey& key) {
  SecretVector<std::uint8_t> bits;
  bits.reserve(kCompareInputs);
  for (std::uint32_t i = 0; i < kCompareBits; ++i) bits.push_back((*key)[i / 8] >> (i % 8) & 1U);
  InitializeSodium();
  bits.push_back(static_cast<std::uint8_t>(sodium_is_zero(key->data(), key->size())));
  return bits;
}

Result<CompareOutcome> OutcomeOf(unsigned garbler_greater, unsigned neither) {
  if (garbler_greater == 1 && neither == 1) return Error::Protocol("a comparison has two outcomes");
  if (neither == 1) return CompareOutcome::kNeither;
  return garbler_greater == 1 ? CompareOutcome::kGarbler : CompareOutcome::kEvaluator;
}

Result<void> CheckNew(const CompareId& id, const std::optional<CompareId>& last) {
  if (!last || *last < id) return {};
  return Error::Protocol("comparison {}.{} does not come after {}.{}", id.round, id.attempt, last->round, last->attempt);
}

Result<void> CheckSame(const CompareId& id, const std::optional<CompareId>& open) {
  if (open && *open == id) return {};
  return Error::Protocol("a message belongs to comparison {}.{}, which is not open", id.round, id.attempt);
}

}  // namespace

CompareKey MakeCompareKey(UInt128 key) {
  CORDON_CHECK(key >> kCompareBits == 0);
  CompareKey made;
  for (std::size_t i = 0; i < made->size(); ++i) (*made)[i] = static_cast<std::uint8_t>(key >> (8 * i));
  return made;
}

Result<CompareTable> CompareGarbler::Start(const CompareId& id, const CompareKey& key, const CompareChoices& choices,
                                           const ByteSource& bytes) {
  CORDON_RETURN_IF_ERROR(CheckNew(id, last_));
  CORDON_RETURN_IF_ERROR(CheckSame(choices.id, id));
  last_ = id;
  open_.reset();
  Garbled garbled = Garble(TheCircuit(), {run_, id}, bytes);
  SecretVector<BlockPair> pairs;
  pairs.reserve(kCompareInputs);
  for (std::uint32_t i = kCompareInputs; i < 2 * kCompareInputs; ++i) {
    pairs.push_back({garbled.garbling.InputLabel(i, 0), garbled.garbling.InputLabel(i, 1)});
  }
  CompareTable table{.id = id};
  CORDON_TRY(table.pads, transfers_.Send(choices.choices, pairs));
  table.table = std::move(garbled.table);
  const SecretVector<std::uint8_t> bits = InputBits(key);
  for (std::uint32_t i = 0; i < kCompareInputs; ++i) {
    table.garbler_labels.push_back(garbled.garbling.InputLabel(i, bits[i]));
  }
  open_ = std::move(garbled.garbling);
  return table;
}

Result<CompareOutcome> CompareGarbler::Finish(const CompareResult& result) {
  CORDON_RETURN_IF_ERROR(CheckSame(result.id, open_ ? last_ : std::nullopt));
  const Garbling garbling = *std::exchange(open_, std::nullopt);
  if (result.labels.size() != kCompareOutputs) return Error::Protocol("a comparison has {} answers", result.labels.size());
  CORDON_TRY(const unsigned garbler_greater, garbling.OutputBit(0, result.labels[0]));
  CORDON_TRY(const unsigned neither, garbling.OutputBit(1, result.labels[1]));
  return OutcomeOf(garbler_greater, neither);
}

Result<CompareChoices> CompareEvaluator::Start(const CompareId& id, const CompareKey& key) {
  CORDON_RETURN_IF_ERROR(CheckNew(id, last_));
  last_ = id;
  Open open{.choices = {}, .bits = InputBits(key)};
  open.choices = transfers_.Choose(open.bits);
  CompareChoices choices{id, open.choices};
  open_ = std::move(open);
  return choices;
}

Result<CompareEvaluator::Finished> CompareEvaluator::Finish(const CompareTable& table) {
  CORDON_RETURN_IF_ERROR(CheckSame(table.id, open_ ? last_ : std::nullopt));
  const Open open = *std::exchange(open_, std::nullopt);
  if (table.garbler_labels.size() != kCompareInputs) {
    return Error::Protocol("a comparison has {} labels instead of {}", table.garbler_labels.size(), kCompareInputs);
  }
  CORDON_TRY(const SecretVector<Block> own, transfers_.Receive(open.choices, open.bits, table.pads));
  SecretVector<Block> labels(table.garbler_labels.begin(), table.garbler_labels.end());
  labels.insert(labels.end(), own.begin(), own.end());
  CORDON_TRY(EvaluatedOutputs outputs, EvaluateGarbled(TheCircuit(), {run_, table.id}, table.table, labels));
  CORDON_TRY(const CompareOutcome outcome, OutcomeOf(outputs.bits[0], outputs.bits[1]));
  return Finished{outcome, {table.id, {outputs.labels.begin(), outputs.labels.end()}}};
}

}  // namespace cordon::engine
