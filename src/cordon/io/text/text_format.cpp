// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/text/text_format.h"

#include <algorithm>
#include <map>
#include <set>

#include "cordon/io/text/text_check.h"

namespace cordon::engine {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

// Takes ".ext" off a name; "" if there is none.
std::string TakeExtension(std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) return "";
  std::string extension = name.substr(dot);
  name.erase(dot);
  return extension;
}

}  // namespace

Result<void> TextFormat::Validate() const {
  if (delimiter.empty()) return Error::InvalidPolicy("data.delimiter is empty");
  for (const char byte : delimiter) {
    if (byte == '\n' || byte == '\r' || byte == '\0')
      return Error::InvalidPolicy("data.delimiter holds a line end or a zero byte");
    if (quote != '\0' && byte == quote) return Error::InvalidPolicy("data.delimiter holds the quote");
  }
  if (FindBadByte(delimiter)) return Error::InvalidPolicy("data.delimiter is not valid UTF-8");
  if (quote == '\n' || quote == '\r' || static_cast<unsigned char>(quote) >= 0x80) {
    return Error::InvalidPolicy("data.quote must be one ASCII character, not a line end");
  }
  if (trim && (quote == ' ' || quote == '\t')) return Error::InvalidPolicy("data.quote cannot be a space if data.trim is set");
  std::set<std::string> names;
  for (const std::string& name : columns) {
    if (name.empty()) return Error::InvalidPolicy("data.columns holds an empty name");
    if (!names.insert(name).second) return Error::InvalidPolicy("data.columns names \"{}\" twice", name);
  }
  return {};
}

Result<PathFormat> FormatOfPath(const std::string& path) {
  PathFormat found;
  std::string name = Lower(path.substr(path.rfind('/') + 1));
  std::string extension = TakeExtension(name);
  if (extension == ".gz") {
    found.compression = Compression::kGzip;
    extension = TakeExtension(name);
  }
  if (extension == ".jsonl" || extension == ".ndjson") found.format = FileFormat::kJsonLines;
  if (extension == ".parquet" || extension == ".pq") {
    found.format = FileFormat::kParquet;
    if (found.compression != Compression::kNone) {
      return Error::InvalidPolicy("a Parquet file is compressed inside; .parquet.gz is not supported")
          .WithHint("leave the .gz out");
    }
  }
  static const std::map<std::string, FileFormat> kForeign = {{".xlsx", FileFormat::kExcel},   {".sav", FileFormat::kSpss},
                                                             {".zsav", FileFormat::kSpss},    {".dta", FileFormat::kStata},
                                                             {".sas7bdat", FileFormat::kSas}, {".xpt", FileFormat::kSas}};
  if (const auto foreign = kForeign.find(extension); foreign != kForeign.end()) {
    found.format = foreign->second;
    if (found.compression != Compression::kNone) {
      return Error::InvalidPolicy("{}.gz is not supported", extension).WithHint("unpack it first");
    }
  }
  found.tabs = extension == ".tsv" || extension == ".tab";
  if (extension == ".json") {
    return Error::InvalidPolicy("a .json file is one document, not a table")
        .WithHint(
            "one object per line: rename it to .jsonl or give --format jsonl; an array: \"sql:SELECT * FROM "
            "read_json('FILE')\"");
  }
  static const std::set<std::string> kOther = {".arrow", ".feather", ".xls", ".ods", ".zip", ".zst", ".bz2",
                                               ".xz",    ".docx",    ".doc", ".odt", ".pdf", ".html"};
  if (kOther.contains(extension)) {
    return Error::InvalidPolicy("{} files are not supported", extension)
        .WithHint("use .csv, .jsonl, .parquet or .xlsx; .csv and .jsonl also with .gz");
  }
  return found;
}

const std::vector<std::string>& EncodingNames() {
  static const std::vector<std::string> names = {"utf-8", "utf-16le", "utf-16be", "windows-1252", "latin-1"};
  return names;
}

const char* FormatName(FileFormat format) {
  switch (format) {
    case FileFormat::kCsv: return "csv";
    case FileFormat::kJsonLines: return "jsonl";
    case FileFormat::kParquet: return "parquet";
    case FileFormat::kExcel: return "xlsx";
    case FileFormat::kSpss: return "spss";
    case FileFormat::kStata: return "stata";
    case FileFormat::kSas: return "sas";
  }
  return "";
}

Result<FileFormat> FormatOfName(const std::string& name) {
  for (const FileFormat format : {FileFormat::kCsv, FileFormat::kJsonLines, FileFormat::kParquet, FileFormat::kExcel,
                                  FileFormat::kSpss, FileFormat::kStata, FileFormat::kSas}) {
    if (name == FormatName(format)) return format;
  }
  return Error::InvalidPolicy("there is no format '{}'", name).WithHint("known: csv, jsonl, parquet, xlsx, spss, stata, sas");
}

}  // namespace cordon::engine
