// SPDX-License-Identifier: Apache-2.0
//
// Parquet and SQL, by DuckDB. If the program was built without it, or its library is not found, each of these is an
// error that says how to get it.
//
// A query is one SELECT over CSV, Parquet and JSON files. It can read the files that its text names and no others, write
// nothing, load no extension and change no setting. Errors never carry DuckDB's own words about data: they may quote cells.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/codes.h"
#include "cordon/io/text/source.h"

namespace cordon::engine {

// Where a program that embeds this code has found the library, before the system and the installation are looked at; empty:
// nowhere. `hint` tells how to get it. Call it before anything else here.
void NameDuckDb(const std::string& library, const std::string& hint);

// "v1.4.4"
Result<std::string> DuckDbVersion();

inline constexpr std::string_view kSqlPrefix = "sql:";
inline bool IsSql(std::string_view input) { return input.starts_with(kSqlPrefix); }

// The files an input reads: those that an `sql:` input names (patterns expanded), those of a folder or pattern, else the path
// itself, also if it is "-".
Result<std::vector<std::string>> FilesOfInput(const std::string& input);

// The rows of one SELECT, without the prefix, as texts: numbers and dates as DuckDB casts them to VARCHAR. Equal columns
// and codes for any number of threads, if the query itself says which rows come in which order.
Result<std::unique_ptr<Source>> OpenSql(const std::string& query, const SourceOptions& options);
Result<std::unique_ptr<Source>> OpenParquet(const std::string& path, const SourceOptions& options);
// The rows of several files with the same columns, in that order. `name`: what errors call them.
Result<std::unique_ptr<Source>> OpenParquetParts(const std::vector<std::string>& paths, const std::string& name,
                                                 const SourceOptions& options);
// A folder or a pattern (parquet_set.h). Files must have the same columns; partitions are texts, behind them.
Result<std::unique_ptr<Source>> OpenParquetSet(const std::string& path, const SourceOptions& options);

// A SELECT over tables of the caller's own making: `tables` are names that the query may use for Parquet files, and these
// are all the files it can read.
struct NamedParquet {
  std::string table;
  std::string path;
};
Result<std::unique_ptr<Source>> OpenSqlOver(std::span<const NamedParquet> tables, const std::string& query,
                                            const SourceOptions& options);

// A column to be written. kNull and codes without a number are absent cells.
struct ParquetColumn {
  enum class Type { kText, kInteger, kDecimal, kDate, kBoolean, kDouble };

  // Row by row: whole numbers, multiples of 10^-scale, days since 1970-01-01, 0 and 1, or the bits of a double.
  struct Numbers {
    std::vector<std::int64_t> values;
  };
  // By code: one number or text for each code.
  struct CodedNumbers {
    Codes codes;
    std::vector<std::optional<std::int64_t>> values;
  };
  struct CodedTexts {
    Codes codes;
    std::vector<std::string> values;
  };

  std::string name;
  Type type = Type::kText;
  int scale = 0;  // kDecimal: digits after the point, at most 18
  std::variant<CodedTexts, CodedNumbers, Numbers> cells;
};

// Writes (or overwrites) the file at `path`; the caller makes it appear whole. The same bytes for any number of threads.
// REQUIRES: every column has num_rows cells; texts are UTF-8 without zero bytes.
Result<void> WriteParquetFile(const std::string& path, const std::vector<ParquetColumn>& columns, std::size_t num_rows,
                              const Run& run);

// What a statement of our own gives, typed. Numbers and texts are by row; absent cells are nothing.
struct SqlColumn {
  enum class Type { kInteger, kDecimal, kDate, kBoolean, kText };
  std::string name;
  Type type = Type::kText;
  int scale = 0;                                  // kDecimal
  std::vector<std::optional<Int128>> numbers;     // all but kText; dates are days since 1970-01-01
  std::vector<std::optional<std::string>> texts;  // kText
};
struct SqlRows {
  std::size_t num_rows = 0;
  std::vector<SqlColumn> columns;
};

class Database;

// A database in memory for statements that this program has written itself: it may read and write files. Whatever a user
// wrote goes through OpenSql or OpenSqlOver instead. Use by one thread at a time.
class DuckDbSession {
 public:
  struct Options {
    int threads = 1;
    std::optional<std::uint64_t> memory_mb;  // default: four fifths of the machine's, or of the container's
  };
  static Result<DuckDbSession> Open(const Options& options);

  Result<void> Execute(const std::string& statement, const Run& run);
  // Columns must be whole numbers, decimals, dates, booleans or texts: cast what is something else.
  Result<SqlRows> Query(const std::string& statement, const Run& run);
  // The same, some thousand rows at a time, for results that are long.
  Result<void> EachChunk(const std::string& statement, const Run& run, const std::function<Result<void>(const SqlRows&)>& take);

 private:
  explicit DuckDbSession(std::shared_ptr<Database> database) : database_(std::move(database)) {}
  std::shared_ptr<Database> database_;
};

// 'it''s' and "a ""name""": a text and a name as SQL writes them.
std::string QuoteSqlText(std::string_view text);
std::string QuoteSqlName(std::string_view name);

// DuckDB takes the name of a file as a pattern. This one matches that name alone; or nothing, with a backslash in it.
std::string LiteralPattern(std::string_view path);
// The rows of Parquet files, as they stand after FROM. Folders like year=2024 above a file do not become columns.
std::string ParquetRows(const std::vector<std::string>& paths);

}  // namespace cordon::engine
