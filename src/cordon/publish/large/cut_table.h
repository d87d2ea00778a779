// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cordon/io/spill/row_spill.h"
#include "cordon/publish/large/shard_plan.h"

namespace cordon::engine {

// A table that was cut: the rows of each box, and the boxes of each shard.
struct CutTable {
  ShardPlan plan;
  RowSpill boxes;
  std::vector<std::vector<std::size_t>> shards;

  std::uint64_t rows(std::size_t shard) const {
    std::uint64_t rows = 0;
    for (const std::size_t box : shards[shard]) rows += boxes.rows(box);
    return rows;
  }
};

}  // namespace cordon::engine
