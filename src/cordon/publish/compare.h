// SPDX-License-Identifier: Apache-2.0
//
// Two or more releases, any tool's, under one evaluator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/io/table_input.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/publish/release_files.h"
#include "cordon/report/utility.h"

namespace cordon::engine {

struct CompareRequest {
  std::vector<TableInput> releases;
  TableInput original;
  MeasureOptions measure;
  bool exempt_suppressed = false;   // rows with * in every quasi column are not judged
  std::optional<std::string> html;  // private: the answer as a page
};

struct ComparedRelease {
  std::string name;
  std::uint64_t rows = 0;
  Utility utility;
  std::optional<RiskReport> risk;
  std::vector<Verdict> verdicts;
};

// In the order of the request.
Result<std::vector<ComparedRelease>> Compare(const CompareRequest& request, const Policy& policy, const Run& run);

Json ToJson(const std::vector<ComparedRelease>& releases);
std::string Describe(const std::vector<ComparedRelease>& releases);  // a table, one column per release

}  // namespace cordon::engine
