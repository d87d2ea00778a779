// SPDX-License-Identifier: Apache-2.0
#include "cordon/io/text/text_check.h"

#include <simdjson.h>

#include <cstdint>
#include <cstring>

namespace cordon::engine {
namespace {

// Length of the well-formed sequence at the start (Unicode, table 3-7), or 0.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0}; };
  const auto follows = [&](std::size_t i, std::uint8_t lo = 0x80, std::uint8_t hi = 0xbf) {
    return lo <= byte(i) && byte(i) <= hi;
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (0xc2 <= lead && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (0xe0 <= lead && lead <= 0xef) {
    const bool second = follows(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf);
    return second && follows(2) ? 3 : 0;
  }
  if (0xf0 <= lead && lead <= 0xf4) {
    const bool second = follows(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

const char* BadByte::what() const { return kind == Kind::kZero ? "holds a zero byte" : "is not valid UTF-8"; }

const char* BadByte::hint() const {
  return kind == Kind::kZero
             ? "if the file is UTF-16 text, set encoding = \"utf-16le\" in [data]; it may also not be text at all"
             : "set encoding = \"windows-1252\" in [data]; cordon inspect finds out which one fits";
}

std::size_t FirstNotUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t length = SequenceLength(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

std::optional<BadByte> FindBadByte(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::optional<BadByte> bad;
  if (const void* zero = std::memchr(text.data(), 0, text.size())) {
    bad = {BadByte::Kind::kZero, static_cast<std::size_t>(static_cast<const char*>(zero) - text.data())};
  }
  const std::string_view before = text.substr(0, bad ? bad->offset : text.size());
  if (!simdjson::validate_utf8(before.data(), before.size())) bad = {BadByte::Kind::kNotUtf8, FirstNotUtf8(before)};
  return bad;
}

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
  if (start.starts_with("[{")) {
    return OtherFormat{"this looks like a JSON array", "read it as \"sql:SELECT * FROM read_json('FILE')\"", std::nullopt};
  }
  return std::nullopt;
}

}  // namespace cordon::engine
