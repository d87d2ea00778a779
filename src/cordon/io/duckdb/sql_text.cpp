// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/duckdb/duckdb.h"

namespace cordon::engine {
namespace {

std::string Quote(std::string_view text, char quote) {
  std::string quoted(1, quote);
  for (const char byte : text) {
    if (byte == quote) quoted.push_back(quote);
    quoted.push_back(byte);
  }
  quoted.push_back(quote);
  return quoted;
}

}  // namespace

std::string QuoteSqlText(std::string_view text) { return Quote(text, '\''); }
std::string QuoteSqlName(std::string_view name) { return Quote(name, '"'); }

std::string LiteralPattern(std::string_view path) {
  std::string pattern;
  for (const char byte : path) {
    if (byte == '*' || byte == '?' || byte == '[') {
      pattern.append({'[', byte, ']'});
    } else {
      pattern.push_back(byte);
    }
  }
  return pattern;
}

std::string ParquetRows(const std::vector<std::string>& paths) {
  std::string list;
  for (const std::string& path : paths) list += (list.empty() ? "" : ", ") + QuoteSqlText(LiteralPattern(path));
  return "read_parquet([" + list + "], hive_partitioning = false)";
}

}  // namespace cordon::engine
