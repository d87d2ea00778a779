// SPDX-License-Identifier: Apache-2.0
//
// Bytes that no text may hold.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cordon::engine {

struct BadByte {
  enum class Kind { kZero, kNotUtf8 };
  Kind kind;
  std::size_t offset;

  const char* what() const;  // "holds a zero byte", "is not valid UTF-8"
  const char* hint() const;
};

// The first zero byte or the start of the first sequence that is not UTF-8. Fast if there is none.
std::optional<BadByte> FindBadByte(std::string_view text);

// Where the first sequence that is not UTF-8 starts; the size if there is none.
std::size_t FirstNotUtf8(std::string_view text);

}  // namespace cordon::engine
