// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a policy: it is refused with a message, or accepted and then means the same when read again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cordon/base/check.h"
#include "cordon/policy/policy.h"
#include "cordon/policy/read_policy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto policy = cordon::engine::ParsePolicyText(text, "policy.toml");
  if (!policy.ok()) {
    CORDON_CHECK(policy.error().kind() == cordon::engine::ErrorKind::kInvalidPolicy);
    CORDON_CHECK(policy.error().message().starts_with("policy.toml:"));
    return 0;
  }
  CORDON_CHECK(!policy.value().models.empty());
  CORDON_CHECK_EQ(policy.value().models.size(), policy.value().model_lines.size());
  CORDON_CHECK(cordon::engine::ParsePolicyText(text, "again.toml").value().digest == policy.value().digest);
  return 0;
}
