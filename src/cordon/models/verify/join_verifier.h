// SPDX-License-Identifier: Apache-2.0
//
// Judges a release together with what was published before: by the definition over all tuples of rows if these are few
// enough, else by counting distinct rows. It reads texts alone and shares no code with the search.
//
// Of each requirement three things must hold: on the join; on the current release alone, if Y lies in it; and on the join
// without the pairs of rows that no pairing of all people contains (forced_links.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/linked.h"
#include "cordon/models/spec/join_spec.h"

namespace cordon::engine {

// A count (below = 1) or a share of the tuples.
struct JoinMeasure {
  UInt128 above = 0;
  UInt128 below = 1;

  std::string Text() const;  // "3", "2/3", in lowest terms
  double ToDouble() const { return static_cast<double>(above) / static_cast<double>(below); }
};

struct JoinVerdict {
  JoinSpec spec;
  std::string text;  // Describe(spec)
  bool closed = false;
  bool holds = false;
  std::optional<JoinMeasure> join;     // none: no tuple, nothing is said about anybody
  std::optional<JoinMeasure> alone;    // on the current release; none: Y is not of it
  std::optional<JoinMeasure> reduced;  // without forced links; none: nothing is ruled out
  std::uint64_t worst_row = 0;         // of the current release, from 1, in a worst tuple; 0: none
};

struct JoinVerification {
  enum class Audit { kNotNeeded, kDone, kNotApplicable };

  std::vector<JoinVerdict> verdicts;
  UInt128 tuples = 0;
  bool by_definition = false;  // over all tuples of rows, not by counting
  Audit audit = Audit::kNotNeeded;
  std::uint64_t excluded_pairs = 0;  // that the audit ruled out
  std::string why_not;               // kNotApplicable

  bool holds() const;
};

struct JoinOptions {
  // Up to this many tuples of rows are tried one by one.
  std::uint64_t most_tuples = 10'000'000;
  // Holds although there is no pairing of all rows: the releases are not of the same people, and the audit cannot be made.
  bool allow_unequal = false;
};

// REQUIRES: Validate(spec) for each; the columns of `impossible` are those of linked.impossible. An error if a column is not
// there, or the join is too large to be counted.
Result<JoinVerification> JudgeJoin(const LinkedTables& linked, std::span<const JoinSpec> specs,
                                   const std::vector<ImpossiblePairs>& impossible, const JoinOptions& options, const Run& run);

// "xy-anonymity(...): holds; reached 5 on the join, 6 in the current release alone".
std::string Explain(const JoinVerdict& verdict);
// One line on how it was judged and what the audit of forced links came to.
std::string Explain(const JoinVerification& verification);

}  // namespace cordon::engine
