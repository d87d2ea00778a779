// SPDX-License-Identifier: Apache-2.0
//
// The rows of a query as a Source. DuckDB's threads scan and decode, in the order of the rows; columns are then taken into
// dictionaries side by side, each by one thread from top to bottom, so that codes follow the order of first appearance
// whatever the number of threads.
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <iterator>
#include <optional>
#include <set>

#include "cordon/base/digest.h"
#include "cordon/base/parallel_for.h"
#include "cordon/io/duckdb/column_reader_internal.h"
#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/duckdb/parquet_set.h"
#include "cordon/io/duckdb/sql_guard_internal.h"
#include "cordon/io/duckdb/sql_limits_internal.h"
#include "cordon/io/files/byte_input_internal.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kRowsPerBatch = std::size_t{1} << 17;

// SHA-256 of a file's bytes.
Result<std::string> DigestOf(const std::string& path, const std::stop_token& stop) {
  Sha256 sha256;
  CORDON_RETURN_IF_ERROR(ReadParts(path, stop, [&](std::string_view part) {
    sha256.Update(part);
    return Result<void>();
  }));
  return ToHex(sha256.Finish());
}

// One file: its own digest. A query: that of its text and of its files' digests.
Result<std::string> DigestOfInput(const std::vector<std::string>& files, const std::string& query,
                                  const std::stop_token& stop) {
  std::string list = query + "\n";
  for (const std::string& file : files) {
    CORDON_TRY(const std::string digest, DigestOf(file, stop));
    if (query.empty()) return digest;
    list += digest + "\n";
  }
  return ToHex(Sha256Of(list));
}

// What the schema of a Parquet file says of a value that DuckDB would cut to fewer digits; null: it is read exactly.
constexpr const char* kCutType = R"(CASE
  WHEN type = 'INT96' THEN 'INT96'
  WHEN logical_type LIKE 'TimeType(%NANOS=NanoSeconds%' THEN 'TIME in nanoseconds'
  WHEN logical_type LIKE 'TimestampType(isAdjustedToUTC=1%NANOS=NanoSeconds%' THEN 'TIMESTAMP in nanoseconds with a time zone'
  WHEN precision > 38 THEN 'DECIMAL of more than 38 digits' END)";

// Values that differ would become one value. The lines of a schema are its tree from the top, each with its number of children.
Result<void> RequireExactTypes(DuckDbSession& session, const std::string& path, const std::set<std::string>& skipped) {
  CORDON_TRY(const SqlRows lines,
             session.Query(fmt::format("SELECT name, coalesce(num_children, 0), {} FROM parquet_schema({})", kCutType,
                                       QuoteSqlText(LiteralPattern(path))),
                           {}));
  std::vector<Int128> children;  // that are still to come, of each node on the way to this line
  std::string column;
  for (std::size_t line = 0; line < lines.num_rows; ++line) {
    if (children.size() == 1) column = lines.columns[0].texts[line].value_or("");
    const std::string type = lines.columns[2].texts[line].value_or("");
    if (!type.empty() && !skipped.contains(column)) {
      return Error::InvalidData("column {} has the Parquet type {}, of which digits would be lost", column, type)
          .WithHint("{}",
                    type.starts_with("DECIMAL") ? "cast it to a text" : "cast it to microseconds and write the file again");
    }
    if (!children.empty()) --children.back();
    children.push_back(lines.columns[1].numbers[line].value_or(0));
    while (!children.empty() && children.back() == 0) children.pop_back();
  }
  return {};
}

Result<void> RequireExactTypes(const std::vector<std::string>& paths, const SourceOptions& options) {
  if (!options.exact || paths.empty()) return {};
  CORDON_TRY(DuckDbSession session, DuckDbSession::Open({}));
  for (const std::string& path : paths) CORDON_RETURN_IF_ERROR(RequireExactTypes(session, path, options.skip_columns));
  return {};
}

