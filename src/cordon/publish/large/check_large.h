// SPDX-License-Identifier: Apache-2.0
//
// What a run on a table that is larger than memory does not do: refused by name, with a way out, before any work.
#pragma once

#include "cordon/base/result.h"
#include "cordon/plan/algorithm_entry.h"
#include "cordon/plan/request.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

inline constexpr std::uint64_t kLeastMemory = std::uint64_t{256} << 20;

// REQUIRES: request.memory.
Result<void> CheckServesLarge(const AnonymizeRequest& request, const Policy& policy, const AlgorithmEntry& algorithm);

}  // namespace cordon::engine
