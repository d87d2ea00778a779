// SPDX-License-Identifier: Apache-2.0
//
// The groups of a table that was cut into shards, published but not judged. Each shard is searched by itself. Its costliest
// groups wait on disk until the other side of its cut has been searched too. Then the waiting groups of both sides are refined
// together, and the costliest of these wait for the next cut. So groups can cross every cut, and no step holds more rows than
// a shard has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/release.h"
#include "cordon/io/spill/row_spill.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/plan/algorithm_entry.h"
#include "cordon/policy/policy.h"
#include "cordon/publish/large/cut_table.h"
#include "cordon/publish/large/large_table.h"

namespace cordon::engine {

// What the shards come to, before it is judged. Rows that look alike are in one part.
struct Unjudged {
  RowSpill parts;
  std::vector<ReleaseColumn> columns;  // without rows
  std::uint64_t rows = 0;
  std::uint64_t suppressed = 0;
  InformationLoss loss;  // summed over the rows that were searched
};

struct SearchShardsOptions {
  const Policy& policy;
  const AlgorithmEntry& algorithm;
  Effort effort = Effort::kNormal;
  std::string folder;            // of temporary files
  std::uint64_t shard_rows = 0;  // that fit in memory
};

Result<Unjudged> SearchShards(const LargeTable& table, const CutTable& cut, const SearchShardsOptions& options,
                              const Random& random, const Run& run);

}  // namespace cordon::engine
