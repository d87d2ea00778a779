// SPDX-License-Identifier: Apache-2.0
#include "cordon/policy.h"

#include "cordon/policy/read_policy.h"

namespace cordon {

Policy::Policy(std::shared_ptr<const engine::Policy> policy) : policy_(std::move(policy)) {}

Result<Policy> Policy::FromFile(const std::string& path) {
  CORDON_TRY(engine::Policy policy, engine::ReadPolicy(path));
  return Policy(std::make_shared<const engine::Policy>(std::move(policy)));
}

Result<Policy> Policy::FromToml(std::string_view text, const std::string& directory) {
  CORDON_TRY(engine::Policy policy, engine::ParsePolicy(text, directory, "the policy"));
  return Policy(std::make_shared<const engine::Policy>(std::move(policy)));
}

const std::string& Policy::digest() const { return policy_->digest; }

}  // namespace cordon
