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
             : "if the whole file is Windows-1252, set encoding = \"windows-1252\" in [data]; if only some rows are, correct "
               "them";
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

}  // namespace cordon::engine
