// SPDX-License-Identifier: Apache-2.0
//
// What the HTML report is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/metrics/distributions.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

struct HtmlFacts {
  std::string title;                       // "patients.csv"
  const Report& report;                    // verdicts with per_group, if they are to be drawn
  std::vector<std::uint64_t> group_sizes;  // rows of each group
  std::vector<Distribution> distributions;
  std::string date = "";           // of the day the page was made; empty: not told
  Json codebook = nullptr;         // codebook.h; null: none
  const Policy* policy = nullptr;  // in words; null: not told
};

}  // namespace cordon::engine
