// SPDX-License-Identifier: Apache-2.0
//
// Many Parquet files that are one table: a folder as Spark writes it, or a pattern such as 'part-*.parquet'. Folders named
// year=2024 on the way to a file (Hive partitions) are columns of its rows.
#pragma once

#include <string>
#include <vector>

#include "cordon/base/result.h"

namespace cordon::engine {

struct ParquetSet {
  std::vector<std::string> files;     // in the order of their names
  std::vector<std::string> names;     // relative to the folder
  std::vector<std::string> keys;      // partitions below the folder, from the outside to the inside
  std::vector<std::string> all_keys;  // those above it, too
};

// A folder, or a pattern that is not the name of a file.
bool IsParquetSet(const std::string& path);

// Files whose names start with _ or . are not data. An error if there are none, or if partitions differ.
Result<ParquetSet> FindParquetSet(const std::string& path);

}  // namespace cordon::engine