bool IsParquet(const std::string& path) {
  constexpr std::string_view kMagic = "PAR1";
  std::string start(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == kMagic;
}

// What DuckDB says about a file may quote cells.
Error Damaged() { return Error::InvalidData("this is not a Parquet file, or a damaged one"); }
Error NotOneTable() {
  return Error::InvalidData("the Parquet files cannot be read as one table")
      .WithHint("they must have the same columns, and none named like a partition; one of them may be damaged");
}

struct ChunkOf {
  const DuckDbApi* api = nullptr;
  void operator()(duckdb_data_chunk chunk) const { api->destroy_data_chunk(&chunk); }
};
using Chunk = std::unique_ptr<std::remove_pointer_t<duckdb_data_chunk>, ChunkOf>;

class DuckDbSource final : public Source {
 public:
  // `digest_query`: empty if the input is the one file itself.
  DuckDbSource(std::shared_ptr<Database> database, std::vector<std::string> files, std::string digest_query, std::string name)
      : database_(std::move(database)),
        files_(std::move(files)),
        digest_query_(std::move(digest_query)),
        name_(std::move(name)) {}
  ~DuckDbSource() override {
    const DuckDbApi& api = database_->api();
    if (running_) api.destroy_result(&result_);
    if (statement_ != nullptr) api.destroy_prepare(&statement_);
  }

  // `statement` gives the rows; `rows` is the same as it stands after FROM.
  Result<void> Prepare(const std::string& statement, const std::string& rows, const SourceOptions& options);
  // What is wrong if a row cannot be read; else it is the query.
  void SayIfUnreadable(Error error) { unreadable_ = std::move(error); }
  // For what a user wrote.
  void Limit(std::shared_ptr<const QueryClock> clock) { clock_ = std::move(clock); }

  const std::vector<std::string>& column_names() const override { return names_; }
  std::shared_ptr<const Dictionary> dictionary(std::size_t column) const override { return intakes_[column]->dictionary(); }
  std::string InputDigest() override { return digest_; }
  CellType column_type(std::size_t column) const override { return types_[column]; }
  Result<std::optional<Batch>> Next(const Run& run) override {
    if (failed_) return *failed_;
    Result<std::optional<Batch>> batch = NextBatch(run);
    if (!batch.ok() && clock_ != nullptr) batch = clock_->Explain(std::move(batch).error());
    if (!batch.ok() && unreadable_ && !batch.error().hint().empty()) batch = *unreadable_;
    if (batch.ok()) return batch;
    failed_ = std::move(batch).WithContext("reading {}", name_).error();
    return *failed_;
  }

 private:
  Result<std::vector<duckdb_type>> Describe(const std::string& statement);
  Result<void> PrepareStatement(const std::string& statement);
  Result<void> Start(const Run& run);
  Result<std::vector<Chunk>> Fetch(const Run& run);
  Result<std::optional<Batch>> NextBatch(const Run& run);
  std::uint64_t BytesTaken() const;

  std::shared_ptr<Database> database_;
  std::vector<std::string> files_;
  std::string digest_query_;
  std::optional<Error> unreadable_;
  std::string name_;
  std::vector<std::string> names_;
  std::vector<CellType> types_;
  std::vector<std::unique_ptr<ColumnReader>> intakes_;
  duckdb_prepared_statement statement_ = nullptr;
  duckdb_result result_ = {};
  bool running_ = false;
  bool ended_ = false;
  std::uint64_t rows_ = 0;
  std::stop_source stop_hashing_;
  std::future<Result<std::string>> hashing_;
  std::string digest_;
  std::optional<Error> failed_;
  std::shared_ptr<const QueryClock> clock_;  // null: no limits
};

// Of the rows so far: codes, and the texts of the dictionaries.
std::uint64_t DuckDbSource::BytesTaken() const {
  std::uint64_t bytes = rows_ * intakes_.size() * sizeof(Code);
  for (const auto& intake : intakes_) {
    const Dictionary& texts = *intake->dictionary();
    bytes += texts.offsets()[texts.size()] + texts.size() * (sizeof(std::uint64_t) + 4 * sizeof(std::uint32_t));
  }
  return bytes;
}

Result<void> DuckDbSource::PrepareStatement(const std::string& statement) {
  const DuckDbApi& api = database_->api();
  if (statement_ != nullptr) api.destroy_prepare(&statement_);
  if (api.prepare(database_->connection(), statement.c_str(), &statement_) != DuckDBSuccess) {
    const char* message = api.prepare_error(statement_);
    return QueryError(message != nullptr ? message : "");
  }
  if (api.prepared_statement_type(statement_) != DUCKDB_STATEMENT_TYPE_SELECT)
    return Error::InvalidPolicy("the query is refused: only SELECT may be asked");
  return {};
}

// Names and types of the rows.
Result<std::vector<duckdb_type>> DuckDbSource::Describe(const std::string& statement) {
  const DuckDbApi& api = database_->api();
  CORDON_RETURN_IF_ERROR(PrepareStatement(statement));
  std::vector<duckdb_type> types;
  for (idx_t i = 0; i < api.prepared_statement_column_count(statement_); ++i) {
    const char* name = api.prepared_statement_column_name(statement_, i);
    names_.emplace_back(name != nullptr ? name : "");
    api.free(const_cast<char*>(name));
    types.push_back(api.prepared_statement_column_type(statement_, i));
  }
  return types;
}

CellType CellTypeOf(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_DECIMAL: return CellType::kNumber;
    case DUCKDB_TYPE_FLOAT:
    case DUCKDB_TYPE_DOUBLE: return CellType::kDouble;
    case DUCKDB_TYPE_BOOLEAN: return CellType::kBoolean;
    case DUCKDB_TYPE_DATE: return CellType::kDate;
    default: return CellType::kText;
  }
}

