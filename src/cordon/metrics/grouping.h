// SPDX-License-Identifier: Apache-2.0
//
// What a reader of a release sees of its groups: rows with equal texts in all quasi columns, and in the `group` column if
// there is one, belong together. Rows that were suppressed and published as stars are not a group. A run knows which those are;
// of a release that somebody made, they are taken to be all rows that show "*" in every quasi column.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"

namespace cordon::engine {

// A column by its codes, kNull to size - 1: of texts, or places on a domain. Its owner outlives it.
struct CodedColumn {
  const Codes* codes = nullptr;
  std::size_t size = 0;
};
std::vector<CodedColumn> QuasiColumns(const Release& release);
std::vector<CodedColumn> QuasiColumns(const Microdata& data);

// How many rows have each combination of codes, in no particular but always the same order.
std::vector<std::uint64_t> CountCombinations(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run);

// Which rows have equal codes in every column: they have one number. Numbers ascend from 0 in order of first rows.
struct RowGroups {
  std::vector<std::uint32_t> of_row;
  std::vector<RowId> first_row;  // of each group
  std::size_t size() const { return first_row.size(); }
};
RowGroups NumberRows(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run);

// Tells rows that are "*" in every quasi column; none are if there is no quasi column.
class StarRows {
 public:
  explicit StarRows(const Release& release);

  // False: there cannot be any, and nothing needs to be asked row by row.
  bool possible() const { return !columns_.empty(); }
  bool operator()(std::size_t row) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if ((*columns_[i])[row] != stars_[i]) return false;
    }
    return !columns_.empty();
  }

 private:
  std::vector<const Codes*> columns_;  // the quasi columns, if the dictionary of each has a "*"
  std::vector<Code> stars_;
};

struct GroupSizes {
  std::vector<std::uint64_t> groups;  // rows of each group, in no particular but always the same order
  std::uint64_t star_rows = 0;        // suppressed rows among the published
};

// Suppressed rows among the published: as known, or those that are "*" throughout.
std::uint64_t StarredRows(const Release& release);

GroupSizes GroupSizesOf(const Release& release, const Run& run);

// Rows of the input that are not among the published ones: suppressed by leaving them out, or dropped for a missing cell.
std::uint64_t RowsLeftOut(const Release& release);

}  // namespace cordon::engine
