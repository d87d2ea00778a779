// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cordon/base/toml_text.h"
#include "cordon/policy.h"

namespace cordon {
namespace {

using engine::TomlText;

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const {
    const std::string digits = fmt::format("{}", value);
    return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
  }
  std::string operator()(const std::string& value) const { return TomlText(value); }
  std::string operator()(const PolicyValue::Array& values) const {
    std::string text;
    for (const PolicyValue& value : values) text += (text.empty() ? "" : ", ") + std::visit(*this, value.value());
    return "[" + text + "]";
  }
  std::string operator()(const PolicyKeys& keys) const {
    std::string text;
    for (const auto& [key, value] : keys) {
      text += fmt::format("{}{} = {}", text.empty() ? " " : ", ", TomlText(key), std::visit(*this, value.value()));
    }
    return "{" + text + " }";
  }
};

std::string Lines(const PolicyKeys& keys) {
  std::string text;
  for (const auto& [key, value] : keys) {
    text += fmt::format("{} = {}\n", TomlText(key), std::visit(ValueText(), value.value()));
  }
  return text;
}

bool IsTable(const PolicyValue& value) { return std::holds_alternative<PolicyKeys>(value.value()); }

// [name] with its keys; if these are tables throughout, as those of attributes are, one [name.key] each.
std::string Section(const std::string& name, const PolicyKeys& keys) {
  const bool tables =
      !keys.empty() && std::all_of(keys.begin(), keys.end(), [](const auto& key) { return IsTable(key.second); });
  if (!tables) return fmt::format("[{}]\n{}\n", TomlText(name), Lines(keys));
  std::string text;
  for (const auto& [key, value] : keys) {
    text += fmt::format("[{}.{}]\n{}\n", TomlText(name), TomlText(key), Lines(std::get<PolicyKeys>(value.value())));
  }
  return text;
}

bool IsArrayOfTables(const PolicyValue& value) {
  const auto* array = std::get_if<PolicyValue::Array>(&value.value());
  return array != nullptr && !array->empty() && std::all_of(array->begin(), array->end(), IsTable);
}

PolicyKeys With(std::string key, std::string value, PolicyKeys keys) {
  keys.insert(keys.begin(), {std::move(key), PolicyValue(std::move(value))});
  return keys;
}

// A name that is there twice; null: none.
const std::string* Twice(const PolicyKeys& keys) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : keys) {
    if (!seen.insert(name).second) return &name;
  }
  return nullptr;
}

}  // namespace

PolicyBuilder& PolicyBuilder::Column(std::string name, std::string role, PolicyKeys keys) {
  attributes_.emplace_back(std::move(name), With("role", std::move(role), std::move(keys)));
  return *this;
}

PolicyBuilder& PolicyBuilder::Model(std::string name, PolicyKeys keys) {
  models_.push_back(With("model", std::move(name), std::move(keys)));
  return *this;
}

PolicyBuilder& PolicyBuilder::Population(std::string name) {
  population_ = std::move(name);
  return *this;
}

PolicyBuilder& PolicyBuilder::Set(std::string table, PolicyKeys keys) {
  tables_.emplace_back(std::move(table), std::move(keys));
  return *this;
}

std::string PolicyToToml(const PolicyKeys& keys) {
  std::string plain;  // before the first heading
  std::string sections;
  for (const auto& [name, value] : keys) {
    if (IsTable(value)) {
      sections += Section(name, std::get<PolicyKeys>(value.value()));
    } else if (IsArrayOfTables(value)) {
      for (const PolicyValue& each : std::get<PolicyValue::Array>(value.value())) {
        sections += fmt::format("[[{}]]\n{}\n", TomlText(name), Lines(std::get<PolicyKeys>(each.value())));
      }
    } else {
      plain += fmt::format("{} = {}\n", TomlText(name), std::visit(ValueText(), value.value()));
    }
  }
  return plain + sections;
}

std::string PolicyBuilder::ToToml() const {
  std::string text = population_.empty() ? "" : PolicyToToml({{"population", population_}});
  for (const auto& [name, keys] : tables_) text += fmt::format("[{}]\n{}\n", name, Lines(std::get<PolicyKeys>(keys.value())));
  for (const auto& [name, keys] : attributes_) {
    text += fmt::format("[attributes.{}]\n{}\n", TomlText(name), Lines(std::get<PolicyKeys>(keys.value())));
  }
  for (const PolicyKeys& keys : models_) text += "[[privacy]]\n" + Lines(keys) + "\n";
  return text;
}

Result<Policy> PolicyBuilder::Build(const std::string& directory) const {
  if (const std::string* column = Twice(attributes_)) {
    return Error(ErrorKind::kInvalidPolicy, fmt::format("column '{}' is given twice", *column),
                 "give it one role, with all its keys");
  }
  if (const std::string* table = Twice(tables_)) {
    return Error(ErrorKind::kInvalidPolicy, fmt::format("table '{}' is set twice", *table), "give all its keys to one Set");
  }
  return Policy::FromToml(ToToml(), directory);
}

}  // namespace cordon
