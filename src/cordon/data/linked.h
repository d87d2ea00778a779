// SPDX-License-Identifier: Apache-2.0
//
// Releases about the same people, as somebody who has all of them can join them: texts by column, and for columns that several
// have, what each text may stand for on the axis they share.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/codes.h"
#include "cordon/data/dictionary.h"
#include "cordon/data/extent.h"

namespace cordon::engine {

struct LinkedColumn {
  std::string name;
  std::shared_ptr<const Dictionary> texts;
  Codes codes;                  // kNull: the cell is absent
  std::vector<Extent> extents;  // by code + 1; empty: no other release has the column

  const Extent& extent(std::size_t row) const { return extents[static_cast<std::size_t>(std::int64_t{codes[row]} + 1)]; }
};

struct LinkedTable {
  std::string name;  // of the file, for messages
  std::size_t num_rows = 0;
  std::vector<LinkedColumn> columns;
  Codes persons;  // person of each row, if known; empty: each row its own

  std::optional<std::size_t> Find(std::string_view column) const {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == column) return i;
    }
    return std::nullopt;
  }
};

// Cells of two columns of two releases that nobody has together.
struct ImpossibleCells {
  std::size_t table_a = 0;
  std::size_t column_a = 0;
  std::size_t table_b = 0;
  std::size_t column_b = 0;
  std::size_t num_b = 0;    // texts of column b + 1
  std::vector<char> cells;  // by (code in a + 1) * num_b + code in b + 1

  bool Impossible(Code a, Code b) const {
    return cells[static_cast<std::size_t>(a + 1) * num_b + static_cast<std::size_t>(b + 1)] != 0;
  }
};

struct LinkedTables {
  std::vector<LinkedTable> tables;  // the current release, then the previous ones
  std::vector<ImpossibleCells> impossible;
};

// Reads the cells of every column that several releases have. `axes`: by column; a column without one holds values without
// order, and gets its axis here. An error names release, row and column of a cell that the axis does not know.
Result<void> ReadExtents(LinkedTables& linked, std::map<std::string, SharedAxis>& axes,
                         const std::vector<std::string>& missing);

// Whether every value that the first cell may stand for is impossible with every one of the second, by the listed pairs.
bool AreImpossible(const std::string& current, std::string_view current_text, const std::string& previous,
                   std::string_view previous_text, const std::vector<std::pair<std::string, std::string>>& pairs,
                   const std::map<std::string, SharedAxis>& axes);

// What is impossible between `current` of one release and `previous` of another, for all pairs of releases that have them. A
// label is impossible if all its leaves are.
void AddImpossible(LinkedTables& linked, const std::string& current, const std::string& previous,
                   const std::vector<std::pair<std::string, std::string>>& pairs,
                   const std::map<std::string, SharedAxis>& axes);

}  // namespace cordon::engine
