// SPDX-License-Identifier: Apache-2.0
//
// Known attacks on a release, run by the custodian who has the original: what share of people does an attacker get right, and
// what would he get right without the release? No figure says that a release is safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/attack/figure.h"
#include "cordon/attack/scene.h"
#include "cordon/base/json.h"

namespace cordon::engine {

struct LeftOut {
  std::string attack;
  std::string why;
};

struct AttackReport {
  std::uint64_t rows = 0;     // released
  std::uint64_t people = 0;   // of the original
  std::uint64_t targets = 0;  // of these, attacked
  std::uint64_t placed = 0;   // rows of the original whose group is known to the attacker
  std::uint64_t seed = 0;
  std::vector<std::string> known;
  std::vector<Figure> figures;
  std::vector<LeftOut> left_out;
};

Result<AttackReport> RunAttacks(const AttackInput& input, const AttackOptions& options, const Run& run);

Json ToJson(const AttackReport& report);
std::string Describe(const AttackReport& report);

// "definetti, occupation": for people.
std::string Title(const AttackName& name);

}  // namespace cordon::engine
