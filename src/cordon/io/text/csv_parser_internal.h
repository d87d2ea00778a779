// SPDX-License-Identifier: Apache-2.0
//
// CSV after RFC 4180, with the freedoms of TextFormat: any delimiter, LF or CRLF, spaces trimmed on request.
//
//   rows      every line; blank lines at the very end of a file of several columns are left out
//   refused   ragged rows, quotes or carriage returns inside unquoted cells, text after a closing quote, an open
//             quote at the end, zero bytes, bad UTF-8: always the first in the order of the file
#pragma once

#include <memory>

#include "cordon/io/text/block_source_internal.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {

class CsvFormat : public BlockFormat {
 public:
  CsvFormat(TextFormat text, Schema schema) : text_(std::move(text)), schema_(std::move(schema)) {}

  const Schema& schema() const override { return schema_; }
  std::unique_ptr<RowParser> NewParser() const override;
  std::string Locate(std::uint64_t row, std::uint64_t line, const std::string& what) const override;

 private:
  TextFormat text_;
  Schema schema_;
};

}  // namespace cordon::engine
