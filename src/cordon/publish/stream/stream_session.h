// SPDX-License-Identifier: Apache-2.0
//
// A stream in memory: rows are pushed, what leaves is given back. The caller keeps the state (Save) and what was published; for
// files with checkpoints there is RunStream.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/data/table.h"
#include "cordon/policy/policy.h"
#include "cordon/publish/stream/stream_parts.h"
#include "cordon/stream/stream_metrics.h"

namespace cordon::engine {

struct SessionOptions {
  std::string algorithm;  // empty: the policy's
  bool group_column = false;
  std::optional<std::uint64_t> seed;  // for tests; none: the operating system's randomness
};

struct SessionOutput {
  Table rows;
  std::vector<DeadLetter> refused;  // without their cells; `line` counts the rows pushed, from 1
};

class StreamSession {
 public:
  // The policy outlives the session. `columns`: of the rows to come.
  static Result<std::unique_ptr<StreamSession>> Start(const Policy& policy, std::vector<std::string> columns,
                                                      const SessionOptions& options);
  // A damaged state is an error, never a crash.
  static Result<std::unique_ptr<StreamSession>> Restore(const Policy& policy, std::string_view saved);

  // After an error of a step the session has ended: every later call gives the same error. A call that is refused before
  // anything was taken in (other columns, a clock that there is not) changes nothing.
  Result<SessionOutput> Push(const Table& rows);
  Result<SessionOutput> Advance(EventTime now);
  Result<SessionOutput> Flush();

  // Private: holds the cells of the tuples that wait.
  Result<std::string> Save() const;
  const StreamMetrics& metrics() const { return parts_.flow().metrics(); }
  std::uint64_t waiting() const { return parts_.flow().held().size(); }

 private:
  StreamSession(const Policy& policy, std::vector<std::string> columns, SessionOptions options, Random random)
      : policy_(policy), columns_(std::move(columns)), options_(std::move(options)), random_(std::move(random)) {}
  Result<void> Make(EventTime event_clock);
  Result<void> Usable() const;
  Result<void> CheckColumns(const Table& rows) const;
  Result<void> TakeTable(const Table& rows, SessionOutput& made);
  Result<SessionOutput> Ended(Result<void> step, SessionOutput made);  // what a step has published, or its error for good
  Result<Table> TakeRows();
  std::string OptionsText() const;

  const Policy& policy_;
  std::vector<std::string> columns_;
  SessionOptions options_;
  Random random_;
  StreamParts parts_;
  std::optional<TupleCoder> coder_;
  std::string rows_;  // published, not yet handed out
  bool finished_ = false;
  std::optional<Error> failed_;
};

}  // namespace cordon::engine
