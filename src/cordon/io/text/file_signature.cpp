// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/text/file_signature.h"

#include <algorithm>

namespace cordon::engine {
namespace {

struct Signature {
  std::size_t at;
  std::string_view bytes;
  const char* what;
  const char* hint;
  std::optional<FileFormat> format = std::nullopt;
};

using namespace std::string_view_literals;

constexpr Signature kSignatures[] = {
    {0, "PAR1"sv, "this is Parquet", "Parquet is read from a file whose name ends in .parquet", FileFormat::kParquet},
    {0, "PK\x03\x04"sv, "this is an archive or a workbook",
     "a workbook needs a name that ends in .xlsx; unpack anything else first", FileFormat::kExcel},
    {8, "DUCK"sv, "this is a database of DuckDB", "export the table first: duckdb FILE \"COPY t TO 't.parquet'\""},
    {0, "SQLite format 3\0"sv, "this is a database of SQLite",
     "export the table first: sqlite3 -header -csv FILE 'SELECT * FROM t'"},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "this is a file of an old Office program (.xls, .doc)",
     "save it as .xlsx or CSV"},
    {0, "%PDF-"sv, "this is a PDF", "export the table from the program that made it, as .xlsx or CSV"},
    {0, "$FL2"sv, "this is a file of SPSS", "it needs a name that ends in .sav", FileFormat::kSpss},
    {0, "$FL3"sv, "this is a file of SPSS", "it needs a name that ends in .zsav", FileFormat::kSpss},
    {0, "<stata_dta>"sv, "this is a file of Stata", "it needs a name that ends in .dta", FileFormat::kStata},
    {12, "\xc2\xea\x81\x60"sv, "this is a file of SAS", "it needs a name that ends in .sas7bdat", FileFormat::kSas},
    {0, "ARROW1\0\0"sv, "this is Arrow or Feather", "save it as Parquet"},
    {0, "\x28\xb5\x2f\xfd"sv, "this is compressed by zstd", "decompress it first: zstd -d FILE"},
    {0, "BZh"sv, "this is compressed by bzip2", "decompress it first: bunzip2 FILE"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "this is compressed by xz", "decompress it first: unxz FILE"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "this is an archive of 7-Zip", "unpack it first"},
    {0, "<!DOCTYPE html"sv, "this is a web page", "export the table as .xlsx or CSV"},
    {0, "<html"sv, "this is a web page", "export the table as .xlsx or CSV"},
    {0, "<?xml"sv, "this is XML", "export the table as .xlsx or CSV"},
};

// Texts that only begin like one of the two short signatures are left alone.
bool IsSure(const Signature& signature, std::string_view start) {
  if (signature.bytes == "DUCK") return start.size() >= 20 && start.substr(16, 4) == "\0\0\0\0"sv;  // a version of 64 bits
  if (signature.bytes == "BZh") return start.size() >= 10 && start.substr(4, 6) == "1AY&SY";
  return true;
}

}  // namespace

std::optional<OtherFormat> NotText(std::string_view start) {
  for (const Signature& signature : kSignatures) {
    if (start.size() < signature.at || !start.substr(signature.at).starts_with(signature.bytes)) continue;
    if (IsSure(signature, start)) return OtherFormat{signature.what, signature.hint, signature.format};
  }
  return std::nullopt;
}

std::optional<OtherFormat> LooksLikeJson(std::string_view start) {
  if (start.starts_with("{\"")) return OtherFormat{"this looks like JSON Lines", "give --format jsonl", FileFormat::kJsonLines};
  std::string_view inside = start.substr(start.starts_with("[") ? 1 : start.size());
  inside.remove_prefix(std::min(inside.find_first_not_of(" \t\r\n"), inside.size()));
  if (inside.starts_with("{")) {  // often on a line of its own
    return OtherFormat{"this looks like a JSON array", "read it as \"sql:SELECT * FROM read_json('FILE')\"", std::nullopt};
  }
  return std::nullopt;
}

}  // namespace cordon::engine
