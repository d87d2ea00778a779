// SPDX-License-Identifier: Apache-2.0
//
// What a release costs against what is asked of it: the policy again and again with other parameters. Every point is a release
// that was made and verified, and then thrown away.
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

// Every combination of the values given: "5", "0.2", "2/3". A parameter without values stays the policy's.
struct SweepOptions {
  std::vector<std::string> k = {};
  std::vector<std::string> l = {};
  std::vector<std::string> t = {};
  std::vector<std::string> beta = {};
  std::vector<std::string> algorithms = {};  // empty: the policy's
  std::uint64_t queries = 0;                 // random count queries to ask of each; 0: none
  std::uint64_t seed = 1;                    // nothing is published: a repeatable sweep gives nobody away
  RunOptions run = {};
};

struct SweepPoint {
  std::string algorithm;
  std::vector<std::pair<std::string, std::string>> parameters;  // {"k", "5"}, {"t", "0.2"}
  bool satisfiable = false;
  std::string why_not;
  std::uint64_t rows = 0;  // these and below: of a point that is satisfiable
  std::uint64_t suppressed = 0;
  std::uint64_t groups = 0;
  double information_loss = 0;
  std::optional<double> median_query_error;
};

struct Swept {
  std::vector<SweepPoint> points;  // algorithm, then k, l, t, beta, the last running fastest
  std::string json;                // as `cordon sweep --json` prints it
  std::string text;                // for a person
  std::string svg;                 // loss against the parameter with the most values
};

CORDON_API Result<Swept> Sweep(const Input& input, const Policy& policy, const SweepOptions& options);

}  // namespace cordon
