// SPDX-License-Identifier: Apache-2.0
//
// What would an attacker get right? Known attacks on any tool's release, run by the custodian who has the original
// (docs/attack.md). No figure says that a release is safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/export.h"
#include "cordon/policy.h"
#include "cordon/result.h"
#include "cordon/run.h"
#include "cordon/table.h"

namespace cordon {

struct AttackOptions {
  std::vector<std::string> known;  // columns that the attacker knows of people; empty: all quasi columns
  std::string row_map;             // file: released row -> input row. He knows who is in which group; empty: he works it out
  std::optional<Input> second;     // another release of the same people, for the intersection attack
  std::uint64_t seed = 1;          // of samples and bootstrap; it protects nothing
  std::optional<std::uint64_t> max_targets;  // attacks at most this many people; none: 50,000
  RunOptions run;
};

struct AttackFigure {
  std::string attack;   // "linkage"
  std::string variant;  // "prosecutor"; may be empty
  std::string column;   // the column he is after; empty: the person or the row itself
  std::uint64_t targets = 0;
  std::uint64_t guesses = 0;
  double right = 0;                              // expected, if he picks at random
  double share = 0;                              // of the targets
  double baseline = 0;                           // the share without the release
  double gain = 0;                               // share - baseline
  std::pair<double, double> gain_interval = {};  // 95 % of the resamples
  double highest = 0;                            // his belief in one guess
};

struct Attacked {
  std::uint64_t rows = 0;     // released
  std::uint64_t people = 0;   // of the original
  std::uint64_t targets = 0;  // of these, attacked
  std::vector<AttackFigure> figures;
  std::vector<std::pair<std::string, std::string>> left_out;  // attack, why
  std::string json;                                           // as `cordon attack --json` prints it
  std::string text;                                           // for a person
};

CORDON_API Result<Attacked> Attack(const Input& release, const Input& original, const Policy& policy,
                                   const AttackOptions& options = {});

}  // namespace cordon
