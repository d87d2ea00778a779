// SPDX-License-Identifier: Apache-2.0
//
// One JSON object on a line, field by field: shared by the reader of tables and the reader of streams.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cordon/io/text/block_reader_internal.h"
#include "cordon/io/text/byte_scan_internal.h"
#include "cordon/io/text/json_number.h"

namespace cordon::engine {

namespace ondemand = simdjson::ondemand;

struct LineError {
  std::string what;  // goes on after "line 7 "; empty: none
  std::string hint;
};

inline LineError NotAnObject() { return {"is not one valid JSON object", "JSON Lines has one object on each line"}; }

inline std::string_view TrimBlank(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

inline constexpr int kDeepestObject = 16;

// Walks an object and the objects in it. `path` is that of the object, with a point at its end.
template <typename OnField>
LineError ForEachFieldIn(ondemand::object& object, std::string& path, int depth, const OnField& on_field) {
  for (auto item : object) {
    ondemand::field field;
    if (std::move(item).get(field) != simdjson::SUCCESS) return NotAnObject();
    std::string_view key;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) return NotAnObject();
    ondemand::json_type type;
    if (field.value().type().get(type) != simdjson::SUCCESS) return NotAnObject();
    if (type == ondemand::json_type::object) {
      if (depth == kDeepestObject) return {"has objects in objects, too deep", ""};
      ondemand::object below;
      if (field.value().get_object().get(below) != simdjson::SUCCESS) return NotAnObject();
      const std::size_t length = path.size();
      path.append(key).append(".");
      if (LineError error = ForEachFieldIn(below, path, depth + 1, on_field); !error.what.empty()) return error;
      path.resize(length);
    } else if (path.empty()) {
      if (LineError error = on_field(key, field.value()); !error.what.empty()) return error;
    } else {
      const std::size_t length = path.size();
      path.append(key);
      if (LineError error = on_field(std::string_view(path), field.value()); !error.what.empty()) return error;
      path.resize(length);
    }
  }
  return {};
}

// Python writes NaN and Infinity, which JSON does not have.
inline bool HoldsNoNumber(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && quoted)
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (!quoted && (line.substr(i).starts_with("NaN") || line.substr(i).starts_with("Infinity")))
      return true;
  }
  return false;
}

// Walks the object on a line: on_field(path, value) returns an error or none. A field of an object inside has the path
// "meta.ip"; the path is valid during the call alone.
template <typename OnField>
LineError ForEachFieldOf(ondemand::parser& parser, std::string_view line, const OnField& on_field) {
  ondemand::document document;
  const simdjson::padded_string_view padded(line.data(), line.size(), line.size() + kBlockPadding);
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return NotAnObject();
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return NotAnObject();
  std::string path;
  if (LineError error = ForEachFieldIn(object, path, 0, on_field); !error.what.empty()) return error;
  // Only a document that was read to its end has no current place.
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) return NotAnObject();
  return {};
}

template <typename OnField>
LineError ForEachField(ondemand::parser& parser, std::string_view line, const OnField& on_field) {
  LineError error = ForEachFieldOf(parser, line, on_field);
  if (error.what != NotAnObject().what || !HoldsNoNumber(line)) return error;
  return {"holds NaN or Infinity, which JSON does not have", "write null for a number that is missing"};
}

// The text of a scalar, or no text for null. 16 bytes can be read at its start. `bare`: a number, true or false.
inline LineError ReadValue(ondemand::value& value, std::optional<std::string_view>& text, bool& bare) {
  bare = false;
  ondemand::json_type type;
  if (value.type().get(type) != simdjson::SUCCESS) return NotAnObject();
  const auto token = [&] { return TrimBlank(value.raw_json_token()); };
  switch (type) {
    case ondemand::json_type::string: {
      std::string_view unescaped;
      if (value.get_string().get(unescaped) != simdjson::SUCCESS) return NotAnObject();
      if (HoldsByte(unescaped, '\0')) return {"holds a zero character", ""};
      text = unescaped;
      return {};
    }
    case ondemand::json_type::number:
      text = token();
      bare = true;
      return IsJsonNumber(*text) ? LineError{} : NotAnObject();
    case ondemand::json_type::boolean:
      text = token();
      bare = true;
      return *text == "true" || *text == "false" ? LineError{} : NotAnObject();
    case ondemand::json_type::null: return token() == "null" ? LineError{} : NotAnObject();
    case ondemand::json_type::object:
    case ondemand::json_type::array: break;
  }
  return {"has a list as a value",
          "cells are strings, numbers, true, false or null; of an object inside, each field is a column"};
}
inline LineError ReadValue(ondemand::value& value, std::optional<std::string_view>& text) {
  bool bare = false;
  return ReadValue(value, text, bare);
}

}  // namespace cordon::engine
