// SPDX-License-Identifier: Apache-2.0
//
// How the values of a quasi attribute are distributed in the original, and how a reader of the release would take them to
// be, every published row spread evenly over the values its cell stands for. For pictures that the custodian looks at.
//
// Bins are drawn so that a picture singles nobody out even if it strays: numbers fall into round intervals, which tell no
// extreme value, and an interval or a category that stands for fewer than kFewestPeople people is joined with others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"

namespace cordon::engine {

inline constexpr std::uint64_t kFewestPeople = 10;

struct DistributionBin {
  std::string label;
  double original = 0;  // shares of the rows
  double released = 0;
  bool missing = false;  // of cells without a value: on no axis
};

struct Distribution {
  std::string name;
  bool ordered = false;  // numbers and dates
  std::vector<DistributionBin> bins;
};

// One for each quasi column, in their order. REQUIRES: the release is one of `original`.
Result<std::vector<Distribution>> MeasureDistributions(const Microdata& original, const Release& release, const Run& run);

}  // namespace cordon::engine
