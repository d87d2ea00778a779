// SPDX-License-Identifier: Apache-2.0
//
// Options that are spelled out as they would be anyway say nothing: they are left out of a policy that was read, so that its
// digest, and whatever else goes by the options, is the same. Defaults are those of the algorithms' own options.
#include "cordon/algorithms/sabre_w/sabre_w.h"
#include "cordon/policy/catalog.h"
#include "cordon/policy/policy_reader.h"

namespace cordon::engine::internal {
namespace {

bool IsStandard(const AlgorithmOption& option, const AlgorithmOption::Value& value, const Policy& policy) {
  const auto standard = option.standard_of != nullptr ? option.standard_of(policy) : option.standard;
  return standard == value;
}

}  // namespace

void LeaveOutDefaults(Policy& policy) {
  const Policy as_read = policy;  // one option's standard may depend on another's value
  for (auto& [table, options] : policy.algorithm.options) {
    for (const AlgorithmOption& option : FindOptions(table)->options) {
      const auto found = options.find(option.key);
      if (found != options.end() && IsStandard(option, found->second.value, as_read)) options.erase(found);
    }
  }
  std::erase_if(policy.algorithm.options, [](const auto& table) { return table.second.empty(); });
  // A window gives the delay.
  const std::int64_t window = WindowOf(policy);
  const bool by_window = window > 0 && (policy.algorithm.name == "auto" || policy.algorithm.name == "sabre-w");
  if (!policy.stream || !by_window) return;
  const std::int64_t step =
      policy.algorithm.Option<std::int64_t>("sabre-w", "step").value_or(SabreWOptions::DefaultStep(window));
  std::int64_t delay = 0;
  if (!__builtin_add_overflow(window - 1, step, &delay) && policy.stream->delay_tuples == delay) {
    policy.stream->delay_tuples.reset();
  }
}

}  // namespace cordon::engine::internal
