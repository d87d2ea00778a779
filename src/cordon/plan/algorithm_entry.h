// SPDX-License-Identifier: Apache-2.0
//
// An algorithm on tables as the registry knows it: what it is given and how it is run.
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
#include "cordon/policy/catalog.h"
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
  std::optional<std::int64_t> max_refinements = {};  // of tdssa, next to the policy's: a release that was refused has too many
};

// How an algorithm of the catalog is run on a table.
struct AlgorithmEntry : AlgorithmFacts {
  using RunGroups = Result<Groups> (*)(const AlgorithmInput& input, Random& random, const Run& run);
  // Whether the policy, before any data, is one it can run by; null: any is.
  using Check = Result<void> (*)(const Policy& policy, const char* name);

  // Groups that are there already, with less loss if that can be found. Suppresses no rows.
  using RefineGroups = Result<Groups> (*)(const AlgorithmInput& input, const Groups& groups, const Run& run);

  RunGroups run = nullptr;
  Check check = nullptr;
  bool serves_shards = false;     // runs on part of a table, compared with the whole (docs/scale.md)
  bool counts_weights = false;    // rows may stand for several (Microdata::weights), and those that are equal stay together
  RefineGroups refine = nullptr;  // null: its groups stay as they are
};

}  // namespace cordon::engine
