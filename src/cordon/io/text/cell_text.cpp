// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/text/cell_text.h"

#include "cordon/io/text/byte_scan_internal.h"

namespace cordon::engine {
// The delimiter's first byte is enough to ask for quotes: a longer delimiter could otherwise begin in the cell and end in
// the one that follows.
bool CsvCell::Append(std::string_view cell, std::string& to) const {
  const bool must = HoldsByte(cell, delimiter_) || HoldsByte(cell, '\n') || HoldsByte(cell, '\r');
  if (quote_ == '\0') {
    if (!must) to.append(cell);
    return !must;
  }
  const bool outer_space = !cell.empty() && (IsSpace(cell.front()) || IsSpace(cell.back()));
  const bool blank_line = single_ && cell.empty();
  const bool byte_order_mark = cell.starts_with("\xef\xbb\xbf");
  if (!must && !outer_space && !blank_line && !byte_order_mark && !HoldsByte(cell, quote_)) {
    to.append(cell);
    return true;
  }
  to.push_back(quote_);
  for (const char byte : cell) {
    if (byte == quote_) to.push_back(byte);
    to.push_back(byte);
  }
  to.push_back(quote_);
  return true;
}

void AppendJsonString(std::string_view text, std::string& to) {
  to.push_back('"');
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      to += {'\\', byte};
    } else if (static_cast<unsigned char>(byte) < 0x20) {
      to += byte == '\n'   ? "\\n"
            : byte == '\r' ? "\\r"
            : byte == '\t' ? "\\t"
                           : fmt::format("\\u{:04x}", static_cast<int>(byte));
    } else {
      to.push_back(byte);
    }
  }
  to.push_back('"');
}

}  // namespace cordon::engine
