// SPDX-License-Identifier: Apache-2.0
//
// A third verifier: the question whether a release holds, as one SQL statement over its published columns. It returns a row
// for each model of the policy: number, model, holds, failing_groups. `holds` is NULL for a model that SQL does not decide.
// Whole numbers decide, as everywhere: counts are multiplied out, nothing is divided (docs/sql.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

enum class SqlDialect { kDuckDb, kPostgres, kSpark };
Result<SqlDialect> ParseDialect(const std::string& name);

struct VerifySqlRequest {
  SqlDialect dialect = SqlDialect::kDuckDb;
  std::string table = "release";     // that holds the release; its cells as texts or typed
  std::string release;               // a file with the columns; empty: those that the policy publishes
  std::optional<FileFormat> format;  // of the file, if its name does not tell
};
Result<std::string> VerifySql(const VerifySqlRequest& request, const Policy& policy);

}  // namespace cordon::engine
