// SPDX-License-Identifier: Apache-2.0
//
// Garbled circuits: one party garbles, the other evaluates, and learns the outputs alone. A wire has a label for 0 and one
// for 1, which differ by an offset that only the garbler knows. XOR of two wires is XOR of their labels; an AND gate costs
// two blocks.
//
// Guarantee   to an evaluator that follows the protocol, labels, table and output hashes tell the outputs and nothing else
//             about the garbler's inputs. SHA-256, cut to 128 bits and bound to run, round, attempt and gate, is the
//             circular correlation robust hash that this needs.
// Source      Yao 1986; free XOR: Kolesnikov, Schneider 2008; half gates: Zahur, Rosulek, Evans 2015.
// Limits      a garbler that does not follow the protocol may garble another circuit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/crypto/block.h"
#include "cordon/crypto/run_id.h"
#include "cordon/crypto/secret.h"

namespace cordon::engine {

// Wires are numbered: the garbler's inputs, the evaluator's, then one per gate, in order.
struct Circuit {
  enum class Op : std::uint8_t { kXor, kAnd };
  struct Gate {
    Op op;
    std::uint32_t a, b;  // wires with lower numbers
  };
  std::uint32_t num_garbler_inputs = 0;
  std::uint32_t num_evaluator_inputs = 0;
  std::vector<Gate> gates;
  std::vector<std::uint32_t> outputs;

  std::uint32_t num_inputs() const { return num_garbler_inputs + num_evaluator_inputs; }
  std::size_t num_ands() const;
};

// In the clear; a bit per output. The bits are 0 or 1.
std::vector<std::uint8_t> EvaluateInTheClear(const Circuit& circuit, std::span<const std::uint8_t> inputs);

// To what the hashes of one garbling are bound. No two garblings share one.
struct GarblingId {
  RunId run{};
  CompareId compare;
};

struct GarbledTable {
  std::vector<std::array<Block, 2>> gates;    // per AND: the garbler's half, the evaluator's half
  std::vector<std::array<Block, 2>> outputs;  // per output: hashes of its labels for 0 and for 1
};

// What the garbler keeps.
struct Garbling {
  Secret<Block> offset;
  SecretVector<Block> inputs;   // labels for 0
  SecretVector<Block> outputs;  // labels for 0

  // The label of an input for a bit.
  Block InputLabel(std::size_t input, unsigned bit) const { return inputs[input] ^ Times(bit, *offset); }
  // What output the label stands for. An error if it is not one of its labels.
  Result<unsigned> OutputBit(std::size_t output, const Block& label) const;
};

struct Garbled {
  GarbledTable table;
  Garbling garbling;
};
Garbled Garble(const Circuit& circuit, const GarblingId& id, const ByteSource& bytes);

struct EvaluatedOutputs {
  std::vector<std::uint8_t> bits;
  SecretVector<Block> labels;  // which prove the bits to the garbler
};
// `labels`: one per input. An error if table and labels do not belong together.
Result<EvaluatedOutputs> EvaluateGarbled(const Circuit& circuit, const GarblingId& id, const GarbledTable& table,
                                         std::span<const Block> labels);

}  // namespace cordon::engine
