// SPDX-License-Identifier: Apache-2.0
//
// How a text file of rows is written down: what policy table [data] says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cordon/base/result.h"

namespace cordon::engine {

enum class FileFormat { kCsv, kJsonLines, kParquet, kExcel, kSpss, kStata, kSas };
enum class Encoding { kUtf8, kUtf16Le, kUtf16Be, kWindows1252, kLatin1 };
enum class Compression { kNone, kGzip };

struct TextFormat {
  Encoding encoding = Encoding::kUtf8;  // of the file; cells are UTF-8 everywhere else
  std::string delimiter = ",";          // one or more bytes (UCI's files use ", ")
  char quote = '"';                     // '\0': no quoting
  bool header = true;
  std::vector<std::string> columns;  // names, if there is no header; with a header they replace it
  std::uint64_t skip = 0;            // lines to leave out at the top
  bool trim = false;                 // spaces and tabs around cells, outside quotes

  // If single spaces separate cells, trim means those at the ends of a line: they separate nothing.
  bool trims_lines() const { return trim && delimiter == " "; }
  Result<void> Validate() const;
};

struct PathFormat {
  FileFormat format = FileFormat::kCsv;
  Compression compression = Compression::kNone;
  bool tabs = false;  // .tsv, .tab
};

// By the extension: .csv .tsv .tab .txt .data, anything unknown and "-" are CSV; .jsonl and .ndjson JSON Lines; each
// also with .gz; .parquet and .pq Parquet; .xlsx, .sav, .zsav, .dta, .sas7bdat and .xpt tables of other programs. An
// error for what is plainly something else (.xls, .json, ...).
Result<PathFormat> FormatOfPath(const std::string& path);

// "utf-8", "utf-16le", "utf-16be", "windows-1252", "latin-1": what data.encoding takes.
const std::vector<std::string>& EncodingNames();

// "csv", "jsonl", "parquet", "xlsx", "spss", "stata", "sas": what --format takes and a manifest says.
const char* FormatName(FileFormat format);
Result<FileFormat> FormatOfName(const std::string& name);

}  // namespace cordon::engine
