// SPDX-License-Identifier: Apache-2.0
//
// Audits what a stream has written, after the fact and without the program that wrote it: the rows of the output are held
// against the models by the verifier of tables, with the people that the audit log tells; the log itself must account for
// every row and every tuple, once, and within the delay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/table.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

struct StreamAudit {
  std::uint64_t rows = 0;
  std::uint64_t departures = 0;
  std::uint64_t groups = 0;
  std::uint64_t suppressed = 0;
  std::optional<std::uint64_t> people;   // behind the rows; not known if the log accounts for other rows
  std::int64_t longest_delay = 0;        // in tuples
  bool ended = false;                    // the log has its end
  std::string chain;                     // of the last line; empty: the log has none, and changed cells cannot be seen
  std::vector<Verdict> whole;            // of all rows together
  std::vector<Verdict> by_departure;     // of each new group alone, at the moment it was published
  std::vector<ModelSpec> window_models;  // checked against the window that each group claims; what fails is among the findings
  std::uint64_t windows_judged = 0;      // groups
  std::uint64_t windows_unknown = 0;     // groups of which it cannot be told: their windows held tuples that were not published
  std::vector<std::string> findings;     // what else is wrong; none: nothing
  struct SignedPart {
    std::string signer;
    std::uint64_t rows = 0;
    std::uint64_t bytes = 0;
    std::uint64_t bytes_after = 0;  // not signed, and not judged
  };
  std::optional<SignedPart> signed_part;  // with keys

  std::vector<std::string> warnings;  // what holds and does not protect as one may think

  bool fails() const;  // something is wrong
  // Everything that was promised was looked at, and is as promised. Neither fails() nor holds(): there is no telling.
  bool holds() const { return !fails() && windows_unknown == 0; }
};

// `out`: the output as it was read. An error if the two cannot be compared with each other at all.
Result<StreamAudit> VerifyStream(const Policy& policy, const Table& out, std::string_view audit_log, const Run& run);

}  // namespace cordon::engine
