// SPDX-License-Identifier: Apache-2.0
//
// One cell as it is written: CSV with quotes only if a reader would need them, or a JSON string.
#pragma once

#include <string>
#include <string_view>

#include "cordon/io/text/text_format.h"

namespace cordon::engine {

class CsvCell {
 public:
  // `single`: the row has no other cell, and an empty one would be a blank line, which many readers leave out.
  CsvCell(const TextFormat& text, bool single) : delimiter_(text.delimiter[0]), quote_(text.quote), single_(single) {}

  // False if the cell needs quotes and the format has none; nothing is appended then.
  bool Append(std::string_view cell, std::string& to) const;

 private:
  char delimiter_;
  char quote_;
  bool single_;
};

void AppendJsonString(std::string_view text, std::string& to);

}  // namespace cordon::engine