Result<void> CheckNames(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return Error::InvalidData("column {} has no name", i + 1);
    if (!seen.insert(names[i]).second)
      return Error::InvalidData("column {} has the name of another one", i + 1).WithHint("name it with AS in a query");
  }
  return {};
}

Result<void> DuckDbSource::Prepare(const std::string& statement, const std::string& rows, const SourceOptions& options) {
  if (options.memory_mb)
    CORDON_RETURN_IF_ERROR(database_->Execute(fmt::format("SET memory_limit = '{}MiB'", *options.memory_mb)));
  CORDON_TRY(const std::vector<duckdb_type> types, Describe(statement));
  CORDON_RETURN_IF_ERROR(CheckNames(names_));
  std::string list;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::string column = QuoteSqlName(names_[i]);
    const bool kept = !options.skip_columns.contains(names_[i]);
    types_.push_back(CellTypeOf(types[i]));
    intakes_.push_back(MakeIntake(kept ? types[i] : DUCKDB_TYPE_SQLNULL));
    list += list.empty() ? "" : ", ";
    list += !kept ? "CAST(NULL AS BIGINT)" : intakes_.back()->reads(types[i]) ? column : "CAST(" + column + " AS VARCHAR)";
  }
  CORDON_RETURN_IF_ERROR(PrepareStatement("SELECT " + list + " FROM " + rows));
  if (!options.text.columns.empty()) {
    if (options.text.columns.size() != names_.size()) {
      return Error::InvalidData("the file has {} columns, data.columns names {}", names_.size(), options.text.columns.size());
    }
    names_ = options.text.columns;
  }
  return {};
}

