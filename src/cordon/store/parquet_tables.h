// SPDX-License-Identifier: Apache-2.0
//
// The Parquet files of a store: which type each column has, and its cells; and the private files of true values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/json.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/permute/permuted_release.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// What a column of table.parquet is.
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

// The three tables of a publication, into a directory.
Result<void> WriteKeFiles(const KePublication& publication, const std::vector<StoreColumn>& columns, int scale,
                          const Policy& policy, const std::string& directory, const Run& run);

// True values and candidates of published rows, into the private directory; the entry of the state that names them.
struct KeTruth {
  std::vector<std::int64_t> values;             // a row each, in the order of the table
  std::vector<std::int64_t> candidate;          // a row each: which set of `sets`
  std::vector<std::vector<std::int64_t>> sets;  // ascending: what is left possible for a row
};
KeTruth TruthOf(const KePublication& publication);
Result<Json> WriteTruth(const KeTruth& truth, int scale, const std::string& private_directory, const Run& run);
// A file of the private directory closed to others: its entry in the state. It is not durable yet.
Result<Json> SealPrivateFile(const std::string& directory, const std::string& name);

}  // namespace cordon::engine
