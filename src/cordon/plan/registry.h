// SPDX-License-Identifier: Apache-2.0
//
// The algorithms a policy can name, one line each. `auto` is decided here and nowhere else.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/algorithms/grouping/effort.h"
#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/group_model.h"
#include "cordon/policy/policy.h"

namespace cordon {

// What an algorithm tells of its run, for the report. No cell of the data.
struct AlgorithmNotes {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  std::vector<std::string> lines;  // of its search, in words
};

struct AlgorithmInput {
  const View& view;
  const AllOf& model;
  const Reference& reference;
  const CountedColumns& counted;
  const Policy& policy;
  AlgorithmNotes* notes = nullptr;
  Effort effort = Effort::kNormal;
  bool compared = false;  // as MakeOptions has it
};

// What of a policy and of a request an algorithm looks at, beside what all do.
enum AlgorithmUses : unsigned {
  kUsesEffort = 1,        // --effort and --seconds
  kUsesWeights = 2,       // weights of the columns
  kUsesLimit = 4,         // suppression_limit, where suppressed rows are dropped
  kUsesLimitOfStars = 8,  // suppression_limit, where they are published as stars
};

struct AlgorithmEntry {
  const char* name;     // as policies and the command line spell it
  const char* summary;  // one line for --help and docs
  Result<Groups> (*run)(const AlgorithmInput& input, Random& random, const Run& run);
  unsigned uses = 0;  // AlgorithmUses
  // Whether the policy, before any data, is one it can run by; null: any is.
  Result<void> (*check)(const Policy& policy, const char* name) = nullptr;
  bool masks_values = false;        // recodes globally: serves mask = "suppress", publishes sorted unless told otherwise
  bool groups_by_template = false;  // a model that names columns holds for groups by these, not by all quasi columns
  bool permutes = false;            // shuffles the sensitive column inside its groups, and leaves quasi cells exact
};

std::span<const AlgorithmEntry> Algorithms();

struct Choice {
  const AlgorithmEntry* algorithm;
  std::string why;  // empty where the policy named it
};

// What `auto` compares at high effort: the quickest algorithm, then the one it takes at other efforts, then all others; each
// with the reason where it is not run.
struct Candidate {
  const AlgorithmEntry* algorithm;
  std::string left_out = "";  // empty: it is run
  bool own_choice = false;    // what `auto` takes at other efforts, or the one that was named
};
std::vector<Candidate> Candidates(const Policy& policy, std::size_t num_rows);

// REQUIRES: the policy came out of ReadPolicy. An unknown name is an error with the nearest known one as hint.
Result<Choice> ChooseAlgorithm(std::string_view name, const Policy& policy);

}  // namespace cordon
