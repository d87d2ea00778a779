// SPDX-License-Identifier: Apache-2.0
//
// The queries that a release is made for: the policy's workload on the axes of the data, what error a release has on it,
// and how it steers a search.
#pragma once

#include "cordon/data/microdata.h"
#include "cordon/metrics/queries.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// If the policy's objective is query error: its queries, or, if it names no file, the random ones of `evaluate`. Values
// that do not occur stand for no row; a cell of a grid counts by its lower end.
Result<std::optional<Workload>> WorkloadOf(const Policy& policy, const Microdata& data);

// The data with weights by how many queries ask about an attribute, times its own: what is never asked about may be
// recoded freely. Only if the policy names a file; random queries ask about all alike.
Microdata WithWorkloadWeights(const Policy& policy, const Microdata& data);

namespace internal {
// Reads the policy's workload and checks it against the attributes. Part of ParsePolicy.
Result<void> ReadWorkload(Policy& policy);
}  // namespace internal

}  // namespace cordon::engine
