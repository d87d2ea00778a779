// SPDX-License-Identifier: Apache-2.0
//
// What one CSV cell may look like. Shared by the header, read once, and the parser of blocks.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/io/text/text_format.h"

namespace cordon::engine {

struct CellError {
  enum class Kind { kNone, kStrayQuote, kTextAfterQuote, kStrayReturn, kOpenQuote };
  Kind kind = Kind::kNone;
  std::size_t at = 0;  // from the start of the raw cell

  const char* what() const;  // goes on after "row 7 "
  std::string hint() const;
};

// The text of a raw cell: what stands between two delimiters, without the line end. `scratch` holds it if a
// doubled quote had to be taken out; it has room for 16 bytes beyond the text.
CellError ReadCell(std::string_view raw, const TextFormat& format, std::string& scratch, std::string_view& text);

// Whether only spaces stand between a place and the end of its line. Places come in ascending order; each run of
// spaces is walked once.
class SpaceRun {
 public:
  bool EndsLine(std::string_view text, std::size_t at) {
    if (at < end_) return ends_line_;
    end_ = std::min(text.find_first_not_of(' ', at), text.size());
    const std::string_view rest = text.substr(end_);
    return ends_line_ = rest.starts_with('\n') || rest.starts_with("\r\n");
  }

 private:
  std::size_t end_ = 0;
  bool ends_line_ = false;
};

std::string_view TrimSpaces(std::string_view text);

// The first record of `text`, which starts a line and ends in a line end (or lies within an open quote).
struct Record {
  std::vector<std::string> cells;
  std::size_t size = 0;  // bytes, with the line end
  CellError error;
};
Record ReadRecord(std::string_view text, const TextFormat& format);

}  // namespace cordon::engine
