// SPDX-License-Identifier: Apache-2.0
//
// Keys of a policy and flags of a command that change nothing in a run, and earlier names of algorithms. One policy may serve
// tables and streams, and any algorithm may be named on the command line, so these are not errors; but the author has to
// learn it.
#pragma once

#include <vector>

#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/request.h"
#include "cordon/plan/stream_registry.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// Of the run of a table. `ran`: the algorithms that were run; none if a recoding was used.
std::vector<Warning> UnusedSettings(const Policy& policy, const AnonymizeRequest& request,
                                    const std::vector<const AlgorithmEntry*>& ran);

// Of permute, which makes a store.
std::vector<Warning> UnusedSettingsOfPermute(const Policy& policy);

// Of the run of a stream.
std::vector<StreamWarning> UnusedSettings(const Policy& policy, const StreamAlgorithmEntry& algorithm);

}  // namespace cordon::engine
