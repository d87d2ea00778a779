// SPDX-License-Identifier: Apache-2.0
//
// What would do if no release satisfies a policy: the parameter that these rows can still give, or the rows that
// would have to go.
#pragma once

#include <string>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/view.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// One sentence for a hint; empty if one group of all rows would satisfy the policy. Holds no cell of the data.
Result<std::string> SuggestParameters(const View& view, const Policy& policy, const Run& run);

// What no rows at all can satisfy: more different values than the policy declares. Unsatisfiable, with what would do.
Result<void> CheckDeclaredDomains(const Policy& policy);

}  // namespace cordon::engine
