// SPDX-License-Identifier: Apache-2.0
//
// The rows that stay when others are left out of a release, with the models as they hold for them: t, beta and delta
// compare a group with the published rows, so every choice of rows to drop makes these models again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/view.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"

namespace cordon::engine {

struct RemainingRows {
  View view;
  Reference reference;
  AllOf model;
  std::vector<RowId> left_out;  // ascending
};

// What rows are left out of. The view's rows are ascending; `sensitive` are the columns that the models name.
struct SuppressionProblem {
  const View& view;
  std::span<const ModelSpec> specs;
  std::span<const std::size_t> sensitive;
  const CountedColumns& counted;
};

// REQUIRES: some row stays.
Result<RemainingRows> KeepWithout(const SuppressionProblem& problem, std::vector<RowId> left_out);

// Whether dropping rows changes what groups are compared with.
bool ComparesWithPublished(std::span<const ModelSpec> specs);

// If the last row of a value would go that must stay on its axis, one of its rows stays: an axis that is read off the
// data would be another without it (ordered and hierarchical distances, ranges of values), and a value that a policy names
// would be unknown. Returns whether any row was given back.
bool GiveBackLastOfValues(const SuppressionProblem& problem, std::vector<RowId>& left_out);

// Models such as alpha-k and entropy l refuse a table in which one value is too frequent, however it is cut. The least
// number of rows of the most frequent values, or of those the model names, without which it can be satisfied; none where
// it can be satisfied anyway; Unsatisfiable where more than `most` would have to go.
Result<std::vector<RowId>> LeaveOutToSatisfy(const SuppressionProblem& problem, std::uint64_t most);

}  // namespace cordon::engine
