// SPDX-License-Identifier: Apache-2.0
//
// Takes DuckDB's vectors of one column into a dictionary of texts. Texts as they are; whole numbers by value, so that each
// distinct one is written out once; every other type comes cast to text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "cordon/data/dictionary.h"
#include "cordon/io/duckdb/duckdb_api_internal.h"
#include "cordon/io/text/cell_cache_internal.h"

namespace cordon::engine {

class ColumnReader {
 public:
  virtual ~ColumnReader() = default;
  virtual bool reads(duckdb_type type) const = 0;  // else it wants VARCHAR
  // Codes of the column for codes.size() cells; the first cell that is not a text.
  virtual std::optional<BadCell> Take(const void* data, const std::uint64_t* valid, std::span<Code> codes) = 0;
  std::shared_ptr<const Dictionary> dictionary() const { return dictionary_; }

 protected:
  std::shared_ptr<Dictionary> dictionary_ = std::make_shared<Dictionary>();
};

// SQLNULL: a column that is not kept.
std::unique_ptr<ColumnReader> MakeIntake(duckdb_type type);

}  // namespace cordon::engine
