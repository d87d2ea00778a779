// SPDX-License-Identifier: Apache-2.0
//
// TDD, top-down disclosure: bounds how surely a sensitive value can be inferred, by hiding values and disclosing them one
// by one as long as the bounds hold.
//
// Guarantee   for every template, every combination x over its columns and every guarded value y, rows(x and y) are at
//             most the share h of rows(x); further models hold as they say. Or there is no release.
// Source      B. C. M. Fung, PhD thesis, Simon Fraser University 2007, chapter 5.
// Departures  listed, with reasons, in docs/algorithms/tdd.md.
#pragma once

#include "cordon/algorithms/top_down/top_down_plan.h"

namespace cordon::engine {

// An error if no model is a confidence template.
Result<void> CheckTddModels(std::span<const ModelSpec> specs);

// REQUIRES: nothing of the models; the error is that of CheckTddModels.
Result<Groups> Tdd(const TopDownInput& input, const TopDownOptions& options, TopDownFacts* facts, const Run& run);

}  // namespace cordon::engine
