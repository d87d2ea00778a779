// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "cordon/io/duckdb/duckdb_database_internal.h"

namespace cordon::engine {
namespace {

Int128 Widen(const duckdb_hugeint& value) { return static_cast<Int128>(value.upper) * (Int128{1} << 64) + value.lower; }
template <typename Number>
  requires std::is_integral_v<Number>
Int128 Widen(Number value) {
  return value;
}

template <typename Number>
void TakeNumbers(const void* data, const std::uint64_t* valid, std::size_t size, std::vector<std::optional<Int128>>& to) {
  const auto* numbers = static_cast<const Number*>(data);
  for (std::size_t row = 0; row < size; ++row)
    to.push_back(IsValid(valid, row) ? std::optional<Int128>(Widen(numbers[row])) : std::nullopt);
}

void TakeTexts(const void* data, const std::uint64_t* valid, std::size_t size, std::vector<std::optional<std::string>>& to) {
  const auto* texts = static_cast<const duckdb_string_t*>(data);
  for (std::size_t row = 0; row < size; ++row) {
    const std::size_t length = texts[row].value.inlined.length;
    const char* bytes =
        length <= sizeof(texts[row].value.inlined.inlined) ? texts[row].value.inlined.inlined : texts[row].value.pointer.ptr;
    to.push_back(IsValid(valid, row) ? std::optional<std::string>({bytes, length}) : std::nullopt);
  }
}

// One column of a result, and how its vectors are stored.
struct Taken {
  SqlColumn column;
  duckdb_type storage = DUCKDB_TYPE_INVALID;

