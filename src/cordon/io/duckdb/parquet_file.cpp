// SPDX-License-Identifier: Apache-2.0
//
// Columns in memory as a Parquet file, without copying them into DuckDB: a table of row numbers is scanned, in parallel and
// in order, and one scalar function a column turns row numbers into cells. A file holds the cells of its rows and nothing
// else: a dictionary may know values that are in no row, so it never goes out as a whole.
#include <map>

#include "cordon/io/duckdb/duckdb.h"
#include "cordon/io/duckdb/duckdb_database_internal.h"

namespace cordon::engine {
namespace {

// Rows of a Parquet row group; DuckDB's default, stated so that files do not change with it.
constexpr std::size_t kRowGroup = 122'880;

// The cells of the rows that are asked for, as absent or present numbers or texts.
class CellWriter {
 public:
  CellWriter(const DuckDbApi& api, duckdb_vector to) : api_(api), to_(to), data_(api.vector_get_data(to)) {}

  void Absent(std::size_t at) {
    if (valid_ == nullptr) {
      api_.vector_ensure_validity_writable(to_);
      valid_ = api_.vector_get_validity(to_);
    }
    valid_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
  }
  void Text(std::size_t at, const std::string& text) {
    api_.vector_assign_string_element_len(to_, at, text.data(), text.size());
  }
  void Number(std::size_t at, ParquetColumn::Type type, std::int64_t value) {
    if (type == ParquetColumn::Type::kDate) {
      static_cast<std::int32_t*>(data_)[at] = static_cast<std::int32_t>(value);
    } else if (type == ParquetColumn::Type::kBoolean) {
      static_cast<bool*>(data_)[at] = value != 0;
    } else {
      static_cast<std::int64_t*>(data_)[at] = value;
    }
  }

