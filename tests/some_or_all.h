// SPDX-License-Identifier: Apache-2.0
//
// How many cases a test takes: some, or all of them if CORDON_TEST_ALL is set (`make full`).
#pragma once

#include <cstdlib>

namespace cordon {

inline bool TakesAll() { return std::getenv("CORDON_TEST_ALL") != nullptr; }

template <typename Number>
Number SomeOrAll(Number some, Number all) {
  return TakesAll() ? all : some;
}

}  // namespace cordon