  bool Take(const void* data, const std::uint64_t* valid, std::size_t size) {
    std::vector<std::optional<Int128>>& to = column.numbers;
    switch (storage) {
      case DUCKDB_TYPE_BOOLEAN: TakeNumbers<bool>(data, valid, size, to); break;
      case DUCKDB_TYPE_TINYINT: TakeNumbers<std::int8_t>(data, valid, size, to); break;
      case DUCKDB_TYPE_SMALLINT: TakeNumbers<std::int16_t>(data, valid, size, to); break;
      case DUCKDB_TYPE_DATE:
      case DUCKDB_TYPE_INTEGER: TakeNumbers<std::int32_t>(data, valid, size, to); break;
      case DUCKDB_TYPE_BIGINT: TakeNumbers<std::int64_t>(data, valid, size, to); break;
      case DUCKDB_TYPE_UTINYINT: TakeNumbers<std::uint8_t>(data, valid, size, to); break;
      case DUCKDB_TYPE_USMALLINT: TakeNumbers<std::uint16_t>(data, valid, size, to); break;
      case DUCKDB_TYPE_UINTEGER: TakeNumbers<std::uint32_t>(data, valid, size, to); break;
      case DUCKDB_TYPE_UBIGINT: TakeNumbers<std::uint64_t>(data, valid, size, to); break;
      case DUCKDB_TYPE_HUGEINT: TakeNumbers<duckdb_hugeint>(data, valid, size, to); break;
      case DUCKDB_TYPE_VARCHAR: TakeTexts(data, valid, size, column.texts); break;
      default: return false;
    }
    return true;
  }
};

Taken Describe(const DuckDbApi& api, duckdb_result& result, idx_t index) {
  Taken taken;
  taken.column.name = api.column_name(&result, index);
  taken.storage = api.column_type(&result, index);
  switch (taken.storage) {
    case DUCKDB_TYPE_VARCHAR: taken.column.type = SqlColumn::Type::kText; break;
    case DUCKDB_TYPE_DATE: taken.column.type = SqlColumn::Type::kDate; break;
    case DUCKDB_TYPE_BOOLEAN: taken.column.type = SqlColumn::Type::kBoolean; break;
    case DUCKDB_TYPE_DECIMAL: {
      duckdb_logical_type type = api.column_logical_type(&result, index);
      taken.column.type = SqlColumn::Type::kDecimal;
      taken.column.scale = api.decimal_scale(type);
      taken.storage = api.decimal_internal_type(type);
      api.destroy_logical_type(&type);
      break;
    }
    default: taken.column.type = SqlColumn::Type::kInteger;
  }
  return taken;
}

// Chunk by chunk: `take` gets the columns so far, and may empty them.
template <typename Take>
Result<void> Collect(const DuckDbApi& api, duckdb_result& result, std::vector<Taken>& taken, const Take& take) {
  for (idx_t i = 0; i < api.column_count(&result); ++i) taken.push_back(Describe(api, result, i));
  while (duckdb_data_chunk chunk = api.fetch_chunk(result)) {
    const std::size_t size = api.data_chunk_get_size(chunk);
    bool good = true;
    for (std::size_t i = 0; i < taken.size() && good; ++i) {
      const duckdb_vector vector = api.data_chunk_get_vector(chunk, i);
      good = taken[i].Take(api.vector_get_data(vector), api.vector_get_validity(vector), size);
    }
    api.destroy_data_chunk(&chunk);
    if (!good) return Error::InvalidData("a column of the query is of a type that is not read here");
    CORDON_RETURN_IF_ERROR(take(size));
  }
  return {};
}

template <typename Read>
Result<void> Ask(Database& database, const std::string& statement, const Run& run, const Read& read) {
  const DuckDbApi& api = database.api();
  const std::stop_callback interrupt(run.stop, [&] { api.interrupt(database.connection()); });
  if (run.Stopped()) return Error::Cancelled();
  duckdb_result result;
  const duckdb_state state = api.query(database.connection(), statement.c_str(), &result);
  const auto answer = [&]() -> Result<void> {
    if (state == DuckDBSuccess) return read(result);
    const char* message = api.result_error(&result);
    return QueryError(message != nullptr ? message : "");
  };
  Result<void> done = answer();
  api.destroy_result(&result);
  return done;
}

}  // namespace

Result<DuckDbSession> DuckDbSession::Open(const Options& options) {
  CORDON_TRY(std::shared_ptr<Database> database, Database::Open());
  CORDON_RETURN_IF_ERROR(database->SetThreads(options.threads));
  if (options.memory_mb)
    CORDON_RETURN_IF_ERROR(database->Execute(fmt::format("SET memory_limit = '{}MB'", *options.memory_mb)));
  return DuckDbSession(std::move(database));
}

Result<void> DuckDbSession::Execute(const std::string& statement, const Run& run) {
  const std::stop_callback interrupt(run.stop, [&] { database_->api().interrupt(database_->connection()); });
  if (run.Stopped()) return Error::Cancelled();
  return database_->Execute(statement);
}

Result<SqlRows> DuckDbSession::Query(const std::string& statement, const Run& run) {
  SqlRows rows;
  const auto count = [&](std::size_t size) -> Result<void> {
    rows.num_rows += size;
    return {};
  };
  const auto read = [&](duckdb_result& result) -> Result<void> {
    std::vector<Taken> taken;
    CORDON_RETURN_IF_ERROR(Collect(database_->api(), result, taken, count));
    for (Taken& column : taken) rows.columns.push_back(std::move(column.column));
    return {};
  };
  CORDON_RETURN_IF_ERROR(Ask(*database_, statement, run, read));
  return rows;
}

Result<void> DuckDbSession::EachChunk(const std::string& statement, const Run& run,
                                      const std::function<Result<void>(const SqlRows&)>& take) {
  return Ask(*database_, statement, run, [&](duckdb_result& result) -> Result<void> {
    std::vector<Taken> taken;
    SqlRows rows;
    return Collect(database_->api(), result, taken, [&](std::size_t size) -> Result<void> {
      rows.num_rows = size;
      rows.columns.resize(taken.size());
      for (std::size_t i = 0; i < taken.size(); ++i) std::swap(rows.columns[i], taken[i].column);
      CORDON_RETURN_IF_ERROR(take(rows));
      for (std::size_t i = 0; i < taken.size(); ++i) {
        std::swap(rows.columns[i], taken[i].column);
        taken[i].column.numbers.clear();
        taken[i].column.texts.clear();
      }
      return {};
    });
  });
}

}  // namespace cordon::engine
