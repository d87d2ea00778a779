// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cordon/io/text/source.h"

namespace cordon::engine {

// What --format takes; nothing if it was not given.
inline Result<std::optional<FileFormat>> ParseFormat(const std::string& name) {
  if (name.empty()) return std::optional<FileFormat>();
  CORDON_TRY(const FileFormat format, FormatOfName(name));
  return std::optional(format);
}

}  // namespace cordon::engine
