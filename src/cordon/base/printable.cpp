// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/printable.h"

#include <fmt/format.h>

namespace cordon::engine {
namespace {

// U+0080 to U+009F, and what turns the direction or ends a line: their first byte is that of ordinary characters, too.
unsigned HiddenAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[at + i])) : 0U;
  };
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return byte(1);
  if (byte(0) != 0xE2) return 0;
  const unsigned point = 0x2000 + ((byte(1) & 0x3FU) << 6U) + (byte(2) & 0x3FU);
  const bool turns = (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0x200E ||
                     point == 0x200F || point == 0x2028 || point == 0x2029;
  return turns ? point : 0;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\t') {
      shown += "\\t";
    } else if (c == '\r') {
      shown += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      shown += fmt::format("\\x{:02x}", byte);
    } else if (const unsigned hidden = byte < 0x80 ? 0 : HiddenAt(text, at); hidden != 0) {
      shown += fmt::format("\\u{:04x}", hidden);
      at += byte == 0xC2 ? 1 : 2;
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace cordon::engine
