// SPDX-License-Identifier: Apache-2.0
//
// If a value is too frequent for the share that a model allows: how many rows of such values would have to go.
#pragma once

#include <string>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/data/view.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// All rows of the view as one group: what it satisfies is the most that these rows can give. Not to be published.
Release AsOneGroup(const View& view, const Run& run);

// "leave out 2 rows with the most frequent guarded value": the least number, tried on these rows, with which every model of the
// policy holds. Empty if the model guards no share, or if no number helps that leaves some rows of each value.
Result<std::string> RowsToSuppress(const View& view, const ModelSpec& failing, const Policy& policy, const Run& run);

}  // namespace cordon::engine
