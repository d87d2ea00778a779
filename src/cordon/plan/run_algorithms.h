// SPDX-License-Identifier: Apache-2.0
//
// The algorithms on tables by a policy: which options are set, which of the models an algorithm is made for.
#pragma once

#include "cordon/plan/algorithm_entry.h"

namespace cordon::engine {

// Whether the policy asks for the model that sabre, or burel, and their forms are made for.
Result<void> CheckAsksCloseness(const Policy& policy, const char* algorithm);
Result<void> CheckAsksLikeness(const Policy& policy, const char* algorithm);
// Whether the policy has a k, by which alone blind makes groups.
Result<void> CheckAsksSize(const Policy& policy, const char* algorithm);

Result<Groups> RunMondrian(const AlgorithmInput& input, Random& random, const Run& run);
Result<Groups> RunFullDomain(const AlgorithmInput& input, Random& random, const Run& run);
Result<Groups> RunPartition(const AlgorithmInput& input, Random& random, const Run& run);
// Of all algorithms whose groups are searched: by the moves of partition.
Result<Groups> RefineByPartition(const AlgorithmInput& input, const Groups& groups, const Run& run);
Result<Groups> RunPeel(const AlgorithmInput& input, Random& random, const Run& run);
Result<Groups> RunCloseness(const AlgorithmInput& input, Random& random, const Run& run);
Result<Groups> RunSabreAk(const AlgorithmInput& input, Random& random, const Run& run);
Result<Groups> RunSabreKnn(const AlgorithmInput& input, Random& random, const Run& run);
Result<Groups> RunLikeness(const AlgorithmInput& input, Random& random, const Run& run);
Result<Groups> RunBurelPaper(const AlgorithmInput& input, Random& random, const Run& run);
// Groups that do not depend on sensitive values. They satisfy what the policy asks of their size; only the verifier says
// whether they satisfy the rest.
Result<Groups> RunBlind(const AlgorithmInput& input, Random& random, const Run& run);

}  // namespace cordon::engine
