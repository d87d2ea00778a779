// SPDX-License-Identifier: Apache-2.0
//
// Rows from outside, in batches. A source owns one growing dictionary per column; batches hold codes into
// them, so the codes of all batches agree and follow the order of first appearance. Batches, codes and errors are
// the same for any number of threads.
//
// An error of the data is the first one in the order of the file. It names the row (from 1, the header not counted)
// and the line of the file; a JSON Lines error the line. After an error Next gives the same error again.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/table.h"
#include "cordon/io/text/cell_type.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {

inline constexpr std::uint64_t kMaxRows = std::numeric_limits<RowId>::max() - 1;  // what a source gives at most

struct Batch {
  std::size_t num_rows = 0;
  std::vector<std::vector<Code>> columns;  // codes into the source's dictionaries
};

class Source {
 public:
  virtual ~Source() = default;

  virtual const std::vector<std::string>& column_names() const = 0;
  virtual std::shared_ptr<const Dictionary> dictionary(std::size_t column) const = 0;
  // Known after Next has given the end.
  virtual CellType column_type(std::size_t) const { return CellType::kText; }
  // The next rows, or nothing at the end.
  virtual Result<std::optional<Batch>> Next(const Run& run) = 0;
  // SHA-256 of the file's own bytes, before decompression, in hexadecimal; empty until Next has given the end.
  virtual std::string InputDigest() = 0;
};

struct SourceOptions {
  TextFormat text;
  std::optional<FileFormat> format;             // default: by the extension (text_format.h)
  std::stop_token stop = {};                    // asked while the head is read, which a pipe may keep waiting
  std::optional<std::uint64_t> memory_mb = {};  // of a library that reads the file; default: its own limit
  std::set<std::string> skip_columns;           // checked for form, not kept: every row gets an empty dictionary's kNull
  // Of a release: types of which the reader would cut digits are refused, and the first line of JSON Lines has all keys.
  bool exact = false;
};

Result<Table> ReadTable(Source& source, const Run& run);
// Of a source that was read to its end.
CellTypes TypesOf(const Source& source);

}  // namespace cordon::engine
