// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/check_policy.h"

#include "cordon/base/random.h"
#include "cordon/bind/bind_stream.h"
#include "cordon/models/verify/stream_verifier.h"
#include "cordon/plan/check_served.h"
#include "cordon/plan/feasible.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/stream_registry.h"
#include "cordon/plan/unused_keys.h"
#include "cordon/publish/stream/stream_request.h"

namespace cordon::engine {
namespace {

Result<CheckedPolicy> CheckStream(const Policy& policy) {
  CORDON_RETURN_IF_ERROR(internal::CheckStreamPolicy(policy));
  CORDON_RETURN_IF_ERROR(CheckDeclaredDomains(policy));
  CORDON_TRY(const StreamAlgorithmEntry* algorithm, ChooseStreamAlgorithm(policy.algorithm.name, policy));
  CORDON_TRY(const StreamLayout layout, BindStream(policy, StreamColumns(policy)));
  CORDON_TRY(const auto engine, algorithm->make(layout.Schema(), policy, Random::FromSeed(0)));
  CORDON_RETURN_IF_ERROR(StreamVerifier::Make(layout.Schema(), policy.models, algorithm->verifier(policy)));
  CheckedPolicy checked{algorithm->name, {}};
  for (StreamWarning& warning : UnusedKeys(policy, *algorithm)) {
    checked.warnings.push_back({std::move(warning.code), std::move(warning.columns), std::move(warning.fix)});
  }
  return checked;
}

}  // namespace

Result<CheckedPolicy> CheckPolicy(const Policy& policy) {
  const std::string& name = policy.algorithm.name;
  if (policy.stream && (name == "auto" || IsStreamAlgorithm(name))) return CheckStream(policy);
  CORDON_TRY(const Choice choice, ChooseServed({}, policy));
  CORDON_RETURN_IF_ERROR(CheckDeclaredDomains(policy));
  std::vector<const AlgorithmEntry*> may_run;
  for (const Candidate& candidate : name == "auto" ? Candidates(policy, 0) : std::vector<Candidate>()) {
    if (candidate.left_out.empty()) may_run.push_back(candidate.algorithm);  // at high effort
  }
  if (may_run.empty()) may_run.push_back(choice.algorithm);
  return CheckedPolicy{choice.algorithm->name, UnusedKeys(policy, {}, may_run)};
}

}  // namespace cordon::engine
