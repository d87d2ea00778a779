// SPDX-License-Identifier: Apache-2.0
//
// A stream of rows: each is published within the delay that the policy's [stream] allows, in a group that satisfies its models.
// Nothing leaves before the verifier has judged it. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/export.h"
#include "cordon/policy.h"
#include "cordon/result.h"
#include "cordon/table.h"

namespace cordon {

struct StreamOptions {
  std::string algorithm = {};              // empty: the policy's
  bool group_column = false;               // adds a column with an opaque name of each row's group
  std::optional<std::uint64_t> seed = {};  // for tests; none: randomness of the operating system
};

// A row that was not taken in: a value outside its declared domain, an event time that is too late.
struct RefusedRow {
  std::uint64_t row = 0;  // of all that were pushed, from 1
  std::string reason;     // holds no cell
};

struct StreamOutput {
  Table rows;  // published now; the same columns every time
  std::vector<RefusedRow> refused;
};

struct StreamFigures {
  std::uint64_t pushed = 0;
  std::uint64_t published = 0;
  std::uint64_t suppressed = 0;
  std::uint64_t refused = 0;
  std::uint64_t waiting = 0;
  double information_loss = 0;  // of what was published, per tuple
};

class CORDON_API StreamAnonymizer {
 public:
  // `columns`: those of the rows to come, in their order.
  static Result<StreamAnonymizer> Start(const Policy& policy, std::vector<std::string> columns,
                                        const StreamOptions& options = {});
  // Goes on where Save was called. What was pushed since then must be pushed again, and gives the same rows again: the same
  // tuples never appear in two groups.
  static Result<StreamAnonymizer> Restore(const Policy& policy, std::string_view saved);

  StreamAnonymizer(StreamAnonymizer&&) noexcept;
  StreamAnonymizer& operator=(StreamAnonymizer&&) noexcept;
  ~StreamAnonymizer();

  // A call that is refused before a row was taken in changes nothing: rows of other columns, a clock that cannot be moved. An
  // error after that (too many refused rows, a departure that the verifier refuses) ends the stream: every later call gives the
  // same error, and so does Save.
  Result<StreamOutput> Push(const Table& rows);
  // Moves the clock of a stream whose delay is one of event time, in milliseconds since 1970, for times without rows. Rows
  // that come later with an earlier time are refused as late, by more than `lateness` of [stream]. An earlier time than the
  // clock's does nothing.
  Result<StreamOutput> Advance(std::int64_t milliseconds);
  // The end: everything leaves. Nothing can be pushed afterwards.
  Result<StreamOutput> Flush();

  // Private: holds the cells of the rows that wait.
  Result<std::string> Save() const;
  StreamFigures figures() const;

 private:
  struct Parts;
  explicit StreamAnonymizer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace cordon
