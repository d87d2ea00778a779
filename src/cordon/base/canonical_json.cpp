// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/canonical_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "cordon/base/error.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMaxExact = std::int64_t{1} << 53;

// The code units of a text in UTF-16, by which names are ordered; nothing if it is not UTF-8.
std::optional<std::u16string> Utf16(std::string_view text) {
  std::u16string units;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
    if (size == 0 || i + size > text.size()) return std::nullopt;
    char32_t point = size == 1 ? lead : lead & (0x7Fu >> size);
    for (std::size_t k = 1; k < size; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return std::nullopt;
      point = (point << 6) | (next & 0x3Fu);
    }
    const bool longer = (size == 3 && point < 0x800) || (size == 4 && point < 0x10000);  // than it need be
    if (longer || point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return std::nullopt;
    if (point < 0x10000) {
      units += static_cast<char16_t>(point);
    } else {
      units += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
      units += static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
    i += size;
  }
  return units;
}

void AppendQuoted(std::string_view text, std::string& to) {
  to += '"';
  for (const char c : text) {
    switch (c) {
      case '"': to += "\\\""; break;
      case '\\': to += "\\\\"; break;
      case '\b': to += "\\b"; break;
      case '\f': to += "\\f"; break;
      case '\n': to += "\\n"; break;
      case '\r': to += "\\r"; break;
      case '\t': to += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          to += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          to += c;
        }
    }
  }
  to += '"';
}

Error NotCanonical(const char* what) { return Error::InvalidData("the JSON has no canonical form: {}", what); }

Result<void> AppendCanonical(const Json& json, std::string& to);

Result<void> AppendObject(const Json& json, std::string& to) {
  std::vector<std::pair<std::u16string, Json::const_iterator>> members;
  for (auto it = json.begin(); it != json.end(); ++it) {
    auto name = Utf16(it.key());
    if (!name) return NotCanonical("a name is not UTF-8");
    members.emplace_back(*std::move(name), it);
  }
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  to += '{';
  for (const auto& [name, it] : members) {
    if (to.back() != '{') to += ',';
    AppendQuoted(it.key(), to);
    to += ':';
    CORDON_RETURN_IF_ERROR(AppendCanonical(it.value(), to));
  }
  to += '}';
  return {};
}

Result<void> AppendCanonical(const Json& json, std::string& to) {
  switch (json.type()) {
    case Json::value_t::null: to += "null"; return {};
    case Json::value_t::boolean: to += json.get<bool>() ? "true" : "false"; return {};
    case Json::value_t::string:
      if (!Utf16(json.get_ref<const std::string&>())) return NotCanonical("a text is not UTF-8");
      AppendQuoted(json.get_ref<const std::string&>(), to);
      return {};
    case Json::value_t::number_unsigned:
      if (json.get<std::uint64_t>() > std::uint64_t{kMaxExact}) return NotCanonical("a whole number is beyond 2^53");
      to += std::to_string(json.get<std::uint64_t>());
      return {};
    case Json::value_t::number_integer:
      if (std::abs(json.get<std::int64_t>()) > kMaxExact) return NotCanonical("a whole number is beyond 2^53");
      to += std::to_string(json.get<std::int64_t>());
      return {};
    case Json::value_t::number_float:
      if (!std::isfinite(json.get<double>())) return NotCanonical("a number is not finite");
      to += CanonicalNumber(json.get<double>());
      return {};
    case Json::value_t::array: {
      to += '[';
      bool first = true;
      for (const Json& item : json) {
        if (!first) to += ',';
        first = false;
        CORDON_RETURN_IF_ERROR(AppendCanonical(item, to));
      }
      to += ']';
      return {};
    }
    case Json::value_t::object: return AppendObject(json, to);
    default: return NotCanonical("it holds what JSON does not have");
  }
}

}  // namespace

std::string CanonicalNumber(double value) {
  if (value == 0) return "0";
  // The shortest digits that read back the same, d.ddd e n; ECMAScript places the point by n.
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t mark = text.find('e');
  std::string digits(1, text[0]);
  if (mark > 2) digits += text.substr(2, mark - 2);
  int exponent = 0;
  const char* number = buffer + mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(number, end, exponent);
  const int point = exponent + 1;  // digits before the point
  const int size = static_cast<int>(digits.size());
  std::string made = value < 0 ? "-" : "";
  if (size <= point && point <= 21) return made + digits + std::string(static_cast<std::size_t>(point - size), '0');
  if (0 < point && point <= 21) return made + digits.insert(static_cast<std::size_t>(point), ".");
  if (-6 < point && point <= 0) return made + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (size > 1) digits.insert(1, ".");
  return made + digits + fmt::format("e{}{}", exponent < 0 ? '-' : '+', std::abs(exponent));
}

Result<std::string> CanonicalJson(const Json& json) {
  std::string text;
  CORDON_RETURN_IF_ERROR(AppendCanonical(json, text));
  return text;
}

Json ParseJsonOnce(std::string_view text) {
  std::vector<std::set<std::string>> names;
  bool twice = false;
  Json json = ParseJson(text, [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key) twice = !names.back().insert(parsed.get<std::string>()).second || twice;
    return true;
  });
  return twice ? Json(Json::value_t::discarded) : json;
}

}  // namespace cordon::engine
