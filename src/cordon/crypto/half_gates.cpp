// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/half_gates.h"

#include <sodium.h>

#include <algorithm>

#include "cordon/base/check.h"
#include "cordon/base/digest.h"
#include "cordon/crypto/wire.h"

namespace cordon::engine {
namespace {

constexpr std::string_view kGateDomain = "TDI1-GATE";

enum class HashUse : std::uint8_t { kGarblerHalf = 0, kEvaluatorHalf = 1, kOutput = 2 };

// H(label; run, round, attempt, gate, use), the first 128 bits of SHA-256. All of it fits one block of the hash.
class GateHash {
 public:
  explicit GateHash(const GarblingId& id) {
    InitializeSodium();
    std::uint8_t* to = std::copy(kGateDomain.begin(), kGateDomain.end(), bytes_->begin());
    to = std::copy(id.run.begin(), id.run.end(), to);
    to = std::ranges::copy(LittleEndian(id.compare.round), to).out;
    to = std::ranges::copy(LittleEndian(id.compare.attempt), to).out;
    at_gate_ = static_cast<std::size_t>(to - bytes_->data());
  }

  Block operator()(std::uint32_t gate, HashUse use, const Block& label) {
    std::uint8_t* to = std::ranges::copy(LittleEndian(gate), bytes_->data() + at_gate_).out;
    *to++ = static_cast<std::uint8_t>(use);
    to = std::copy(label.begin(), label.end(), to);
    CORDON_CHECK_EQ(static_cast<std::size_t>(to - bytes_->data()), bytes_->size());
    crypto_hash_sha256(full_->data(), bytes_->data(), bytes_->size());
    Block cut;
    std::copy_n(full_->begin(), cut.size(), cut.begin());
    return cut;
  }

 private:
  std::size_t at_gate_ = 0;
  Secret<std::array<std::uint8_t, kGateDomain.size() + 16 + 4 + 4 + 4 + 1 + 16>> bytes_;
  Secret<std::array<std::uint8_t, crypto_hash_sha256_BYTES>> full_;
};

}  // namespace

std::size_t Circuit::num_ands() const { return static_cast<std::size_t>(std::ranges::count(gates, Op::kAnd, &Gate::op)); }

std::vector<std::uint8_t> EvaluateInTheClear(const Circuit& circuit, std::span<const std::uint8_t> inputs) {
  CORDON_CHECK_EQ(inputs.size(), std::size_t{circuit.num_inputs()});
  std::vector<std::uint8_t> wires(inputs.begin(), inputs.end());
  wires.reserve(inputs.size() + circuit.gates.size());
  for (const auto& [op, a, b] : circuit.gates) {
    wires.push_back(static_cast<std::uint8_t>(op == Circuit::Op::kXor ? wires[a] ^ wires[b] : wires[a] & wires[b]));
  }
  std::vector<std::uint8_t> outputs;
  for (const std::uint32_t wire : circuit.outputs) outputs.push_back(wires[wire]);
  return outputs;
}

Result<unsigned> Garbling::OutputBit(std::size_t output, const Block& label) const {
  if (SameBytes(label, outputs[output])) return 0U;
  if (SameBytes(label, outputs[output] ^ *offset)) return 1U;
  return Error::Protocol("the answer to a comparison does not belong to it");
}

Garbled Garble(const Circuit& circuit, const GarblingId& id, const ByteSource& bytes) {
  Garbled made;
  Garbling& garbling = made.garbling;
  const Block& offset = *garbling.offset;
  bytes(*garbling.offset);
  (*garbling.offset)[0] |= 1U;  // so that the two labels of a wire differ in color
  SecretVector<Block> wires(circuit.num_inputs());
  wires.reserve(wires.size() + circuit.gates.size());
  for (Block& label : wires) bytes(label);
  garbling.inputs.assign(wires.begin(), wires.end());

  GateHash hash(id);
  std::uint32_t gate = 0;
  for (const auto& [op, a, b] : circuit.gates) {
    const Block left = wires[a];
    const Block right = wires[b];
    if (op == Circuit::Op::kXor) {
      wires.push_back(left ^ right);
      continue;
    }
    const unsigned left_color = LowBit(left);
    const unsigned right_color = LowBit(right);
    // The garbler's half: left AND the color of right, which the garbler knows.
    const Block left_hash = hash(gate, HashUse::kGarblerHalf, left);
    const Block garbler_half = left_hash ^ hash(gate, HashUse::kGarblerHalf, left ^ offset) ^ Times(right_color, offset);
    // The evaluator's half: left AND (right XOR its color), which the evaluator knows.
    const Block right_hash = hash(gate, HashUse::kEvaluatorHalf, right);
    const Block evaluator_half = right_hash ^ hash(gate, HashUse::kEvaluatorHalf, right ^ offset) ^ left;
    wires.push_back(left_hash ^ Times(left_color, garbler_half) ^ right_hash ^ Times(right_color, evaluator_half ^ left));
    made.table.gates.push_back({garbler_half, evaluator_half});
    ++gate;
  }
  for (const std::uint32_t wire : circuit.outputs) {
    const Block& label = wires[wire];
    made.table.outputs.push_back({hash(gate, HashUse::kOutput, label), hash(gate, HashUse::kOutput, label ^ offset)});
    garbling.outputs.push_back(label);
    ++gate;
  }
  return made;
}

Result<EvaluatedOutputs> EvaluateGarbled(const Circuit& circuit, const GarblingId& id, const GarbledTable& table,
                                         std::span<const Block> labels) {
  if (labels.size() != circuit.num_inputs() || table.gates.size() != circuit.num_ands() ||
      table.outputs.size() != circuit.outputs.size()) {
    return Error::Protocol("a garbled circuit is not of the agreed shape");
  }
  SecretVector<Block> wires(labels.begin(), labels.end());
  wires.reserve(wires.size() + circuit.gates.size());
  GateHash hash(id);
  std::uint32_t gate = 0;
  for (const auto& [op, a, b] : circuit.gates) {
    const Block left = wires[a];
    const Block right = wires[b];
    if (op == Circuit::Op::kXor) {
      wires.push_back(left ^ right);
      continue;
    }
    const auto& [garbler_half, evaluator_half] = table.gates[gate];
    wires.push_back(hash(gate, HashUse::kGarblerHalf, left) ^ Times(LowBit(left), garbler_half) ^
                    hash(gate, HashUse::kEvaluatorHalf, right) ^ Times(LowBit(right), evaluator_half ^ left));
    ++gate;
  }
  EvaluatedOutputs outputs;
  for (std::size_t i = 0; i < circuit.outputs.size(); ++i) {
    const Block& label = wires[circuit.outputs[i]];
    const Block hashed = hash(gate++, HashUse::kOutput, label);
    const bool is_one = SameBytes(hashed, table.outputs[i][1]);
    if (is_one == SameBytes(hashed, table.outputs[i][0])) {
      return Error::Protocol("a garbled circuit and its inputs do not belong together");
    }
    outputs.bits.push_back(is_one ? 1 : 0);
    outputs.labels.push_back(label);
  }
  return outputs;
}

}  // namespace cordon::engine
