// SPDX-License-Identifier: Apache-2.0
//
// Boxes of an earlier batch on new rows, so that every model holds and few rows are suppressed.
//
// A box of least loss may hold too few rows of the new batch, or another mix of sensitive values than its models allow. Then
// rows leave it: those of the values it has too many of, or all of them. What left goes to other boxes that cover it, if the
// models allow, the cheapest first; then boxes that so far have no group are tried, those that cover most of what is left
// first. What still has no box is suppressed. Under suppressed = "star" these rows are a separate group, and if the
// models do not admit it, the smallest groups join it. Deterministic; the policy says how many rows may go.
#pragma once

#include "cordon/data/recoding.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

Result<AppliedRecoding> FitRecoding(const Recoding& recoding, const View& view, std::span<const std::size_t> sensitive,
                                    const Policy& policy, const Run& run);

}  // namespace cordon::engine
