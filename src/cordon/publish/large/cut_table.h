// SPDX-License-Identifier: Apache-2.0
//
// A table that is cut into shards: boxes learned from a sample, counted exactly, so that each shard is admitted as a whole.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/base/random.h"
#include "cordon/data/view.h"
#include "cordon/io/spill/row_spill.h"
#include "cordon/plan/homogeneous.h"
#include "cordon/policy/policy.h"
#include "cordon/publish/large/large_table.h"
#include "cordon/publish/large/shard_plan.h"

namespace cordon::engine {

// What a run may take.
struct LargeMemory {
  std::uint64_t bytes = 0;                   // in all
  std::uint64_t taken = 0;                   // by the program and the texts of the table
  std::optional<std::uint64_t> rows_forced;  // for tests: these fit, whatever they take

  std::uint64_t left() const { return bytes > taken ? bytes - taken : 0; }
  // Rows that fit if they are searched and groups have at least so many rows; the first takes no notice of what is forced.
  std::uint64_t RowsInBytesLeft(std::size_t num_columns, std::int64_t least_group) const;
  std::uint64_t RowsThatFit(std::size_t num_columns, std::int64_t least_group) const;
};

// A table that was cut: the rows of each box, and the boxes of each shard.
struct CutTable {
  ShardPlan plan;
  RowSpill boxes;
  std::vector<std::vector<std::size_t>> shards;
  std::uint64_t shard_rows = 0;      // that fit in memory
  std::vector<std::uint64_t> bytes;  // that the search of each shard takes at most
  std::uint64_t bytes_per_row = 0;   // the same for a row of any shard

  std::uint64_t rows(std::size_t shard) const {
    std::uint64_t rows = 0;
    for (const std::size_t box : shards[shard]) rows += boxes.rows(box);
    return rows;
  }
};

struct CutOptions {
  const Policy& policy;
  std::vector<std::size_t> sensitive;  // columns that models look at
  LargeMemory memory;
  std::string folder;                                      // of temporary files
  std::function<Result<Groups>(const View& rows)> search;  // of some rows, which shows where groups end; may be quick
};

// Takes the rows of the table, which are in the boxes then. Columns know the whole table (Attribute::whole).
Result<CutTable> CutIntoShards(LargeTable& table, const CutOptions& options, const Random& random,
                               std::vector<Warning>& warnings, const Run& run);

// Each row with this chance.
Result<Microdata> SampleOf(const LargeTable& table, double share, Random random, const Run& run);

// For the private record: enough to see that a run that is repeated is cut alike.
Json ToJson(const CutTable& cut, const LargeTable& table);
std::string InWords(const CutTable& cut, const LargeTable& table);

}  // namespace cordon::engine
