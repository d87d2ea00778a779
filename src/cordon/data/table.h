// SPDX-License-Identifier: Apache-2.0
//
// What a file holds, before anybody has said what the columns mean: texts, dictionary-encoded, by column.
// A Table may hold anything, names of people included; only `Bind` (publish) turns it into Microdata.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/data/codes.h"
#include "cordon/data/dictionary.h"

namespace cordon::engine {

struct Column {
  std::string name;
  std::shared_ptr<const Dictionary> dictionary;
  Codes codes;  // kNull: the cell is absent (JSON null)

  Cell cell(std::size_t row) const {
    const Code code = codes[row];
    return code == kNull ? Cell() : (*dictionary)[code];
  }
};

struct Table {
  std::vector<Column> columns;
  std::size_t num_rows = 0;

  const Column* Find(std::string_view name) const {
    for (const Column& column : columns) {
      if (column.name == name) return &column;
    }
    return nullptr;
  }
};

}  // namespace cordon::engine