Result<void> DuckDbSource::Start(const Run& run) {
  const DuckDbApi& api = database_->api();
  CORDON_RETURN_IF_ERROR(database_->SetThreads(run.threads));
  CORDON_RETURN_IF_ERROR(database_->Lock());
  hashing_ = std::async(std::launch::async, [files = files_, query = digest_query_, stop = stop_hashing_.get_token()] {
    return DigestOfInput(files, query, stop);
  });
  duckdb_pending_result pending = nullptr;
  duckdb_state state = api.pending_prepared_streaming(statement_, &pending);
  if (state != DuckDBSuccess) {
    const char* message = api.pending_error(pending);
    const Error error = QueryError(message != nullptr ? message : "");
    api.destroy_pending(&pending);
    return error;
  }
  state = api.execute_pending(pending, &result_);
  running_ = true;
  api.destroy_pending(&pending);
  if (state == DuckDBSuccess) return {};
  const char* message = api.result_error(&result_);
  return QueryError(message != nullptr ? message : "");
}

Result<std::vector<Chunk>> DuckDbSource::Fetch(const Run& run) {
  const DuckDbApi& api = database_->api();
  std::vector<Chunk> chunks;
  for (std::size_t rows = 0; rows < kRowsPerBatch && !ended_;) {
    if (run.Stopped()) return Error::Cancelled();
    Chunk chunk(api.fetch_chunk(result_), ChunkOf{&api});
    if (chunk == nullptr) {
      const char* message = api.result_error(&result_);
      if (message != nullptr && *message != '\0') return run.Stopped() ? Error::Cancelled() : QueryError(message);
      ended_ = true;
    } else if (const std::size_t size = api.data_chunk_get_size(chunk.get()); size > 0) {
      rows += size;
      chunks.push_back(std::move(chunk));
    }
  }
  return chunks;
}

Result<std::optional<Batch>> DuckDbSource::NextBatch(const Run& run) {
  const DuckDbApi& api = database_->api();
  const std::stop_callback interrupt(run.stop, [&] { api.interrupt(database_->connection()); });
  if (!running_) CORDON_RETURN_IF_ERROR(Start(run));
  CORDON_TRY(const std::vector<Chunk> chunks, Fetch(run));
  Batch batch;
  for (const Chunk& chunk : chunks) batch.num_rows += api.data_chunk_get_size(chunk.get());
  if (batch.num_rows == 0) {
    if (hashing_.valid()) {
      CORDON_TRY(digest_, hashing_.get());
    }
    return std::optional<Batch>();
  }
  if (rows_ + batch.num_rows > kMaxRows) return Error::InvalidData("there are more than {} rows", kMaxRows);
  batch.columns.resize(names_.size());
  std::vector<std::optional<BadCell>> bad(names_.size());
  ParallelFor(run.threads, names_.size(), 1, [&](std::size_t column, std::size_t, std::size_t) {
    batch.columns[column].resize(batch.num_rows);
    std::span<Code> codes = batch.columns[column];
    std::size_t first = 0;
    for (const Chunk& chunk : chunks) {
      const std::size_t size = api.data_chunk_get_size(chunk.get());
      const duckdb_vector vector = api.data_chunk_get_vector(chunk.get(), column);
      bad[column] =
          intakes_[column]->Take(api.vector_get_data(vector), api.vector_get_validity(vector), codes.subspan(first, size));
      if (bad[column]) {
        bad[column]->row += first;
        return;
      }
      first += size;
    }
  });
  for (std::size_t column = 0; column < bad.size(); ++column) {
    if (!bad[column]) continue;
    return Error::InvalidData("row {}: column {} {}", rows_ + bad[column]->row + 1, names_[column], bad[column]->what);
  }
  rows_ += batch.num_rows;
  if (clock_ != nullptr) CORDON_RETURN_IF_ERROR(clock_->CheckMemory(BytesTaken()));
  run.Report("read", rows_, 0);
  return std::optional<Batch>(std::move(batch));
}

// REQUIRES: the database is confined to the files.
Result<std::unique_ptr<Source>> OpenGuarded(std::shared_ptr<Database> database, const GuardedQuery& query,
                                            std::vector<std::string> files, const SourceOptions& options,
                                            std::shared_ptr<const QueryClock> clock = nullptr) {
  auto source = std::make_unique<DuckDbSource>(std::move(database), std::move(files), query.text, "a query");
  source->Limit(std::move(clock));
  CORDON_RETURN_IF_ERROR(
      source->Prepare(query.text, "(\n" + query.text + "\n) AS cordon_rows", options).WithContext("reading a query"));
  return std::unique_ptr<Source>(std::move(source));
}

