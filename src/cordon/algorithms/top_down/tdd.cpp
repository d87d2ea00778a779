// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/top_down/tdd.h"

#include <algorithm>

namespace cordon::engine {

Result<void> CheckTddModels(std::span<const ModelSpec> specs) {
  const auto is_template = [](const ModelSpec& spec) { return std::holds_alternative<ConfidenceSpec>(spec); };
  if (std::any_of(specs.begin(), specs.end(), is_template)) return {};
  return Error::InvalidPolicy("tdd bounds the confidence of inferences, and the policy has no model \"confidence\"")
      .WithHint("add one, or use tdr, which serves k-anonymity and the other models");
}

Result<Groups> Tdd(const TopDownInput& input, const TopDownOptions& options, TopDownFacts* facts, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckTddModels(input.specs));
  return RefineToGroups(input, options, facts, run);
}

}  // namespace cordon::engine
