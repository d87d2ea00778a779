// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string>

#include "cordon/io/duckdb/sql_limits_internal.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kMaxLimit = 1'000'000'000;  // seconds or MiB

// Of the machine, or of the container if that has less.
std::uint64_t MemoryMb() {
  const auto pages = ::sysconf(_SC_PHYS_PAGES);
  const auto size = ::sysconf(_SC_PAGE_SIZE);
  std::uint64_t bytes = pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
  std::uint64_t container = 0;
  if (std::ifstream file("/sys/fs/cgroup/memory.max"); file >> container)
    bytes = bytes == 0 ? container : std::min(bytes, container);
  return bytes >> 20;
}

Result<std::uint64_t> Limit(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  if (given == nullptr || *given == '\0') return otherwise;
  const std::string_view text = given;
  std::uint64_t number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code == std::errc() && end == text.data() + text.size() && number >= 1 && number <= kMaxLimit) return number;
  return Error::InvalidPolicy("{} must be a whole number from 1 to {}", name, kMaxLimit);
}

}  // namespace

Result<SqlLimits> SqlLimits::FromEnvironment() {
  SqlLimits limits;
  CORDON_TRY(limits.seconds, Limit("CORDON_SQL_SECONDS", limits.seconds));
  CORDON_TRY(limits.memory_mb, Limit("CORDON_SQL_MEMORY_MB", std::max<std::uint64_t>(MemoryMb() / 2, 256)));
  return limits;
}

QueryClock::QueryClock(std::shared_ptr<Database> database, const SqlLimits& limits)
    : database_(std::move(database)), limits_(limits), thread_([this](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        woken_.wait_for(lock, stop, std::chrono::seconds(limits_.seconds), [] { return false; });
        if (stop.stop_requested()) return;
        passed_ = true;
        // Again and again: an interrupt that comes between two steps of a query is forgotten by the next.
        while (!stop.stop_requested()) {
          database_->api().interrupt(database_->connection());
          woken_.wait_for(lock, stop, std::chrono::milliseconds(50), [] { return false; });
        }
      }) {}

QueryClock::~QueryClock() = default;

bool QueryClock::passed() const {
  const std::lock_guard lock(mutex_);
  return passed_;
}

Error QueryClock::Explain(Error error) const {
  if (!passed()) return error;
  return Error::Io("the query took longer than {} seconds", limits_.seconds)
      .WithHint("CORDON_SQL_SECONDS=N in the environment allows more");
}

Result<void> QueryClock::CheckMemory(std::uint64_t bytes) const {
  if (bytes >> 20 < limits_.memory_mb) return {};
  return Error::Io("the rows of the query need more than {} MiB of memory", limits_.memory_mb)
      .WithHint("CORDON_SQL_MEMORY_MB=N in the environment allows more; a WHERE or LIMIT makes them fewer");
}

}  // namespace cordon::engine
