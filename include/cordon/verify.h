// SPDX-License-Identifier: Apache-2.0
//
// Does a release hold? It may be any tool's: the published cells decide, and the original too if it is given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/export.h"
#include "cordon/policy.h"
#include "cordon/result.h"
#include "cordon/run.h"
#include "cordon/table.h"
#include "cordon/verdict.h"

namespace cordon {

struct VerifyOptions {
  std::optional<Input> original = {};  // then it is also judged whether the release is true of it
  bool input_order = false;            // the rows of the release are in the order of the original
  bool exempt_suppressed = false;      // rows with * in every quasi column are not judged
  std::vector<std::string> keys = {};  // files of public keys, one of which must have signed the manifest; none: not asked
  std::vector<Input> previous = {};    // releases before it, for models on their join
  bool allow_unequal = false;          // these need not list the same people
  RunOptions run = {};
};

struct Verification {
  bool holds = false;  // all that was judged
  std::uint64_t rows = 0;
  bool counts_people = false;  // k counted people, not rows
  std::vector<Verdict> privacy;
  std::optional<bool> true_of_original;  // with an original
  std::vector<std::string> notes;        // what no release can show
  std::string json;                      // as `cordon verify --json` prints it
  std::string text;                      // for a person
};

// `release`: a table, a file or a store.
CORDON_API Result<Verification> Verify(const Input& release, const Policy& policy, const VerifyOptions& options = {});

// The same question as one SQL statement over a table of that name, as `cordon verify --sql` prints it (docs/sql.md).
// `dialect`: "duckdb", "postgres", "spark". The table has the columns that the policy publishes, ranges in one column.
CORDON_API Result<std::string> VerifySql(const Policy& policy, const std::string& dialect,
                                         const std::string& table = "release");

}  // namespace cordon
