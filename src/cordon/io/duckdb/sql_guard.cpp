// SPDX-License-Identifier: Apache-2.0
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "cordon/io/duckdb/sql_guard_internal.h"

namespace cordon::engine {
namespace {

using Json = nlohmann::json;

// Table functions a query may use: readers, whose first argument names files, and makers of rows.
const std::set<std::string, std::less<>> kReaders = {"read_csv",          "read_csv_auto", "read_parquet",
                                                     "parquet_scan",      "read_json",     "read_json_auto",
                                                     "read_json_objects", "read_ndjson",   "read_ndjson_auto"};
const std::set<std::string, std::less<>> kMakers = {"range", "generate_series", "unnest", "repeat", "json_each"};

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

std::string TextOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// The syntax tree of the query, by DuckDB's parser.
Result<Json> Parse(Database& database, const std::string& query) {
  const DuckDbApi& api = database.api();
  duckdb_prepared_statement statement = nullptr;
  duckdb_result result = {};
  std::string text;
  bool good = api.prepare(database.connection(), "SELECT json_serialize_sql($1::VARCHAR)", &statement) == DuckDBSuccess &&
              api.bind_varchar_length(statement, 1, query.data(), query.size()) == DuckDBSuccess &&
              api.execute_prepared(statement, &result) == DuckDBSuccess;
  if (good) {
    duckdb_data_chunk chunk = api.fetch_chunk(result);
    good = chunk != nullptr && api.data_chunk_get_size(chunk) == 1;
    if (good) {
      auto* value = static_cast<duckdb_string_t*>(api.vector_get_data(api.data_chunk_get_vector(chunk, 0)));
      const std::size_t size = value->value.inlined.length;
      text.assign(size <= sizeof(value->value.inlined.inlined) ? value->value.inlined.inlined : value->value.pointer.ptr, size);
    }
    if (chunk != nullptr) api.destroy_data_chunk(&chunk);
  }
  api.destroy_result(&result);
  api.destroy_prepare(&statement);
  Json tree = good ? Json::parse(text, nullptr, false) : Json();
  if (!tree.is_object()) return Error::InvalidPolicy("the query cannot be read; this DuckDB may lack its json extension");
  return tree;
}

// Literals among the file arguments of a reader: 'a.csv' or ['a.csv', 'b.csv'].
Result<std::vector<std::string>> LiteralFiles(const Json& argument, const std::string& function) {
  std::vector<std::string> files;
  if (TextOf(argument, "class") == "CONSTANT" && argument.contains("value") && argument["value"].contains("value") &&
      argument["value"]["value"].is_string()) {
    files.push_back(argument["value"]["value"].get<std::string>());
    return files;
  }
  const std::string name = TextOf(argument, "function_name");
  if ((name == "list_value" || TextOf(argument, "type") == "ARRAY_CONSTRUCTOR") && argument.contains("children")) {
    for (const Json& child : argument["children"]) {
      CORDON_TRY(const std::vector<std::string> more, LiteralFiles(child, function));
      files.insert(files.end(), more.begin(), more.end());
    }
    return files;
  }
  return Error::InvalidPolicy("the query is refused: the files of {} must be literals, 'a.csv' or ['a.csv', 'b.csv']",
                              function);
}

Result<void> VisitFunction(const Json& node, std::vector<std::string>& named) {
  const Json& function = node["function"];
  const std::string name = Lower(TextOf(function, "function_name"));
  if (kMakers.contains(name)) return {};
  if (!kReaders.contains(name)) {
    return Error::InvalidPolicy("the query is refused: it may not use the table function {}", name)
        .WithHint("tables come from files: FROM 'a.parquet', read_csv(...), read_parquet(...), read_json(...)");
  }
  if (!function.contains("children") || function["children"].empty())
    return Error::InvalidPolicy("the query is refused: {} names no file", name);
  CORDON_TRY(const std::vector<std::string> files, LiteralFiles(function["children"][0], name));
  named.insert(named.end(), files.begin(), files.end());
  return {};
}

// Every name in the place of a table, anywhere in the tree.
Result<std::vector<std::string>> NamedFiles(const Json& tree) {
  std::vector<std::string> named;
  std::vector<const Json*> open = {&tree};
  while (!open.empty()) {
    const Json& node = *open.back();
    open.pop_back();
    if (node.is_object()) {
      const std::string type = TextOf(node, "type");
      if (type == "BASE_TABLE" && TextOf(node, "schema_name").empty()) named.push_back(TextOf(node, "table_name"));
      if (type == "TABLE_FUNCTION" && node.contains("function")) CORDON_RETURN_IF_ERROR(VisitFunction(node, named));
    }
    if (!node.is_structured()) continue;
    std::vector<const Json*> children;
    for (const Json& child : node) children.push_back(&child);
    open.insert(open.end(), children.rbegin(), children.rend());
  }
  return named;
}

bool IsPattern(const std::string& name) { return name.find_first_of("*?[") != std::string::npos; }

// DuckDB explains a table name that is not a file: a WITH clause may have made it.
Result<void> AddFile(const std::string& name, GuardedQuery& guarded) {
  if (name.find("://") != std::string::npos) {
    return Error::InvalidPolicy("the query is refused: {} is not a local file", name);
  }
  const auto add = [](const std::string& what, std::vector<std::string>& to) {
    if (std::find(to.begin(), to.end(), what) == to.end()) to.push_back(what);
  };
  std::error_code failed;
  if (std::filesystem::is_regular_file(name, failed)) {
    add(name, guarded.files);
  } else if (IsPattern(name)) {
    glob_t found = {};
    if (::glob(name.c_str(), 0, nullptr, &found) == 0) {
      add(name, guarded.patterns);
      for (std::size_t i = 0; i < found.gl_pathc; ++i) add(found.gl_pathv[i], guarded.files);
    }
    ::globfree(&found);
    if (guarded.patterns.empty() || guarded.patterns.back() != name)
      return Error::Io("the query names {}, and no file matches", name);
  } else if (name.find('.') != std::string::npos || name.find('/') != std::string::npos) {
    return Error::Io("the query names {}, which is not a file that can be read", name);
  }
  return {};
}

}  // namespace

Result<GuardedQuery> GuardQuery(Database& database, const std::string& query) {
  if (query.find('\0') != std::string::npos) return Error::InvalidPolicy("the query holds a zero byte");
  GuardedQuery guarded;
  guarded.text = query;
  while (!guarded.text.empty() && std::string_view(" \t\r\n;").find(guarded.text.back()) != std::string_view::npos)
    guarded.text.pop_back();
  if (guarded.text.empty()) return Error::InvalidPolicy("the query is empty").WithHint("sql:SELECT ... FROM 'a.parquet'");
  CORDON_TRY(const Json tree, Parse(database, guarded.text));
  if (tree.value("error", true)) {
    if (TextOf(tree, "error_type") != "parser") {
      return Error::InvalidPolicy("the query is refused: only SELECT may be asked").WithHint("sql:SELECT ... FROM 'a.parquet'");
    }
    return Error::InvalidPolicy("the query is refused: {}", TextOf(tree, "error_message"));
  }
  if (!tree.contains("statements") || tree["statements"].size() != 1) {
    return Error::InvalidPolicy("the query is refused: it must be one statement");
  }
  CORDON_TRY(const std::vector<std::string> named, NamedFiles(tree["statements"]));
  for (const std::string& name : named) CORDON_RETURN_IF_ERROR(AddFile(name, guarded));
  return guarded;
}

}  // namespace cordon::engine
