// SPDX-License-Identifier: Apache-2.0
//
// What a query may be: one SELECT, over files that its text names as literals, in formats that are tables. DuckDB's own
// parser reads it, so that this guard and the engine cannot disagree about what a text means; DuckDB then opens nothing
// that is not on the list made here.
#pragma once

#include <string>
#include <vector>

#include "cordon/io/duckdb/duckdb_database_internal.h"

namespace cordon::engine {

struct GuardedQuery {
  std::string text;                   // without a semicolon at its end
  std::vector<std::string> files;     // that it names and that exist, patterns expanded, in the order of the text
  std::vector<std::string> patterns;  // as named: '*.parquet'
};

Result<GuardedQuery> GuardQuery(Database& database, const std::string& query);

}  // namespace cordon::engine
