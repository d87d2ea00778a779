// SPDX-License-Identifier: Apache-2.0
//
// A table whose rows do not fit in memory: what its columns are is here, its rows are on disk as codes of the texts that the
// file shows. Domains are those of the whole table, so what is bound of a part of it can be compared with any other part.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/io/spill/row_spill.h"
#include "cordon/io/table_input.h"
#include "cordon/io/text/source.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// A column, and what each text of the file means in it. Texts are known by their codes; kNull is at place 0.
struct LargeColumn {
  Attribute attribute;
  std::vector<Code> codes;                  // quasi, sensitive: the place on the domain, by code + 1
  std::shared_ptr<const Dictionary> texts;  // all but quasi: what is published as it is
  std::vector<Code> text_codes;             // by code + 1
};

struct LargeTable {
  std::vector<LargeColumn> columns;  // the published ones, in the order of the input
  RowSpill rows;                     // one bucket: a code per column
  std::uint64_t num_rows = 0;
  std::uint64_t dropped_rows = 0;  // left out for a missing cell
  std::string input_sha256;
  CellTypes types;
  std::uint64_t bytes = 0;  // that texts and their meanings take in memory

  Code code(std::size_t column, Code text) const { return columns[column].codes[static_cast<std::size_t>(text + 1)]; }
  std::vector<std::size_t> ColumnsOf(Role role) const;
};

struct LargeTableOptions {
  SourceOptions source;
  std::string folder;        // where the rows go
  std::uint64_t memory = 0;  // bytes; distinct texts may take a quarter of it
};

// Reads all of the input and binds it. REQUIRES: the policy names no person.
Result<LargeTable> ReadLargeTable(const TableInput& input, const Policy& policy, const LargeTableOptions& options,
                                  const Run& run);

// Microdata out of rows of a table.
class MicrodataBuilder {
 public:
  // `columns`: the others have no rows.
  MicrodataBuilder(const LargeTable& table, std::vector<std::size_t> columns);
  explicit MicrodataBuilder(const LargeTable& table);  // all columns
  void Add(std::span<const Code> row);
  Microdata Finish();
  std::size_t width() const { return table_.columns.size(); }

 private:
  const LargeTable& table_;
  std::vector<std::size_t> used_;
  std::vector<CodesBuilder> codes_;
  std::vector<CodesBuilder> texts_;
  std::size_t num_rows_ = 0;
};

// The rows of some buckets, one bucket after the other. A stored row may have more after its columns, which `more` is given.
Result<Microdata> LoadRows(const RowSpill& spill, std::span<const std::size_t> buckets, MicrodataBuilder rows, const Run& run,
                           const std::function<void(std::size_t bucket, std::span<const Code> row)>& more = nullptr);

// Counts how often each value of the given sensitive columns occurs in all rows. Every part of the table knows it then
// (Attribute::whole).
Result<void> CountWhole(LargeTable& table, std::span<const std::size_t> sensitive, const Run& run);

}  // namespace cordon::engine
