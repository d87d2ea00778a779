// SPDX-License-Identifier: Apache-2.0
//
// The Parquet files of a store: which type each column has, and its cells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/permute/permuted_release.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// What a published column is.
struct StoreColumn {
  std::string name;
  std::string role;
  ParquetColumn::Type type = ParquetColumn::Type::kText;
  int scale = 0;
};
Json ToJson(const StoreColumn& column);
Result<StoreColumn> StoreColumnFromJson(const Json& json);
std::string SqlType(const StoreColumn& column);  // "BIGINT", "DECIMAL(18,2)", ...

// By domain, else by the policy's type; digits after the point as the cells need them.
Result<std::vector<StoreColumn>> ColumnsOfRelease(const Release& release, const Policy& policy);
// Columns that hold both: numbers with the more digits. REQUIRES: the same names and roles.
Result<std::vector<StoreColumn>> Widest(std::vector<StoreColumn> a, const std::vector<StoreColumn>& b);

// The three files of a publication as a part of that number (PartFile), into a stage.
Result<void> WritePart(const KePublication& publication, const std::vector<StoreColumn>& columns, int scale,
                       const Policy& policy, const std::string& stage, std::uint64_t number, const Run& run);

}  // namespace cordon::engine
