// SPDX-License-Identifier: Apache-2.0
//
// What a run by a policy would refuse before it reads a row, without data.
#pragma once

#include <string>
#include <vector>

#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

struct CheckedPolicy {
  std::string algorithm;          // that would run
  std::vector<Warning> warnings;  // what a run by it would not look at
};

Result<CheckedPolicy> CheckPolicy(const Policy& policy);

}  // namespace cordon::engine
