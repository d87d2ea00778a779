// SPDX-License-Identifier: Apache-2.0
//
// What a generator makes: a table about nobody, and the files that go with it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/data/table.h"

namespace cordon::engine {

// A table that came out of a generator, never one that was read: it may be written without a verdict.
struct Generated {
  Table table;
  std::string table_file;                                  // "census.csv"
  std::vector<std::pair<std::string, std::string>> files;  // next to it: name and text; policy.toml is the first

  // A stream, of any length: the table has its number of rows and no columns. rows() starts at the first row; each call of
  // what it gives appends the line of the next.
  using RowWriter = std::function<void(std::string& text)>;
  std::string header;
  std::function<RowWriter()> rows;
};

}  // namespace cordon::engine
