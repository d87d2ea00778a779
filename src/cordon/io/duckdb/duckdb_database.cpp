// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "cordon/io/duckdb/duckdb_database_internal.h"

namespace cordon::engine {
namespace {

// Settings a database starts with. No temporary files: what does not fit in memory is an error, not a copy of somebody's
// data on a disk.
constexpr std::array<std::pair<const char*, const char*>, 7> kSettings = {{
    {"threads", "1"},
    {"autoload_known_extensions", "false"},
    {"autoinstall_known_extensions", "false"},
    {"allow_community_extensions", "false"},
    {"allow_unsigned_extensions", "false"},
    {"allow_persistent_secrets", "false"},
    {"temp_directory", ""},
}};

// "Binder Error: text" -> "Binder", " text"
std::pair<std::string_view, std::string_view> SplitKind(std::string_view message) {
  constexpr std::string_view kMark = " Error:";
  const std::size_t mark = message.find(kMark);
  if (mark == std::string_view::npos || mark > 40) return {"", message};
  return {message.substr(0, mark), message.substr(mark + kMark.size())};
}

}  // namespace

Error QueryError(std::string_view message) {
  const auto [kind, text] = SplitKind(message);
  if (kind == "INTERRUPT") return Error::Cancelled();
  // These are about the query's own text; below the first line may stand candidates out of a file's first row.
  if (kind == "Parser" || kind == "Binder" || kind == "Catalog") {
    const std::string_view line = text.substr(0, text.find('\n'));
    return Error::InvalidPolicy("the query is refused:{}", line);
  }
  if (kind == "Permission") {
    return Error::InvalidPolicy("the query is refused: it reaches beyond the files that it names")
        .WithHint("name every file as a literal, FROM 'a.parquet' or read_csv('a.csv'); a query can read nothing else");
  }
  if (kind == "Out of Memory") return Error::Io("the query needs more memory than there is");
  std::string lower(kind);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return 'A' <= c && c <= 'Z' ? c + 32 : c; });
  return Error::InvalidData("the query failed on the data ({} error)", lower.empty() ? "an" : lower)
      .WithHint("DuckDB's own message may quote cells and is not shown; run the query with duckdb to see it");
}

Result<std::shared_ptr<Database>> Database::Open() {
  CORDON_TRY(const DuckDbApi* api, LoadDuckDb());
  std::shared_ptr<Database> opened(new Database(*api));
  duckdb_config config = nullptr;
  if (api->create_config(&config) != DuckDBSuccess) return Error::Io("DuckDB: out of memory");
  Result<void> configured;
  for (const auto& [name, value] : kSettings) {
    if (configured.ok() && api->set_config(config, name, value) != DuckDBSuccess)
      configured = Error::Io("this DuckDB ({}) has no setting {}", api->library_version(), name);
  }
  char* message = nullptr;
  if (configured.ok() && api->open_ext(nullptr, &opened->database_, config, &message) != DuckDBSuccess) {
    configured = Error::Io("DuckDB does not start: {}", message != nullptr ? message : "");
    api->free(message);
  }
  api->destroy_config(&config);
  CORDON_RETURN_IF_ERROR(configured);
  if (api->connect(opened->database_, &opened->connection_) != DuckDBSuccess) return Error::Io("DuckDB does not start");
  // Times with a zone as text are the same wherever they are read; a library without time zones has none to show.
  (void)opened->Execute("SET TimeZone = 'UTC'");
  return opened;
}

Database::~Database() {
  if (connection_ != nullptr) api_.disconnect(&connection_);
  if (database_ != nullptr) api_.close(&database_);
}

Result<void> Database::Execute(const std::string& statement) {
  duckdb_result result;
  const duckdb_state state = api_.query(connection_, statement.c_str(), &result);
  Result<void> done;
  if (state != DuckDBSuccess) {
    const char* message = api_.result_error(&result);
    done = QueryError(message != nullptr ? message : "");
  }
  api_.destroy_result(&result);
  return done;
}

Result<void> Database::Confine(std::span<const std::string> files) {
  std::string list;
  for (const std::string& file : files) list += (list.empty() ? "" : ", ") + QuoteSqlText(file);
  CORDON_RETURN_IF_ERROR(Execute("SET allowed_paths = [" + list + "]"));
  return Execute("SET enable_external_access = false");
}

Result<void> Database::SetThreads(int threads) { return Execute(fmt::format("SET threads = {}", std::max(threads, 1))); }

}  // namespace cordon::engine
