// SPDX-License-Identifier: Apache-2.0
//
// Hospital stays of made-up people: a small table that has one of everything a policy can speak of. Names to be
// dropped, people with several stays, numbers, postal codes, dates, jobs and diseases in hierarchies, missing
// cells. For docs, the demo and trying things out.
#pragma once

#include <cstdint>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/synthetic/generated.h"

namespace cordon::engine {

struct PatientsOptions {
  std::uint64_t rows = 2000;
  std::uint64_t seed = 1;
};

Result<Generated> GeneratePatients(const PatientsOptions& options, const Run& run);

}  // namespace cordon::engine
