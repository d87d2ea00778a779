// SPDX-License-Identifier: Apache-2.0
//
// The text of one cell of somebody's data. It has no formatter and no stream operator, so it cannot slip
// into a message or a log; code that needs the bytes says so by calling bytes().
#pragma once

#include <string_view>

namespace cordon::engine {

class Cell {
 public:
  constexpr Cell() = default;
  constexpr explicit Cell(std::string_view bytes) : bytes_(bytes) {}

  constexpr std::string_view bytes() const { return bytes_; }

  friend constexpr bool operator==(Cell, Cell) = default;

 private:
  std::string_view bytes_;
};

}  // namespace cordon::engine
