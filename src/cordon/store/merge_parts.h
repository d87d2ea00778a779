// SPDX-License-Identifier: Apache-2.0
//
// Parts of a store made one. Every sixteen parts of one level become one of the next, so that there are few files and each row
// is encoded again a few times at most, whatever the number of appends.
#pragma once

#include <span>

#include "cordon/store/parquet_tables.h"
#include "cordon/store/store_manifest.h"

namespace cordon::engine {

// How many of the last parts are to be made one now, and of which level that is. At least 1: then there is nothing to do.
struct MergePlan {
  std::size_t parts = 1;
  int level = 0;
};
MergePlan PlanMerge(std::span<const StorePart> parts);

// The rows of some files of a table in that order, at the columns' present types, as one file.
struct MergedTable {
  const char* table;
  std::vector<std::string> from;
  std::string to;
};
// `scale`: of the permuted column.
Result<void> MergeFiles(const MergedTable& merged, const std::vector<StoreColumn>& columns, int scale, const Run& run);

}  // namespace cordon::engine
