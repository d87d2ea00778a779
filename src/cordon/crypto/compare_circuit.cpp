// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/compare_circuit.h"

#include "cordon/base/check.h"

namespace cordon::engine {

Circuit CompareCircuit(std::uint32_t num_bits) {
  CORDON_CHECK_LT(0U, num_bits);
  Circuit circuit{.num_garbler_inputs = num_bits + 1, .num_evaluator_inputs = num_bits + 1};
  const auto gate = [&](Circuit::Op op, std::uint32_t a, std::uint32_t b) {
    circuit.gates.push_back({op, a, b});
    return circuit.num_inputs() + static_cast<std::uint32_t>(circuit.gates.size()) - 1;
  };
  const auto x = [](std::uint32_t bit) { return bit; };
  const auto y = [&](std::uint32_t bit) { return num_bits + 1 + bit; };

  // greater = x_i XOR ((x_i XOR greater) AND (y_i XOR greater)): if the bits are equal it stays, else it is x_i.
  std::uint32_t greater = gate(Circuit::Op::kXor, x(0), gate(Circuit::Op::kAnd, x(0), y(0)));
  for (std::uint32_t i = 1; i < num_bits; ++i) {
    const std::uint32_t left = gate(Circuit::Op::kXor, x(i), greater);
    const std::uint32_t right = gate(Circuit::Op::kXor, y(i), greater);
    greater = gate(Circuit::Op::kXor, x(i), gate(Circuit::Op::kAnd, left, right));
  }
  const std::uint32_t neither = gate(Circuit::Op::kAnd, x(num_bits), y(num_bits));
  circuit.outputs = {greater, neither};
  return circuit;
}

}  // namespace cordon::engine
