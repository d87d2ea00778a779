// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <set>

#include "cordon/base/nearest.h"
#include "cordon/policy/policy_table_internal.h"

namespace cordon::engine::internal {
namespace {

const char* KindOf(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string: return "text";
    case toml::node_type::integer: return "a whole number";
    case toml::node_type::floating_point: return "a decimal number";
    case toml::node_type::boolean: return "true or false";
    case toml::node_type::array: return "a list";
    case toml::node_type::table: return "a table";
    default: return "a date or time";
  }
}

}  // namespace

std::string NearestHint(std::string_view word, const std::vector<std::string>& known) {
  if (const auto nearest = Nearest(word, known)) return fmt::format("did you mean '{}'?", *nearest);
  return fmt::format("known here: {}", fmt::join(known, ", "));
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

Result<PolicyTable> PolicyTable::Open(const toml::table& table, const std::string& file, std::string where, const Keys& known) {
  PolicyTable made(table, file, std::move(where));
  const toml::key* first = nullptr;  // the table is ordered by name; report what a reader of the file meets first
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    if (first == nullptr || key.source().begin < first->source().begin) first = &key;
  }
  if (first != nullptr) {
    return made.At(first->source(), "unknown key '{}' in {}", first->str(), made.where_)
        .WithHint("{}", NearestHint(first->str(), known));
  }
  return made;
}

Error PolicyTable::WrongType(std::string_view key, const toml::node& node, std::string_view expected) const {
  return At(node.source(), "'{}' in {} must be {}, not {}", key, where_, expected, KindOf(node));
}

Error PolicyTable::Missing(std::string_view key, std::string_view what) const {
  return At(table_->source(), "{} needs '{}'", what, key);
}

Error PolicyTable::Placed(std::string_view key, Error error) const {
  const toml::node* node = Node(key);
  const toml::source_region place = node != nullptr ? node->source() : table_->source();
  return std::move(error).WithContext("{}", PlaceText(place));
}

std::string PolicyTable::PlaceText(const toml::source_region& place) const {
  if (place.begin.line == 0) return *file_;
  return fmt::format("{}:{}:{}", *file_, place.begin.line, place.begin.column);
}

Result<std::optional<std::string>> PolicyTable::Text(std::string_view key) const {
  const toml::node* node = Node(key);
  if (node == nullptr) return std::optional<std::string>();
  const auto* text = node->as_string();
  if (text == nullptr) return WrongType(key, *node, "text in quotes");
  return std::optional(text->get());
}

Result<std::optional<bool>> PolicyTable::Flag(std::string_view key) const {
  const toml::node* node = Node(key);
  if (node == nullptr) return std::optional<bool>();
  const auto* flag = node->as_boolean();
  if (flag == nullptr) return WrongType(key, *node, "true or false");
  return std::optional(flag->get());
}

Result<std::optional<std::int64_t>> PolicyTable::Whole(std::string_view key) const {
  const toml::node* node = Node(key);
  if (node == nullptr) return std::optional<std::int64_t>();
  const auto* whole = node->as_integer();
  if (whole == nullptr) return WrongType(key, *node, "a whole number");
  return std::optional<std::int64_t>(whole->get());
}

Result<std::optional<Rational>> PolicyTable::Exact(std::string_view key) const {
  const toml::node* node = Node(key);
  if (node == nullptr) return std::optional<Rational>();
  std::optional<std::string> text = NumberText(*node);
  if (!text && node->is_string()) text = node->as_string()->get();
  if (!text) return WrongType(key, *node, "a number or a fraction such as \"2/3\"");
  Result<Rational> number = Rational::Parse(*text);
  if (!number.ok()) return Placed(key, std::move(number).error().WithContext("'{}' in {}", key, where_));
  return std::optional(number.value());
}

Result<std::optional<std::vector<std::string>>> PolicyTable::Texts(std::string_view key) const {
  const toml::node* node = Node(key);
  if (node == nullptr) return std::optional<std::vector<std::string>>();
  const toml::array* list = node->as_array();
  if (list == nullptr) return WrongType(key, *node, "a list of texts");
  std::vector<std::string> texts;
  for (const toml::node& item : *list) {
    if (!item.is_string()) return WrongType(key, item, "a list of texts");
    texts.push_back(item.as_string()->get());
    if (std::find(texts.begin(), texts.end() - 1, texts.back()) != texts.end() - 1) {
      return At(item.source(), "'{}' is twice in '{}' of {}", texts.back(), key, where_);
    }
  }
  return std::optional(std::move(texts));
}

Result<std::optional<std::vector<std::string>>> PolicyTable::Values(std::string_view key) const {
  const toml::node* node = Node(key);
  if (node == nullptr) return std::optional<std::vector<std::string>>();
  const toml::array* list = node->as_array();
  if (list == nullptr) return WrongType(key, *node, "a list of values");
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (const toml::node& item : *list) {
    std::optional<std::string> text = ScalarText(item);
    if (!text) return WrongType(key, item, "a list of values");
    if (!seen.insert(*text).second) return At(item.source(), "the value '{}' is twice in '{}' of {}", *text, key, where_);
    values.push_back(*std::move(text));
  }
  return std::optional(std::move(values));
}

Result<std::optional<std::size_t>> PolicyTable::Choice(std::string_view key, const Keys& choices) const {
  CORDON_TRY(const std::optional<std::string> text, Text(key));
  if (!text) return std::optional<std::size_t>();
  const auto found = std::find(choices.begin(), choices.end(), *text);
  if (found == choices.end()) {
    return AtKey(key, "'{}' in {} cannot be '{}'", key, where_, *text).WithHint("one of: {}", fmt::join(choices, ", "));
  }
  return std::optional(static_cast<std::size_t>(found - choices.begin()));
}

std::optional<std::string> NumberText(const toml::node& node) {
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  const auto* number = node.as_floating_point();
  if (number == nullptr) return std::nullopt;
  char buffer[64];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, number->get());
  CORDON_CHECK(code == std::errc());
  return std::string(buffer, end);
}

std::optional<std::string> ScalarText(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* date = node.as_date()) {
    return fmt::format("{:04}-{:02}-{:02}", date->get().year, date->get().month, date->get().day);
  }
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  if (const std::optional<std::string> number = NumberText(node)) {
    // As a data file would have it: 1e+21 and the like stay, 2.0 is 2.
    const auto decimal = ParseDecimal(*number);
    return decimal ? FormatDecimal(decimal->mantissa, decimal->scale) : *number;
  }
  return std::nullopt;
}

}  // namespace cordon::engine::internal
