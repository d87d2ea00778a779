// SPDX-License-Identifier: Apache-2.0
//
// A census-like table of eight attributes, the stand-in for the CENSUS data of the SABRE and BUREL chapters:
// their cardinalities, hierarchy heights and salary histogram, with a dependence that can be dialled.
//
//   score of attribute j in a row   s_j = sqrt(rho) * Z + sqrt(1 - rho) * E_j     Z, E_1..E_8 independent normal
//   age .. birth_place              the value whose cumulative share holds Phi(s_j)
//   salary                          by rank of s_8 among all rows, so that the histogram is exact
//
// So any two scores have correlation rho. docs/generate.md states everything down to the bit.
#pragma once

#include <cstdint>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/synthetic/generated.h"

namespace cordon::engine {

struct CensusOptions {
  std::uint64_t rows = 100'000;
  std::uint64_t seed = 1;
  double rho = 0;

  Result<void> Validate() const;
};

Result<Generated> GenerateCensus(const CensusOptions& options, const Run& run);

// How many of `rows` rows have each salary class: H50 by largest remainder, ties to the lower class.
std::vector<std::uint64_t> CensusSalaryCounts(std::uint64_t rows);

}  // namespace cordon::engine
