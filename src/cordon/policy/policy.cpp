// SPDX-License-Identifier: Apache-2.0
#include "cordon/policy/policy.h"

namespace cordon::engine {

const char* TypeName(Domain::Kind type) {
  switch (type) {
    case Domain::Kind::kNumeric: return "numeric";
    case Domain::Kind::kDate: return "date";
    case Domain::Kind::kCategorical: return "categorical";
  }
  return "";
}

const char* ObjectiveName(Objective objective) {
  static constexpr const char* kNames[] = {"information-loss", "discernibility", "query-error"};
  return kNames[static_cast<int>(objective)];
}

}  // namespace cordon::engine
