// SPDX-License-Identifier: Apache-2.0
//
// cordon permute: reads a table, groups it by the one number column that is to be protected, shuffles that column inside the
// groups, judges the result and makes a store of it (docs/store.md). Nothing appears before the verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cordon/io/table_input.h"
#include "cordon/io/text/text_format.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon::engine {

struct PermuteRequest {
  TableInput input;
  std::string output;  // the store; empty: nothing is written
  std::optional<FileFormat> input_format;
  std::optional<std::string> sign;        // file of the private key that signs the manifest
  std::optional<std::uint64_t> seed;      // repeats a run, and lets anyone who knows it undo the shuffle
  std::optional<std::string> registry;    // of releases
  std::optional<std::string> person_key;  // of the digests by which the registry knows people
};

// What was published, and what it costs.
struct KeReport {
  std::uint64_t rows = 0;
  std::uint64_t groups = 0;
  std::uint64_t excluded = 0;  // without a value
  std::uint64_t pending = 0;   // taken in, not published yet
  std::string sum_error;       // at the scale of the column
  std::string max_error;
  std::string greatest_share;
  std::string least_quartile_range;
  std::vector<Verdict> privacy;  // none if nothing was published
  std::string mode;              // "first", "frozen", "compact"
  std::vector<std::string> warnings;
  double seconds = 0;
};
Json ToJson(const KeReport& report);
std::string Summary(const KeReport& report);

Result<KeReport> Permute(const PermuteRequest& request, const Policy& policy, const Run& run);

}  // namespace cordon::engine
