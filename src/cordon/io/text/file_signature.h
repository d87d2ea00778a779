// SPDX-License-Identifier: Apache-2.0
//
// What a file is by its first bytes, whatever its name says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cordon/io/text/text_format.h"

namespace cordon::engine {

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
