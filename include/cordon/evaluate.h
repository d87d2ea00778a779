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
  bool bound = false;                         // what must any release lose? May take minutes (docs/bound.md)
  RunOptions run = {};
};

// No release with the same guarantees loses less. The best one lies between this and the release.
struct LossBound {
  double information_loss = 0;
  std::optional<double> ratio;  // the release loses at most this many times as much; none: the bound is 0
  double confidence = 1;        // below 1 if rows of a large table were sampled
  bool cut_short = false;       // with more time it might be higher
};

struct Evaluation {
  std::uint64_t rows = 0;
  std::uint64_t input_rows = 0;
  std::uint64_t groups = 0;
  double information_loss = 0;
  std::vector<std::pair<std::string, double>> loss_by_column;
  std::optional<double> median_query_error;
  std::optional<LossBound> bound;
  std::string json;  // as `cordon evaluate --json` prints it
  std::string text;  // for a person
};

CORDON_API Result<Evaluation> Evaluate(const Input& release, const Input& original, const Policy& policy,
                                       const EvaluateOptions& options = {});

}  // namespace cordon
