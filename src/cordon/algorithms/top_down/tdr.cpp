// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/top_down/tdr.h"

namespace cordon::engine {

// Confidence templates may be among the models: then both kinds are bounded in one run, and losses are told in shares.
Result<Groups> Tdr(const TopDownInput& input, const TopDownOptions& options, TopDownFacts* facts, const Run& run) {
  return RefineToGroups(input, options, facts, run);
}

}  // namespace cordon::engine
