// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/half_gates.h"

#include <gtest/gtest.h>

#include <set>

#include "cordon/base/random.h"
#include "cordon/crypto/compare_circuit.h"
#include "tests/crypto/crypto_vectors.h"

namespace cordon::engine {
namespace {

using Bits = std::vector<std::uint8_t>;

SecretVector<Block> LabelsOf(const Garbling& garbling, const Bits& inputs) {
  SecretVector<Block> labels;
  for (std::size_t i = 0; i < inputs.size(); ++i) labels.push_back(garbling.InputLabel(i, inputs[i]));
  return labels;
}

// Garbles, evaluates, and reads the outputs on both sides.
Bits EvaluateByLabels(const Circuit& circuit, const GarblingId& id, const Bits& inputs, const ByteSource& bytes) {
  const Garbled garbled = Garble(circuit, id, bytes);
  const EvaluatedOutputs outputs = EvaluateGarbled(circuit, id, garbled.table, LabelsOf(garbled.garbling, inputs)).value();
  for (std::size_t i = 0; i < outputs.bits.size(); ++i) {
    EXPECT_EQ(garbled.garbling.OutputBit(i, outputs.labels[i]).value(), outputs.bits[i]);
  }
  return outputs.bits;
}

Bits BitsOfKeys(std::uint32_t x, std::uint32_t y, std::uint32_t num_bits) {
  Bits bits;
  for (const std::uint32_t key : {x, y}) {
    for (std::uint32_t i = 0; i < num_bits; ++i) bits.push_back(static_cast<std::uint8_t>(key >> i & 1U));
    bits.push_back(key == 0 ? 1 : 0);
  }
  return bits;
}

TEST(HalfGates, AnAndGateIsRightForAllInputsAndColors) {
  const Circuit circuit{
      .num_garbler_inputs = 1, .num_evaluator_inputs = 1, .gates = {{Circuit::Op::kAnd, 0, 1}}, .outputs = {2}};
  for (std::uint64_t seed = 0; seed < 64; ++seed) {  // all four pairs of colors come up
    for (const Bits& inputs : {Bits{0, 0}, Bits{0, 1}, Bits{1, 0}, Bits{1, 1}}) {
      EXPECT_EQ(EvaluateByLabels(circuit, {}, inputs, TestBytes(seed)), EvaluateInTheClear(circuit, inputs));
    }
  }
}

TEST(HalfGatesProperty, RandomCircuitsAgreeWithTheClear) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    Circuit circuit{.num_garbler_inputs = static_cast<std::uint32_t>(1 + random.Below(4)),
                    .num_evaluator_inputs = static_cast<std::uint32_t>(1 + random.Below(4))};
    std::uint32_t wires = circuit.num_inputs();
    for (int i = 0; i < 40; ++i, ++wires) {
      circuit.gates.push_back({random.Below(2) == 0 ? Circuit::Op::kXor : Circuit::Op::kAnd,
                               static_cast<std::uint32_t>(random.Below(wires)),
                               static_cast<std::uint32_t>(random.Below(wires))});
    }
    for (int i = 0; i < 5; ++i) circuit.outputs.push_back(static_cast<std::uint32_t>(random.Below(wires)));
    Bits inputs;
    for (std::uint32_t i = 0; i < circuit.num_inputs(); ++i) inputs.push_back(static_cast<std::uint8_t>(random.Below(2)));
    EXPECT_EQ(EvaluateByLabels(circuit, {}, inputs, TestBytes(seed)), EvaluateInTheClear(circuit, inputs));
  }
}

TEST(CompareCircuit, IsRightForAllPairsOfFourBits) {
  const Circuit circuit = CompareCircuit(4);
  EXPECT_EQ(circuit.num_ands(), 5U);
  const ByteSource bytes = TestBytes(1);
  for (std::uint32_t x = 0; x < 16; ++x) {
    for (std::uint32_t y = 0; y < 16; ++y) {
      const Bits expected = {static_cast<std::uint8_t>(x > y), static_cast<std::uint8_t>(x == 0 && y == 0)};
      EXPECT_EQ(EvaluateInTheClear(circuit, BitsOfKeys(x, y, 4)), expected);
      EXPECT_EQ(EvaluateByLabels(circuit, {}, BitsOfKeys(x, y, 4), bytes), expected);
    }
  }
}

