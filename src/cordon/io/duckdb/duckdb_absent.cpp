// SPDX-License-Identifier: Apache-2.0
//
// Stands in for everything of duckdb.h in a build without DuckDB.
#include "cordon/io/duckdb/duckdb.h"

namespace cordon::engine {
namespace {

Error Absent() {
  return Error::Io("this cordon was built without DuckDB, which Parquet files and sql: inputs need")
      .WithHint("run `scripts/bootstrap.sh duckdb`, then build again");
}

}  // namespace

void NameDuckDb(const std::string&, const std::string&) {}

Result<std::string> DuckDbVersion() { return Absent(); }

Result<std::vector<std::string>> FilesOfInput(const std::string& input) {
  if (IsSql(input)) return Absent();
  return std::vector<std::string>{input};
}

Result<std::unique_ptr<Source>> OpenSql(const std::string&, const SourceOptions&) { return Absent(); }
Result<std::unique_ptr<Source>> OpenParquet(const std::string&, const SourceOptions&) { return Absent(); }
Result<std::unique_ptr<Source>> OpenParquetParts(const std::vector<std::string>&, const std::string&, const SourceOptions&) {
  return Absent();
}
Result<std::unique_ptr<Source>> OpenParquetSet(const std::string&, const SourceOptions&) { return Absent(); }
Result<std::unique_ptr<Source>> OpenSqlOver(std::span<const NamedParquet>, const std::string&, const SourceOptions&) {
  return Absent();
}
Result<void> WriteParquetFile(const std::string&, const std::vector<ParquetColumn>&, std::size_t, const Run&) {
  return Absent();
}

class Database {};
Result<DuckDbSession> DuckDbSession::Open(const Options&) { return Absent(); }
Result<void> DuckDbSession::Execute(const std::string&, const Run&) { return Absent(); }
Result<SqlRows> DuckDbSession::Query(const std::string&, const Run&) { return Absent(); }
Result<void> DuckDbSession::EachChunk(const std::string&, const Run&, const std::function<Result<void>(const SqlRows&)>&) {
  return Absent();
}

}  // namespace cordon::engine
