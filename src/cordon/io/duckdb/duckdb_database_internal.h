// SPDX-License-Identifier: Apache-2.0
//
// A database in memory and a connection to it, closed with the object. No extension is loaded or installed, nothing is spilled
// to disk, and DuckDB's messages stay here unless they can only be about the query's own text.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/duckdb/duckdb_api_internal.h"

namespace cordon::engine {

class Database {
 public:
  static Result<std::shared_ptr<Database>> Open();
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const DuckDbApi& api() const { return api_; }
  duckdb_connection connection() const { return connection_; }

  // A statement of our own, whose result is not needed.
  Result<void> Execute(const std::string& statement);
  // From here on only these files can be opened, and no setting but the number of threads be changed.
  Result<void> Confine(std::span<const std::string> files);
  Result<void> SetThreads(int threads);
  // No setting can be changed any more.
  Result<void> Lock() { return Execute("SET lock_configuration = true"); }

 private:
  explicit Database(const DuckDbApi& api) : api_(api) {}

  const DuckDbApi& api_;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

// The part of DuckDB's message that is about the query alone; if it may quote data, only the kind of the error.
Error QueryError(std::string_view message);

}  // namespace cordon::engine
