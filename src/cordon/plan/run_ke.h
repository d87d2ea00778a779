// SPDX-License-Identifier: Apache-2.0
//
// Permutation as one of the algorithms on tables: groups by the value of the sensitive column, exact quasi cells, values
// shuffled inside the groups, and a column that names them. What permute makes a store of, anonymize makes a file of.
#pragma once

#include <optional>
#include <string>

#include "cordon/data/release.h"
#include "cordon/plan/algorithm_entry.h"

namespace cordon::engine {

// Whether a policy can be served by permutation, and by which column: one ke-anonymity model and no other, one sensitive
// column. What is in the way otherwise.
Result<std::string> ColumnToPermute(const Policy& policy);

// Rows without a value are in no group.
Result<Groups> RunKe(const AlgorithmInput& input, Random& random, const Run& run);

// The release of such groups, shuffled. Rows in no group are left out.
Result<Release> PermuteRelease(const View& view, const Groups& groups, const std::string& sensitive, Random& random,
                               const Run& run);

}  // namespace cordon::engine
