// SPDX-License-Identifier: Apache-2.0
//
// What of several releases that satisfy the policy is the best one.
#pragma once

#include "cordon/policy/policy.h"
#include "cordon/report/utility.h"

namespace cordon::engine {

// By the policy's objective; less is better. Information loss is that of the attributes by their weights: what the
// searches minimize.
double ObjectiveValue(const Policy& policy, const Utility& utility);

}  // namespace cordon::engine
