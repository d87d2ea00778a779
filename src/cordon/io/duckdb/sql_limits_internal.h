// SPDX-License-Identifier: Apache-2.0
//
// How long a query of a user may run and how much memory it may take: a query without end is told, not waited for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

#include "cordon/io/duckdb/duckdb_database_internal.h"

namespace cordon::engine {

struct SqlLimits {
  std::uint64_t seconds = 3600;
  std::uint64_t memory_mb = 0;  // for DuckDB, and once more for the rows that are taken in

  // CORDON_SQL_SECONDS and CORDON_SQL_MEMORY_MB; by default an hour, and half of the memory of the machine or the container.
  static Result<SqlLimits> FromEnvironment();
};

// Interrupts a database once the time of its query is used up. DuckDB stops at the next moment at which it can.
class QueryClock {
 public:
  QueryClock(std::shared_ptr<Database> database, const SqlLimits& limits);
  ~QueryClock();

  bool passed() const;
  const SqlLimits& limits() const { return limits_; }
  // The error itself, or what the limits have to say to it.
  Error Explain(Error error) const;
  // Of rows that take so much.
  Result<void> CheckMemory(std::uint64_t bytes) const;

 private:
  std::shared_ptr<Database> database_;
  SqlLimits limits_;
  mutable std::mutex mutex_;
  std::condition_variable_any woken_;
  bool passed_ = false;
  std::jthread thread_;
};

}  // namespace cordon::engine
