// SPDX-License-Identifier: Apache-2.0
//
// The algorithms a policy can name, one line each. `auto` is decided here and nowhere else.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/plan/algorithm_entry.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

std::span<const AlgorithmEntry> Algorithms();

struct Choice {
  const AlgorithmEntry* algorithm;
  std::string why;  // empty if the policy named it
};

// What `auto` compares at high effort: the quickest algorithm, then the one it takes at other efforts, then all others; each
// with the reason if it is not run.
struct Candidate {
  const AlgorithmEntry* algorithm;
  std::string left_out = "";  // empty: it is run
  bool own_choice = false;    // what `auto` takes at other efforts, or the one that was named
};
std::vector<Candidate> Candidates(const Policy& policy, std::size_t num_rows);

// REQUIRES: the policy came out of ReadPolicy. An unknown name is an error with the nearest known one as hint.
Result<Choice> ChooseAlgorithm(std::string_view name, const Policy& policy);

}  // namespace cordon::engine
