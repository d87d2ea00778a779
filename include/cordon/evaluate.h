// SPDX-License-Identifier: Apache-2.0
//
// What did a release cost, and what is it worth? Any tool's release, compared with the original.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/export.h"
#include "cordon/policy.h"
#include "cordon/result.h"
#include "cordon/run.h"
#include "cordon/table.h"

namespace cordon {

struct EvaluateOptions {
  std::optional<std::uint64_t> queries = {};  // random count queries to ask of both; their error is reported
  std::uint64_t seed = 1;                     // of the queries
  bool risk = false;                          // measures the risks that are left
  RunOptions run = {};
};

struct Evaluation {
  std::uint64_t rows = 0;
  std::uint64_t input_rows = 0;
  std::uint64_t groups = 0;
  double information_loss = 0;
  std::vector<std::pair<std::string, double>> loss_by_column;
  std::optional<double> median_query_error;
  std::string json;  // as `cordon evaluate --json` prints it
  std::string text;  // for a person
};

CORDON_API Result<Evaluation> Evaluate(const Input& release, const Input& original, const Policy& policy,
                                       const EvaluateOptions& options = {});

}  // namespace cordon
