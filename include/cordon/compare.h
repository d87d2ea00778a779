// SPDX-License-Identifier: Apache-2.0
//
// Releases of one table, any tool's, side by side under one evaluator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/export.h"
#include "cordon/policy.h"
#include "cordon/result.h"
#include "cordon/run.h"
#include "cordon/table.h"
#include "cordon/verdict.h"

namespace cordon {

struct NamedInput {
  std::string name;  // of a table; a file goes by its path
  Input input;
};

struct CompareOptions {
  std::uint64_t queries = 10000;   // random count queries to ask of each; 0: none
  std::uint64_t seed = 1;          // of the queries
  bool exempt_suppressed = false;  // rows with * in every quasi column are not judged
  RunOptions run = {};
};

struct ComparedRelease {
  std::string name;
  std::uint64_t rows = 0;
  std::uint64_t suppressed = 0;
  std::uint64_t groups = 0;
  double information_loss = 0;
  std::optional<double> median_query_error;
  std::optional<double> highest_risk;  // of a person, for an attacker who knows the quasi columns
  std::vector<Verdict> privacy;
};

struct Comparison {
  std::vector<ComparedRelease> releases;  // in the order of the call
  std::string json;                       // as `cordon compare --json` prints it
  std::string text;                       // a table, one column per release
};

CORDON_API Result<Comparison> Compare(const std::vector<NamedInput>& releases, const Input& original, const Policy& policy,
                                      const CompareOptions& options = {});

}  // namespace cordon
