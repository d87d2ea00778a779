// SPDX-License-Identifier: Apache-2.0
//
// What the verifier found of one model.
#pragma once

#include <cstdint>
#include <string>

namespace cordon {

struct Verdict {
  std::string model;  // "k-anonymity(k=5)"
  bool holds = false;
  std::string reached;  // by the worst group: exact if it is a fraction, as "11/60"
  std::uint64_t failing_groups = 0;
  std::uint64_t failing_rows = 0;  // in them
};

// What deserves a second look.
struct Warning {
  std::string code;  // stays the same over versions: "groups-of-one"
  std::string text;
};

}  // namespace cordon
