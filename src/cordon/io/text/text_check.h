// SPDX-License-Identifier: Apache-2.0
//
// Bytes that no text may hold.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/io/text/text_format.h"

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

// What a file plainly is instead of what it was taken for, and what to do; nothing: that cannot be told.
struct OtherFormat {
  std::string what;
  std::string hint;
  std::optional<FileFormat> format;  // if cordon reads it
};
inline constexpr std::size_t kSignatureBytes = 20;  // how many bytes NotText looks at
// By the first bytes as they are stored, before any decoding.
std::optional<OtherFormat> NotText(std::string_view start);
std::optional<OtherFormat> LooksLikeJson(std::string_view start);

}  // namespace cordon::engine
