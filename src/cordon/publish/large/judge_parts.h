// SPDX-License-Identifier: Apache-2.0
//
// The verdict on a release that is larger than memory: its rows are read back from disk, part by part, and judged (see
// parts_verifier.h). Only rows of parts that hold come out, in random order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/unique_share.h"
#include "cordon/io/spill/shuffled_release.h"
#include "cordon/metrics/discernibility.h"
#include "cordon/models/verify/small_groups.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/plan/algorithm_entry.h"
#include "cordon/policy/policy.h"
#include "cordon/publish/large/unjudged.h"

namespace cordon::engine {

struct JudgeOptions {
  const Policy& policy;
  const AlgorithmEntry& algorithm;
  std::string folder;  // of temporary files
};

struct Judgement {
  ShuffledRelease rows;
  std::vector<Verdict> verdicts;
  std::vector<SmallGroups> small_groups;
  Discernibility discernibility;
  UniqueShare as_is;                                // by the columns that are published as they are
  UniqueShare sensitive;                            // by the sensitive columns that models guard, which are so too
  std::map<std::string, std::int64_t> homogeneous;  // groups with one value of a sensitive column that nobody guards
};

// Unsatisfiable if some part does not hold.
Result<Judgement> JudgeParts(const Unjudged& made, const JudgeOptions& options, const Random& random, const Run& run);

}  // namespace cordon::engine
