// SPDX-License-Identifier: Apache-2.0
//
// Tables: from memory, from Arrow, from files. All cells are texts, as in a CSV file; the policy says which columns are numbers
// and dates. A Table does not change and is cheap to copy.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cordon/export.h"
#include "cordon/result.h"
#include "cordon/run.h"

struct ArrowArrayStream;  // cordon/arrow_c_data.h, or the same of another library

namespace cordon {

namespace engine {
struct Table;
}  // namespace engine

class CORDON_API Table {
 public:
  // .csv or .jsonl, also .gz, .parquet, or "sql:SELECT ...". `delimiter` of CSV: empty takes the one that the first line has
  // most of.
  static Result<Table> Read(const std::string& path, const std::string& delimiter = "", const RunOptions& run = {});

  // The Arrow C stream interface: a stream of record batches. Takes the stream over: it is released, also after an error.
  // Columns may be text, numbers, booleans, dates, timestamps, decimals, and dictionaries of these; they become the texts that
  // a Parquet file of the same table gives.
  static Result<Table> FromArrow(ArrowArrayStream* stream, const RunOptions& run = {});

  std::size_t num_rows() const;
  std::size_t num_columns() const;
  // REQUIRES, here and below: the row and the column are there.
  const std::string& column_name(std::size_t column) const;
  // Nothing if the cell is absent.
  std::optional<std::string_view> cell(std::size_t row, std::size_t column) const;

  // Fills `stream`; its receiver releases it. Every column is a dictionary of texts. The Table need not outlive it.
  void ToArrow(ArrowArrayStream* stream) const;

  explicit Table(std::shared_ptr<const engine::Table> table);  // for the library's own use
  const std::shared_ptr<const engine::Table>& inner() const { return table_; }

 private:
  std::shared_ptr<const engine::Table> table_;
};

class CORDON_API TableBuilder {
 public:
  TableBuilder();
  ~TableBuilder();
  TableBuilder(TableBuilder&&) noexcept;
  TableBuilder& operator=(TableBuilder&&) noexcept;

  TableBuilder& Column(std::string name, std::span<const std::string_view> cells);
  TableBuilder& Column(std::string name, std::initializer_list<std::string_view> cells);
  TableBuilder& Column(std::string name, std::span<const std::string> cells);
  TableBuilder& Column(std::string name, std::span<const std::optional<std::string>> cells);  // nothing: absent

  // An error if two columns share a name or differ in length, or a cell is not valid UTF-8.
  Result<Table> Build();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// What a call reads: a table, or the path of one as in Table::Read ("-" is standard input). A file is read as the policy's
// [data] says.
class CORDON_API Input {
 public:
  Input(Table table) : table_(std::move(table)) {}       // NOLINT: implicit by design
  Input(std::string path) : path_(std::move(path)) {}    // NOLINT
  Input(const char* path) : Input(std::string(path)) {}  // NOLINT

  const std::optional<Table>& table() const { return table_; }
  const std::string& path() const { return path_; }

 private:
  std::optional<Table> table_;
  std::string path_;
};

}  // namespace cordon
