// SPDX-License-Identifier: Apache-2.0
//
// What a run of a table would refuse before it reads a row: what the algorithm does not serve, what is of streams, keys
// that are not there. One answer for the run and for `policy check`.
#pragma once

#include "cordon/base/result.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/request.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// The algorithm that serves the request. What is not done is refused, not passed over. A request that is empty asks for
// nothing but the policy.
Result<Choice> ChooseSupported(const AnonymizeRequest& request, const Policy& policy);

// Refuses a policy whose models need previous releases, for a command that is not given any.
Result<void> CheckStandsAlone(const Policy& policy);

}  // namespace cordon::engine
