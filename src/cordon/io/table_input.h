// SPDX-License-Identifier: Apache-2.0
//
// The table that a request names: a file, standard input, a query, or one in memory.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "cordon/data/table.h"

namespace cordon::engine {

struct TableInput {
  TableInput() = default;
  TableInput(std::string path) : name(std::move(path)) {}  // NOLINT: implicit by design
  TableInput(const char* path) : name(path) {}             // NOLINT
  explicit TableInput(std::shared_ptr<const Table> in_memory) : name("the table"), table(std::move(in_memory)) {}

  bool empty() const { return name.empty(); }

  std::string name;                    // path, "-" or "sql:SELECT ..."; of a table in memory, what messages call it
  std::shared_ptr<const Table> table;  // in memory; null: `name` is opened
};

}  // namespace cordon::engine
