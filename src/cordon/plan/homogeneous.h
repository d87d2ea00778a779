// SPDX-License-Identifier: Apache-2.0
//
// t-closeness and basic beta-likeness bound a distance. If the bound is large, a group in which everybody has the same value
// passes, and the model guards nothing in it. alpha-k and confidence bound the values that they name: a group in which
// everybody has the same other value passes.
#pragma once

#include <vector>

#include "cordon/data/microdata.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// A warning ("homogeneous-allowed") per model that lets a group of one value pass, if the other models of the column do too.
// It names the parameter below which no such group passes; it holds no cell of the data.
Result<std::vector<Warning>> HomogeneousAllowed(const Policy& policy, const Microdata& data);

// What is certain before any row is seen: whatever the rows are, some value is frequent enough.
std::vector<Warning> HomogeneousAllowed(const Policy& policy);

}  // namespace cordon::engine
