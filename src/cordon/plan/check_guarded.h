// SPDX-License-Identifier: Apache-2.0
//
// A sensitive column that no model guards is published as it is, of every person in a group. Few policies mean that.
#pragma once

#include <vector>

#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// An error if a sensitive column is in no model, and its `unguarded` does not say why.
Result<void> CheckGuarded(const Policy& policy);

// The columns that no model guards, with the policy's reasons.
std::vector<UnguardedColumn> UnguardedIn(const Policy& policy);

// A warning if many rows are unique by the columns that are published as they are. `about`: the share is an estimate.
std::optional<Warning> WarnOfUniqueRows(const std::vector<std::string>& columns, double share, bool about = false);

// The sensitive columns that some model guards. Their cells are published as they are too.
std::vector<std::string> GuardedSensitive(const Policy& policy);
// A warning if many rows are unique by these. Most values repeat; those that do not, such as a bill to the cent, find the row.
std::optional<Warning> WarnOfExactSensitive(const std::vector<std::string>& columns, double share, std::uint64_t rows,
                                            bool about = false);

}  // namespace cordon::engine
