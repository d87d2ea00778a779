// SPDX-License-Identifier: Apache-2.0
//
// TDSSA, top-down specialization for sequential anonymization: refines the current table as long as its join with what was
// published before keeps (X,Y)-anonymity and (X,Y)-linkability.
//
// Guarantee   every requirement holds on the join and, if Y lies in the current table, on it alone; other models hold as they
//             say. Otherwise there is an error and no release. What one-to-one pairings rule out is the verifier's to find
//             (forced_links.h).
// Source      K. Wang, B. C. M. Fung: Anonymizing sequential releases, KDD 2006; B. C. M. Fung, PhD thesis, Simon Fraser
//             University 2007, chapter 6.
// Departures  listed, with reasons, in docs/algorithms/tdssa.md.
#pragma once

#include <memory>
#include <vector>

#include "cordon/algorithms/tdssa/sequential_input.h"
#include "cordon/algorithms/top_down/top_down_plan.h"

namespace cordon::engine {

struct TdssaFacts {
  TopDownFacts top_down;
  std::vector<JoinFacts> joins;
};

Result<Groups> Tdssa(const TopDownInput& input, const SequentialInput& sequential, const TopDownOptions& options,
                     TdssaFacts* facts, const Run& run);

// The search as tdssa makes it, for a caller that takes it step by step.
Result<std::unique_ptr<TopDown>> MakeTdssa(const TopDownInput& input, const SequentialInput& sequential,
                                           const TopDownOptions& options, const Run& run);

}  // namespace cordon::engine
