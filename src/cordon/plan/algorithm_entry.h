// SPDX-License-Identifier: Apache-2.0
//
// An algorithm on tables as the registry knows it: what it is given, what it looks at, how it is run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/algorithms/grouping/effort.h"
#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/bind/link_releases.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// What an algorithm tells of its run, for the report. No cell of the data.
struct AlgorithmNotes {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  std::vector<std::string> lines;  // of its search, in words
};

// What was published before, and the current table tied to it.
struct PreviousReleases {
  std::vector<PreviousTable> tables;
  LinkedReleases linked;  // with the current table's exact cells
  bool allow_unequal = false;
  bool through_violation = false;
};

struct AlgorithmInput {
  const View& view;
  const AllOf& model;
  const Reference& reference;
  const CountedColumns& counted;
  const Policy& policy;
  AlgorithmNotes* notes = nullptr;
  Effort effort = Effort::kNormal;
  bool compared = false;                             // as MakeOptions has it
  const PreviousReleases* previous = nullptr;        // null: the table stands alone
  std::optional<std::int64_t> max_refinements = {};  // of tdssa, besides the policy's: a release that was refused has too many
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

}  // namespace cordon::engine
