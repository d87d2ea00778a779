// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/check_policy.h"

#include <fmt/ranges.h>

#include "cordon/base/random.h"
#include "cordon/bind/bind_stream.h"
#include "cordon/models/verify/stream_verifier.h"
#include "cordon/plan/check_supported.h"
#include "cordon/plan/homogeneous.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/stream_registry.h"
#include "cordon/plan/suggest_parameters.h"
#include "cordon/plan/unused_settings.h"
#include "cordon/publish/stream/stream_request.h"

namespace cordon::engine {
namespace {

// Numbers and dates with a hierarchy file and nothing that says where intervals end.
void AddFreeCuts(const Policy& policy, CheckedPolicy& checked) {
  std::vector<std::string> columns;
  for (const AttributePolicy& attribute : policy.attributes) {
    const bool file = attribute.hierarchy.kind == HierarchySource::Kind::kFile && attribute.type != Domain::Kind::kCategorical;
    if (file && attribute.role == Role::kQuasi && !attribute.grid && !attribute.values) columns.push_back(attribute.name);
  }
  if (columns.empty() || checked.algorithm == "full-domain") return;
  const std::string text = fmt::format(
      "only full-domain goes by the hierarchy file of {}; other cuts of numbers and dates are free, so intervals end at values "
      "of "
      "people: set grid, or intervals or dates as the hierarchy, or type = \"categorical\"",
      fmt::join(columns, ", "));
  checked.warnings.push_back({"cuts-are-free", std::move(columns), text});
}

Result<CheckedPolicy> CheckStream(const Policy& policy) {
  CORDON_RETURN_IF_ERROR(internal::CheckStreamPolicy(policy));
  CORDON_RETURN_IF_ERROR(CheckDeclaredDomains(policy));
  CORDON_TRY(const StreamAlgorithmEntry* algorithm, ChooseStreamAlgorithm(policy.algorithm.name, policy));
  CORDON_TRY(const StreamLayout layout, BindStream(policy, StreamColumns(policy)));
  CORDON_TRY(const auto engine, algorithm->make(layout.Schema(), policy, Random::FromSeed(0)));
  CORDON_RETURN_IF_ERROR(StreamVerifier::Make(layout.Schema(), policy.models, algorithm->verifier(policy)));
  CheckedPolicy checked{algorithm->name, {}};
  for (StreamWarning& warning : UnusedSettings(policy, *algorithm)) {
    checked.warnings.push_back({std::move(warning.code), std::move(warning.columns), std::move(warning.fix)});
  }
  AddFreeCuts(policy, checked);
  return checked;
}

}  // namespace

Result<CheckedPolicy> CheckPolicy(const Policy& policy) {
  const std::string& name = policy.algorithm.name;
  if (policy.stream && (name == "auto" || IsStreamAlgorithm(name))) return CheckStream(policy);
  CORDON_TRY(const Choice choice, ChooseSupported({}, policy));
  CORDON_RETURN_IF_ERROR(CheckDeclaredDomains(policy));
  std::vector<const AlgorithmEntry*> may_run;
  for (const Candidate& candidate : name == "auto" ? Candidates(policy, 0) : std::vector<Candidate>()) {
    if (candidate.left_out.empty()) may_run.push_back(candidate.algorithm);  // at high effort
  }
  if (may_run.empty()) may_run.push_back(choice.algorithm);
  CheckedPolicy checked{choice.algorithm->name, UnusedSettings(policy, {}, may_run)};
  AddFreeCuts(policy, checked);
  for (Warning& warning : HomogeneousAllowed(policy)) checked.warnings.push_back(std::move(warning));
  return checked;
}

}  // namespace cordon::engine
