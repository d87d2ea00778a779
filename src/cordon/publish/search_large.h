// SPDX-License-Identifier: Apache-2.0
//
// The groups of a table that is larger than memory, published but not judged (docs/scale.md). Two ways:
//
//   shards         each shard is searched by itself. Its costliest groups wait on disk until the other side of its cut has been
//                  searched too. Then the waiting groups of both sides are refined together, and the costliest of these wait
//                  for the next cut. So groups can cross every cut, and no step holds more rows than a shard has. Steps run
//                  side by side if they fit, up to one per thread; how many do does not change the result.
//   combinations   an algorithm that counts weights sees the distinct combinations of the table. Every row is then published
//                  as its combination is. There is one search over the whole table, so the release is that of the search in
//                  memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/plan/algorithm_entry.h"
#include "cordon/policy/policy.h"
#include "cordon/publish/large/combinations.h"
#include "cordon/publish/large/cut_table.h"
#include "cordon/publish/large/large_table.h"
#include "cordon/publish/large/unjudged.h"
#include "cordon/report/report.h"

namespace cordon::engine {

struct SearchLargeOptions {
  const Policy& policy;
  const AlgorithmEntry& algorithm;
  Effort effort = Effort::kNormal;
  std::string folder;           // of temporary files
  std::uint64_t part_rows = 0;  // that fit in memory
  std::uint64_t bytes = 0;      // of memory, for all shards that are searched at once, or rows that are judged together
};

Result<Unjudged> SearchShards(const LargeTable& table, const CutTable& cut, const SearchLargeOptions& options,
                              const Random& random, const Run& run);

// The columns that an algorithm which counts weights looks at.
std::vector<std::size_t> ColumnsThatDecide(const LargeTable& table, const Policy& policy, const AlgorithmEntry& algorithm);

// What is told of a search, next to its groups.
struct CombinationsNotes {
  AlgorithmNotes algorithm;
  std::vector<Warning> warnings;
};

// REQUIRES: algorithm.counts_weights; the combinations are of ColumnsThatDecide.
Result<Unjudged> SearchCombinations(const LargeTable& table, const Combinations& combinations,
                                    const SearchLargeOptions& options, const Random& random, CombinationsNotes& notes,
                                    const Run& run);

}  // namespace cordon::engine