TEST(CompareCircuit, OfNinetySixBitsHasOneAndPerBitAndOneMore) { EXPECT_EQ(CompareCircuit(96).num_ands(), 97U); }

TEST(HalfGates, ALabelOfAnotherGarblingIsRefused) {
  const Circuit circuit = CompareCircuit(4);
  const Bits inputs = BitsOfKeys(3, 9, 4);
  const Garbled one = Garble(circuit, {}, TestBytes(1)), two = Garble(circuit, {}, TestBytes(2));
  EXPECT_FALSE(EvaluateGarbled(circuit, {}, one.table, LabelsOf(two.garbling, inputs)).ok());
  const EvaluatedOutputs outputs = EvaluateGarbled(circuit, {}, two.table, LabelsOf(two.garbling, inputs)).value();
  EXPECT_EQ(one.garbling.OutputBit(0, outputs.labels[0]).error().kind(), ErrorKind::kProtocol);
  EXPECT_FALSE(two.garbling.OutputBit(1, outputs.labels[0]).ok());  // the label of another output
}

TEST(HalfGates, TheHashIsBoundToRunRoundAttempt) {
  const Circuit circuit = CompareCircuit(4);
  const Bits inputs = BitsOfKeys(9, 3, 4);
  const GarblingId id{{1, 2, 3}, {7, 1}};
  const Garbled garbled = Garble(circuit, id, TestBytes(1));
  const SecretVector<Block> labels = LabelsOf(garbled.garbling, inputs);
  EXPECT_TRUE(EvaluateGarbled(circuit, id, garbled.table, labels).ok());
  for (const GarblingId& other :
       {GarblingId{{1, 2, 4}, {7, 1}}, GarblingId{{1, 2, 3}, {8, 1}}, GarblingId{{1, 2, 3}, {7, 2}}}) {
    EXPECT_FALSE(EvaluateGarbled(circuit, other, garbled.table, labels).ok());
  }
}

TEST(HalfGates, AnotherShapeIsRefused) {
  const Circuit circuit = CompareCircuit(4);
  const Garbled garbled = Garble(circuit, {}, TestBytes(1));
  const SecretVector<Block> labels = LabelsOf(garbled.garbling, BitsOfKeys(1, 2, 4));
  GarbledTable table = garbled.table;
  table.gates.pop_back();
  EXPECT_FALSE(EvaluateGarbled(circuit, {}, table, labels).ok());
  table = garbled.table;
  table.outputs.pop_back();
  EXPECT_FALSE(EvaluateGarbled(circuit, {}, table, labels).ok());
  EXPECT_FALSE(EvaluateGarbled(circuit, {}, garbled.table, std::span<const Block>(labels).first(9)).ok());
}

// The evaluator has one label of each wire: the other one stays hidden, and no block of the table shows the offset.
TEST(HalfGates, LabelsOfAWireDifferInColor) {
  const Garbled garbled = Garble(CompareCircuit(96), {}, TestBytes(1));
  EXPECT_EQ(LowBit(*garbled.garbling.offset), 1U);
  std::set<Block> seen;
  for (const Block& label : garbled.garbling.inputs) {
    EXPECT_TRUE(seen.insert(label).second);
    EXPECT_TRUE(seen.insert(label ^ *garbled.garbling.offset).second);
  }
  for (const auto& [garbler_half, evaluator_half] : garbled.table.gates) {
    EXPECT_NE(garbler_half, *garbled.garbling.offset);
    EXPECT_NE(evaluator_half, *garbled.garbling.offset);
  }
}

}  // namespace
}  // namespace cordon::engine
