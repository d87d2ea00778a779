// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
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

// --delimiter; an empty one would be taken for none.
inline void AddDelimiter(CLI::App& parser, std::string& delimiter, const std::string& help) {
  const auto check = [](const std::string& text) { return text.empty() ? std::string("the text is empty") : std::string(); };
  parser.add_option("--delimiter", delimiter, help)->type_name("TEXT")->check(check);
}

}  // namespace cordon::engine