Result<GuardedQuery> Guard(Database& database, const std::string& query) {
  return GuardQuery(database, query).WithContext("reading a query");
}

}  // namespace

Result<std::string> DuckDbVersion() {
  CORDON_TRY(const DuckDbApi* api, LoadDuckDb());
  return std::string(api->library_version());
}

Result<std::vector<std::string>> FilesOfInput(const std::string& input) {
  if (IsParquetSet(input)) {
    CORDON_TRY(ParquetSet set, FindParquetSet(input).WithContext("reading {}", input));
    return std::move(set.files);
  }
  if (!IsSql(input)) return std::vector<std::string>{input};
  CORDON_TRY(const std::shared_ptr<Database> database, Database::Open());
  CORDON_TRY(GuardedQuery guarded, Guard(*database, input.substr(kSqlPrefix.size())));
  return std::move(guarded.files);
}

Result<std::unique_ptr<Source>> OpenSql(const std::string& query, const SourceOptions& options) {
  CORDON_TRY(const SqlLimits limits, SqlLimits::FromEnvironment());
  CORDON_TRY(std::shared_ptr<Database> database, Database::Open());
  CORDON_RETURN_IF_ERROR(database->Execute(fmt::format("SET memory_limit = '{}MiB'", limits.memory_mb)));
  const auto clock = std::make_shared<const QueryClock>(database, limits);
  CORDON_TRY(const GuardedQuery guarded, Guard(*database, query));
  std::vector<std::string> parquet;  // also a cast in the query comes after the reader
  std::copy_if(guarded.files.begin(), guarded.files.end(), std::back_inserter(parquet), IsParquet);
  CORDON_RETURN_IF_ERROR(RequireExactTypes(parquet, options).WithContext("reading a query"));
  std::vector<std::string> allowed = guarded.files;
  allowed.insert(allowed.end(), guarded.patterns.begin(), guarded.patterns.end());
  CORDON_RETURN_IF_ERROR(database->Confine(allowed));
  auto source = OpenGuarded(std::move(database), guarded, guarded.files, options, clock);
  return source.ok() ? std::move(source) : clock->Explain(std::move(source).error());
}

Result<std::unique_ptr<Source>> OpenParquet(const std::string& path, const SourceOptions& options) {
  if (path == "-") {
    return Error::InvalidPolicy("Parquet cannot be read from standard input").WithHint("save it to a file first");
  }
  return OpenParquetParts({path}, path, options);
}

Result<std::unique_ptr<Source>> OpenParquetParts(const std::vector<std::string>& paths, const std::string& name,
                                                 const SourceOptions& options) {
  std::vector<std::string> allowed = paths;
  for (const std::string& path : paths) {
    CORDON_RETURN_IF_ERROR(OpenRawFile(path));  // that it is there, and may be read
    allowed.push_back(LiteralPattern(path));
  }
  CORDON_TRY(std::shared_ptr<Database> database, Database::Open());
  CORDON_RETURN_IF_ERROR(database->Confine(allowed));
  auto source = std::make_unique<DuckDbSource>(std::move(database), paths, "", name);
  source->SayIfUnreadable(Damaged());
  const auto prepared = source->Prepare("SELECT * FROM " + ParquetRows(paths), ParquetRows(paths), options);
  if (prepared.ok()) {
    CORDON_RETURN_IF_ERROR(RequireExactTypes(paths, options));
    return std::unique_ptr<Source>(std::move(source));
  }
  if (prepared.error().hint().empty() || prepared.error().kind() != ErrorKind::kInvalidData) return prepared.error();
  return Damaged();
}

