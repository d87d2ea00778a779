// SPDX-License-Identifier: Apache-2.0
//
// The circuit of a comparison: is the garbler's key the greater one, and has neither party one?
//
// Inputs   of each party: the bits of its key, lowest first, then 1 if it has none (its key is 0).
// Outputs  garbler's key > evaluator's key; both have none.
// Cost     one AND per bit (Kolesnikov, Sadeghi, Schneider 2009) and one for the end.
#pragma once

#include <cstdint>

#include "cordon/crypto/half_gates.h"

namespace cordon::engine {

Circuit CompareCircuit(std::uint32_t num_bits);

}  // namespace cordon::engine
