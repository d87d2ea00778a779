// SPDX-License-Identifier: Apache-2.0
//
// A release that may be published, by one algorithm or by the boxes of an earlier batch: made, found true, within the
// suppression limit, and judged. Nothing else of a run sees rows that were not verified.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/run.h"
#include "cordon/data/recode.h"
#include "cordon/data/recoding.h"
#include "cordon/data/release.h"
#include "cordon/models/verify/join_verifier.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/plan/registry.h"

namespace cordon::engine {

struct MakeOptions {
  Effort effort = Effort::kNormal;
  bool compared = false;  // with releases of other algorithms: none needs to be the best of its kind at any price
  RecodeOptions recode;
  bool keep_per_group = false;                 // what every group reaches, for charts
  const PreviousReleases* previous = nullptr;  // of release-next
};

// What one algorithm came to.
struct MadeRelease {
  VerifiedRelease verified;
  std::vector<Verdict> verdicts;
  AlgorithmNotes notes;
  double search_seconds = 0;
  double verify_seconds = 0;
  std::optional<JoinVerification> join;  // with previous releases
};

// `random` is not changed: whatever is made of the same state is the same. Unsatisfiable if the policy is not reached;
// the hint then says what these rows allow.
Result<MadeRelease> MakeByAlgorithm(const AlgorithmEntry& algorithm, const Microdata& data, const Policy& policy,
                                    const MakeOptions& options, const Random& random, const Run& run);

// Rows that no box covers, and groups that the models refuse, are suppressed.
// `path`: where the recoding came from, for messages.
Result<MadeRelease> MakeByRecoding(const Recoding& recoding, const std::string& path, const Microdata& data,
                                   const Policy& policy, const MakeOptions& options, const Random& random, const Run& run);

// Groups of one shard of a table that is larger than memory, or of any of its rows. REQUIRES: algorithm.serves_shards; the
// columns know the whole table (Attribute::whole); a policy whose models compare with the whole suppresses no rows.
Result<Groups> SearchShard(const AlgorithmEntry& algorithm, const View& shard, const Policy& policy, Effort effort,
                           const Random& random, const Run& run);
// The same out of groups that the models admit: they lose no more than these. REQUIRES: algorithm.refine.
Result<Groups> RefineShard(const AlgorithmEntry& algorithm, const Microdata& shard, const Groups& groups, const Policy& policy,
                           Effort effort, const Run& run);
// Groups of the distinct combinations of such a table, each with its weight. REQUIRES: the data has weights.
Result<Groups> SearchWeighted(const AlgorithmEntry& algorithm, const Microdata& combinations, const Policy& policy,
                              Effort effort, const Random& random, AlgorithmNotes& notes, const Run& run);
// Groups as published: a claim that nobody has judged. Every cell was found true.
Result<Release> PublishShard(const View& rows, const Groups& groups, const RecodeOptions& options, const Random& random,
                             const Run& run);

// The sensitive columns that some model looks at: no other is counted.
std::vector<std::size_t> NamedColumns(const Microdata& data, const Policy& policy);

}  // namespace cordon::engine
