// SPDX-License-Identifier: Apache-2.0
//
// From privacy models to a plan of refinement: which columns are masked, and what must hold of which of them.
#pragma once

#include <span>
#include <vector>

#include "cordon/algorithms/top_down/top_down.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

// What tdr and tdd are given. Everything outlives the search.
struct TopDownInput {
  const View& view;
  std::span<const ModelSpec> specs;
  const AllOf& model;  // of these specs
  const Reference& reference;
  const CountedColumns& counted;
  std::vector<Masking> maskings;  // by quasi column
  ClassLabels labels;
  std::vector<std::string> also_masked = {};  // quasi columns that are masked although no model here speaks of them
};

// What a search did, for a report.
struct TopDownFacts {
  std::int64_t refinements = 0;
  bool stopped_early = false;
  std::vector<std::pair<std::string, std::size_t>> shown;  // masked column -> different values shown
};

// Templates that another one implies are left out, so that they do not weigh in the score: (X, k) by (X', k') where X is
// part of X' and k <= k'; (X, Y, h) by (X', Y', h') where X is part of X', Y of Y' and h >= h'.
std::vector<std::size_t> WithoutImplied(std::span<const ModelSpec> specs, const Microdata& data);

Result<TopDown::Plan> MakePlan(const TopDownInput& input);

// REQUIRES: nothing of the search; before its end, `stopped_early` says that there is more to refine.
TopDownFacts FactsOf(const TopDown& search);

// Refines to the end.
Result<Groups> RefineToGroups(const TopDownInput& input, const TopDownOptions& options, TopDownFacts* facts, const Run& run);

}  // namespace cordon::engine
