// SPDX-License-Identifier: Apache-2.0
//
// A step of the search as a frame says it, and back. Intervals go by their ends, nodes of a tree by their number in pre-order,
// so a frame means the same to everybody who has the policy.
#pragma once

#include "cordon/algorithms/top_down/top_down.h"
#include "cordon/base/result.h"
#include "cordon/crypto/payload.h"

namespace cordon::engine {

InstructPayload InstructOf(const TopDown& search, const ToldStep& step);

// The same for a column alone.
Result<ToldStep> StepOf(const MaskedAttribute& masked, const InstructPayload& instruct);
// An error if the column, the value or the split is not there. Whether the step may be made is the search's to say.
Result<ToldStep> StepOf(const TopDown& search, const InstructPayload& instruct);

}  // namespace cordon::engine
