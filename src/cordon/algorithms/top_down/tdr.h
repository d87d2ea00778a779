// SPDX-License-Identifier: Apache-2.0
//
// TDR, top-down refinement: k-anonymity over several quasi-identifiers, with as much left for a classifier as fits.
//
// Guarantee   every combination of values over the columns of each template belongs to at least its k people; further
//             models hold as they say. Or there is no release.
// Source      B. C. M. Fung, PhD thesis, Simon Fraser University 2007, chapters 3 and 4.
// Departures  listed, with reasons, in docs/algorithms/tdr.md.
#pragma once

#include "cordon/algorithms/top_down/top_down_plan.h"

namespace cordon::engine {

Result<Groups> Tdr(const TopDownInput& input, const TopDownOptions& options, TopDownFacts* facts, const Run& run);

}  // namespace cordon::engine
