// SPDX-License-Identifier: Apache-2.0
//
// Binding a part of a table as if all of it were there. Domains are those of the whole table, so losses are comparable and
// labels mean the same in every shard. Each sensitive attribute carries the histogram of the whole (Attribute::whole), against
// which searches and the verifier hold the groups of the shard. Hence the union of the groups of all shards satisfies the
// models: models are merge-closed, and all groups were compared with the same distribution.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/table.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// A quasi or sensitive column of the whole table: its values as the input writes them, and how many rows have each.
struct WholeColumn {
  std::string name;
  std::vector<std::optional<std::string>> values;  // nothing: the cell is absent
  std::vector<std::int64_t> rows;
};

// Rows that on_missing = "drop" leaves out are not counted.
struct WholeTable {
  std::vector<WholeColumn> columns;
};

// An error if the whole lacks a quasi or sensitive column, or has a value less often than the shard.
Result<Microdata> BindShard(const Policy& policy, const Table& shard, const WholeTable& whole, const Run& run);

}  // namespace cordon::engine
