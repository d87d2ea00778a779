// SPDX-License-Identifier: Apache-2.0
//
// What several commands say.
#pragma once

#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "cordon/cli/console.h"
#include "cordon/io/files/written_files.h"
#include "cordon/io/foreign/foreign.h"

namespace cordon::engine {

// The result of a run; on stderr if its rows went to standard output.
inline void TellOfRun(const std::string& output, std::string_view text, bool json, Console& console) {
  if (output != "-") {
    json ? console.Out(text) : console.Say(text);
  } else if (json) {
    console.Err(text);
  } else {
    console.Note("{}", text.substr(0, text.find_last_not_of('\n') + 1));
  }
}

// That a workbook has more than was read.
inline void TellOfSheets(const std::string& path, std::optional<FileFormat> format, Console& console, const Run& run) {
  const auto by_path = FormatOfPath(path);
  if (!format && by_path.ok()) format = by_path.value().format;
  if (path == "-" || format != FileFormat::kExcel) return;
  const auto sheets = CountSheets(path, run);
  if (!sheets.ok() || sheets.value() < 2) return;
  console.Note("note: {} has {} sheets, and the first one is read; to read another, save it as CSV", path, sheets.value());
}

// "written: out.csv, out.csv.manifest.json; private: out.csv.private.json"
inline void TellOfFiles(const WrittenFiles& files, Console& console) {
  if (files.open.empty() && files.secret.empty()) return;
  std::string line = "written: ";
  if (!files.open.empty()) line += fmt::format("{}", fmt::join(files.open, ", "));
  if (!files.secret.empty())
    line += fmt::format("{}private: {}", files.open.empty() ? "" : "; ", fmt::join(files.secret, ", "));
  console.Note("{}", line);
}

}  // namespace cordon::engine