Result<std::unique_ptr<Source>> OpenParquetSet(const std::string& path, const SourceOptions& options) {
  CORDON_TRY(const ParquetSet set, FindParquetSet(path));
  CORDON_TRY(std::shared_ptr<Database> database, Database::Open());
  std::string list;
  std::string digest_text = "parquet files\n";
  std::vector<std::string> allowed = set.files;
  for (std::size_t i = 0; i < set.files.size(); ++i) {
    const std::string pattern = LiteralPattern(set.files[i]);
    allowed.push_back(pattern);
    list += (list.empty() ? "" : ", ") + QuoteSqlText(pattern);
    digest_text += set.names[i] + "\n";
  }
  CORDON_RETURN_IF_ERROR(database->Confine(allowed));
  // DuckDB would take the folder's value and say nothing of the file's.
  if (!set.keys.empty()) {
    DuckDbSource first(database, {set.files.front()}, "", set.files.front());
    const std::string rows = ParquetRows({set.files.front()});
    CORDON_RETURN_IF_ERROR(first.Prepare("SELECT * FROM " + rows, rows, {}));
    for (const std::string& key : set.keys) {
      const auto& names = first.column_names();
      if (std::find(names.begin(), names.end(), key) == names.end()) continue;
      return Error::InvalidData("the files have a column '{}', and so have the folders ({}=...)", key, key)
          .WithHint("say which is meant: sql:SELECT ... FROM read_parquet('...', hive_partitioning = false)");
    }
  }
  // Spark's name of a partition without a value. Keys of folders above the one that was named are not columns.
  std::string shown = "*";
  std::vector<std::string> hidden;
  for (const std::string& key : set.all_keys) {
    if (std::find(set.keys.begin(), set.keys.end(), key) == set.keys.end()) hidden.push_back(QuoteSqlName(key));
  }
  if (!hidden.empty()) shown += fmt::format(" EXCLUDE ({})", fmt::join(hidden, ", "));
  std::vector<std::string> nulls;
  for (const std::string& key : set.keys)
    nulls.push_back(fmt::format("nullif({0}, '__HIVE_DEFAULT_PARTITION__') AS {0}", QuoteSqlName(key)));
  if (!nulls.empty()) shown += fmt::format(" REPLACE ({})", fmt::join(nulls, ", "));
  const std::string statement =
      fmt::format("SELECT {} FROM read_parquet([{}], hive_partitioning = {}, hive_types_autocast = false)", shown, list,
                  set.all_keys.empty() ? "false" : "true");
  auto source = std::make_unique<DuckDbSource>(std::move(database), set.files, digest_text, path);
  source->SayIfUnreadable(NotOneTable());
  if (!source->Prepare(statement, "(" + statement + ") AS cordon_rows", options).ok()) return NotOneTable();
  CORDON_RETURN_IF_ERROR(RequireExactTypes(set.files, options));
  return std::unique_ptr<Source>(std::move(source));
}

Result<std::unique_ptr<Source>> OpenSqlOver(std::span<const NamedParquet> tables, const std::string& query,
                                            const SourceOptions& options) {
  CORDON_TRY(std::shared_ptr<Database> database, Database::Open());
  CORDON_TRY(const GuardedQuery guarded, Guard(*database, query));
  if (!guarded.files.empty()) return Error::InvalidPolicy("reading a query: it names files, and may not");
  std::vector<std::string> files;
  for (const NamedParquet& table : tables) {
    CORDON_RETURN_IF_ERROR(OpenRawFile(table.path));
    files.push_back(table.path);
    CORDON_RETURN_IF_ERROR(
        database->Execute("CREATE VIEW " + QuoteSqlName(table.table) + " AS SELECT * FROM " + ParquetRows({table.path})));
  }
  CORDON_RETURN_IF_ERROR(database->Confine(files));
  return OpenGuarded(std::move(database), guarded, std::move(files), options);
}

}  // namespace cordon::engine
