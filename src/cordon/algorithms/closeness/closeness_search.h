// SPDX-License-Identifier: Apache-2.0
//
// The search behind `closeness` and `likeness`: groups for t-closeness, beta-likeness and whatever else must hold, with as
// little information lost as can be found in the time given.
//
// Cuts must keep the mix of sensitive values on both sides, so cutting ends early; drawing fixed shares along a curve
// gives groups as wide as the table. This search grows groups by the true loss of their boxes with a look at what mix can
// still be reached (group_growth.h), inserts the rows in between one by one (group_insertion.h), and then moves and swaps
// single rows, annealed (anneal.h). The models themselves admit every group on the way.
//
// Guarantee   every group is admitted by the model, or there is no release.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cordon/algorithms/closeness/closeness_tuning.h"
#include "cordon/algorithms/closeness/group_growth.h"
#include "cordon/algorithms/grouping/effort.h"
#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

struct ClosenessSearchOptions {
  // How long to anneal, and how many ways to begin are compared.
  using Effort = cordon::engine::Effort;
  Effort effort = Effort::kNormal;
  // Groups that another algorithm made: the result is no worse. Mondrian's are always among them.
  // REQUIRES: each is a grouping of all rows of the view that the model admits.
  std::vector<Groups> starts = {};
  // The one way to begin, instead of a comparison: for experiments.
  std::optional<GrowthOptions> growth;
  std::optional<double> sweeps;
  ClosenessTuning tuning = {};
};

// `specs` are what `model` was made of. The same groups for any number of threads.
// Unsatisfiable if not even all rows together are admitted; InvalidPolicy if no model looks at a sensitive column.
Result<Groups> ClosenessSearch(const View& view, std::span<const ModelSpec> specs, const AllOf& model,
                               const Reference& reference, const CountedColumns& counted, const ClosenessSearchOptions& options,
                               const Random& random, const Run& run);

}  // namespace cordon::engine
