// SPDX-License-Identifier: Apache-2.0
//
// How far a release is from what any release under the same policy must lose (docs/bound.md): what the models ask of every
// group, and the bound for a person and as JSON.
#pragma once

#include <span>
#include <string>

#include "cordon/base/json.h"
#include "cordon/metrics/bound/loss_bound.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

// The rows and the different values that every group has if all models hold. An error if they ask for neither, or if a model is
// one of permuted releases, which lose nothing in their quasi columns.
Result<LeastGroup> LeastGroupOf(std::span<const ModelSpec> models, const Microdata& data);

// Of a release of this information loss.
Json ToJson(const LossBound& bound, double information_loss);
std::string Describe(const LossBound& bound, double information_loss);
// In one sentence: "no release with groups of at least 5 rows loses less than 0.0306; this one loses at most 1.22 times that".
std::string Sentence(const LossBound& bound, double information_loss);

}  // namespace cordon::engine
