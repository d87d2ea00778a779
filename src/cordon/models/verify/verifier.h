// SPDX-License-Identifier: Apache-2.0
//
// Judges published rows against the models, and alone turns a Release into a VerifiedRelease.
//
// It goes by the texts that will be written: rows are grouped by equal texts in the model's columns. It shares
// no code with the algorithms nor with GroupModel, and evaluates each definition by a second formula. Counting
// is done by Tally (tally.h), whose partial results over disjoint rows can be merged.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/models/spec/join_spec.h"
#include "cordon/models/spec/model_spec.h"

namespace cordon::engine {

// Which distribution t, beta and delta are compared with: that of all published rows, or of the whole table if these are a
// shard of it (Attribute::whole). Exempting suppressed rows frees them
// of the judgement and leaves the distribution as it is: their sensitive values are published, so an attacker counts them.
//
// What `reached` is, model by model: k, the least number of people in a group; distinct l, the least number of values;
// entropy l, exp of the least entropy; recursive l, the greatest r1 / (r_l + ... + r_m), which c has to exceed (infinite
// if a group has fewer than l values); t, the greatest distance; beta, the greatest gain (q - p) / p, for both kinds;
// delta, the greatest |ln(q / p)| (infinite if a group lacks a value); alpha-k and confidence, the greatest share of a
// guarded value; (k,e), the least number of values, with the least range and the greatest share of a value next to it.

// The worst group: where it starts in the release (rows from 1, the header not counted) and how large it is. A group that
// fails comes before any that does not, then the worse value, then the earlier row.
struct Witness {
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
};

struct Verdict {
  ModelSpec spec;
  std::string text;  // Describe(spec)
  bool holds = false;
  double reached = 0;              // k, l, t, beta, ... that the release has: the value of its worst group
  std::string reached_text;        // exact if it is a fraction: "3", "11/60"; else a short decimal, or "infinite"
  std::string reached_shown;       // the same for people: a decimal, rounded to the side on which it looks worse
  std::optional<Witness> witness;  // none for a release without rows
  std::uint64_t failing_groups = 0;
  std::uint64_t failing_rows = 0;               // in them
  std::optional<std::uint64_t> failing_people;  // whose rows these are; only if the model counts people and knows them
  std::vector<double> per_group;                // value of each group, in order of first row: what a report draws
  bool less_is_worse = false;                   // of two values reached
  std::vector<std::string> warnings;            // e.g. a person with several rows in a group, if rows are counted
};

struct JoinVerification;

// The sensitive columns over all rows of a release that is judged part by part: the distribution that the groups of each part
// are compared with.
struct WholeCounts {
  std::map<std::string, std::vector<std::int64_t>> values;  // by column: how often each value of its domain occurs
  std::int64_t rows = 0;
};

struct VerifyOptions {
  bool exempt_suppressed = false;      // leave rows with "*" in every quasi column out of the judgement
  bool keep_per_group = false;         // fill Verdict::per_group
  const WholeCounts* whole = nullptr;  // the release is a part of this; null: it is all there is
};

// ", asked for at most 0.3": what goes behind a decimal that was reached. Empty for models that count whole numbers.
std::string AskedFor(const Verdict& verdict);
// "k-anonymity(k=5): does not hold; reached 3 in the group of row 812; 2 groups with 7 rows of 6 people fail".
std::string Explain(const Verdict& verdict);

class Verifier {
 public:
  // REQUIRES: Validate(spec) for each.
  explicit Verifier(std::vector<ModelSpec> specs, VerifyOptions options = {}, std::vector<JoinSpec> join_specs = {});

  // One verdict per model. An error if a model cannot be judged at all: a column that is not there, a sensitive
  // cell that is not a value of its domain.
  Result<std::vector<Verdict>> Judge(const Release& release, const Run& run) const;

  // Adds the sensitive columns of a part that some model looks at. REQUIRES: all parts share dictionaries and domains.
  Result<void> Count(const Release& part, WholeCounts& whole) const;

  // Judges, and lets the release pass if every verdict holds; else Unsatisfiable, naming model, value reached
  // and worst group. The verdicts are given either way. `join`: what JudgeJoin said of this release; where models on the join
  // are asked for, it must have judged all of them, and hold.
  Result<VerifiedRelease> Accept(Release release, const Run& run, std::vector<Verdict>* verdicts,
                                 const JoinVerification* join = nullptr) const;

 private:
  std::vector<ModelSpec> specs_;
  VerifyOptions options_;
  std::vector<JoinSpec> join_specs_;
};

}  // namespace cordon::engine
