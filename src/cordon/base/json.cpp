// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/json.h"

#include <cmath>

namespace cordon::engine {

namespace {

constexpr int kMaxDepth = 200;  // of lists and objects in each other: other readers have a bound, too

// What the parser of the library would take: it ends at a byte of zero, whatever comes after it, and skips a byte order mark.
bool IsMoreThanJson(std::string_view text) {
  if (text.find('\0') != std::string_view::npos || text.starts_with("\xef\xbb\xbf")) return true;
  int depth = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size() && depth <= kMaxDepth; ++at) {
    const char c = text[at];
    if (quoted && c == '\\') ++at;
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '{')) ++depth;
    if (!quoted && (c == ']' || c == '}')) --depth;
  }
  return depth > kMaxDepth;
}

}  // namespace

Json ParseJson(std::string_view text) { return ParseJson(text, nullptr); }

Json ParseJson(std::string_view text, const Json::parser_callback_t& see) {
  if (IsMoreThanJson(text)) return Json(Json::value_t::discarded);
  return Json::parse(text, see, /*allow_exceptions=*/false);
}

std::string Dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json JsonNumber(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace cordon::engine