 private:
  const DuckDbApi& api_;
  duckdb_vector to_;
  void* data_;
  std::uint64_t* valid_ = nullptr;
};

void WriteCell(const ParquetColumn& column, std::size_t row, std::size_t at, CellWriter& writer) {
  if (const auto* numbers = std::get_if<ParquetColumn::Numbers>(&column.cells)) {
    return writer.Number(at, column.type, numbers->values[row]);
  }
  if (const auto* texts = std::get_if<ParquetColumn::CodedTexts>(&column.cells)) {
    const Code code = texts->codes[row];
    return code == kNull ? writer.Absent(at) : writer.Text(at, texts->values[static_cast<std::size_t>(code)]);
  }
  const auto& coded = std::get<ParquetColumn::CodedNumbers>(column.cells);
  const Code code = coded.codes[row];
  if (code == kNull || !coded.values[static_cast<std::size_t>(code)]) return writer.Absent(at);
  writer.Number(at, column.type, *coded.values[static_cast<std::size_t>(code)]);
}

// The scalar function of a column, called by DuckDB's threads: row numbers in, cells out.
void CellsOfRows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
  const DuckDbApi& api = *LoadDuckDb().value();
  const auto& column = *static_cast<const ParquetColumn*>(api.scalar_function_get_extra_info(info));
  const auto* rows = static_cast<const std::int64_t*>(api.vector_get_data(api.data_chunk_get_vector(input, 0)));
  CellWriter writer(api, output);
  const std::size_t size = api.data_chunk_get_size(input);
  for (std::size_t i = 0; i < size; ++i) WriteCell(column, static_cast<std::size_t>(rows[i]), i, writer);
}

duckdb_logical_type TypeOf(const DuckDbApi& api, const ParquetColumn& column) {
  switch (column.type) {
    case ParquetColumn::Type::kText: return api.create_logical_type(DUCKDB_TYPE_VARCHAR);
    case ParquetColumn::Type::kInteger: return api.create_logical_type(DUCKDB_TYPE_BIGINT);
    case ParquetColumn::Type::kDecimal: return api.create_decimal_type(18, static_cast<std::uint8_t>(column.scale));
    case ParquetColumn::Type::kDate: return api.create_logical_type(DUCKDB_TYPE_DATE);
    case ParquetColumn::Type::kBoolean: return api.create_logical_type(DUCKDB_TYPE_BOOLEAN);
    case ParquetColumn::Type::kDouble: return api.create_logical_type(DUCKDB_TYPE_DOUBLE);
  }
  return nullptr;
}

std::string FunctionName(std::size_t column) { return fmt::format("cordon_column_{}", column); }

Result<void> Register(Database& database, const ParquetColumn& column, const std::string& name) {
  const DuckDbApi& api = database.api();
  duckdb_scalar_function function = api.create_scalar_function();
  duckdb_logical_type row = api.create_logical_type(DUCKDB_TYPE_BIGINT);
  duckdb_logical_type type = TypeOf(api, column);
  api.scalar_function_set_name(function, name.c_str());
  api.scalar_function_add_parameter(function, row);
  api.scalar_function_set_return_type(function, type);
  api.scalar_function_set_extra_info(function, const_cast<ParquetColumn*>(&column), nullptr);
  api.scalar_function_set_function(function, CellsOfRows);
  const duckdb_state state = api.register_scalar_function(database.connection(), function);
  api.destroy_logical_type(&type);
  api.destroy_logical_type(&row);
  api.destroy_scalar_function(&function);
  if (state != DuckDBSuccess) return Error::Io("DuckDB refuses the column {}", column.name);
  return {};
}

void CheckColumn(const ParquetColumn& column, std::size_t num_rows) {
  const std::size_t rows = std::visit(
      [](const auto& cells) {
        if constexpr (requires { cells.codes; }) {
          return cells.codes.size();
        } else {
          return cells.values.size();
        }
      },
      column.cells);
  CORDON_CHECK_EQ(rows, num_rows);
  const bool texts = std::holds_alternative<ParquetColumn::CodedTexts>(column.cells);
  CORDON_CHECK_EQ(texts, column.type == ParquetColumn::Type::kText);
}

// DuckDB would give the second of them another name, and answer a query of it from the first.
Result<void> RequireNamesApart(const std::vector<ParquetColumn>& columns) {
  std::map<std::string, const std::string*> seen;
  for (const ParquetColumn& column : columns) {
    std::string lower = column.name;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto [other, is_new] = seen.emplace(std::move(lower), &column.name);
    if (is_new) continue;
    return Error::InvalidData("columns '{}' and '{}' differ only in case, which Parquet readers ignore", *other->second,
                              column.name)
        .WithHint("rename one of them in the data");
  }
  return {};
}

}  // namespace

Result<void> WriteParquetFile(const std::string& path, const std::vector<ParquetColumn>& columns, std::size_t num_rows,
                              const Run& run) {
  if (columns.empty()) return Error::InvalidData("a Parquet file needs a column");
  CORDON_RETURN_IF_ERROR(RequireNamesApart(columns));
  CORDON_TRY(const std::shared_ptr<Database> database, Database::Open());
  std::string list;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    CheckColumn(columns[i], num_rows);
    CORDON_RETURN_IF_ERROR(Register(*database, columns[i], FunctionName(i)));
    list += fmt::format("{}{}(i) AS {}", i == 0 ? "" : ", ", FunctionName(i), QuoteSqlName(columns[i].name));
  }
  CORDON_RETURN_IF_ERROR(database->SetThreads(run.threads));
  const std::stop_callback interrupt(run.stop, [&] { database->api().interrupt(database->connection()); });
  CORDON_RETURN_IF_ERROR(
      database->Execute(fmt::format("CREATE TABLE cordon_rows AS SELECT range AS i FROM range({})", num_rows)));
  const auto written = database->Execute(
      fmt::format("COPY (SELECT {} FROM cordon_rows) TO {} (FORMAT parquet, ROW_GROUP_SIZE {}, USE_TMP_FILE false)", list,
                  QuoteSqlText(path), kRowGroup));
  if (written.ok()) return {};
  if (run.Stopped() || written.error().kind() == ErrorKind::kCancelled) return Error::Cancelled();
  return Error::Io("DuckDB could not write it").WithHint("is there room on the disk, and may the file be written?");
}

}  // namespace cordon::engine
