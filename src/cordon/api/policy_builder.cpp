// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cordon/policy.h"

namespace cordon {
namespace {

// A basic string of TOML.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const {
    const std::string digits = fmt::format("{}", value);
    return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
  }
  std::string operator()(const std::string& value) const { return Quoted(value); }
  std::string operator()(const PolicyValue::Array& values) const {
    std::string text;
    for (const PolicyValue& value : values) text += (text.empty() ? "" : ", ") + std::visit(*this, value.value());
    return "[" + text + "]";
  }
  std::string operator()(const PolicyKeys& keys) const {
    std::string text;
    for (const auto& [key, value] : keys) {
      text += fmt::format("{}{} = {}", text.empty() ? " " : ", ", Quoted(key), std::visit(*this, value.value()));
    }
    return "{" + text + " }";
  }
};

std::string Lines(const PolicyKeys& keys) {
  std::string text;
  for (const auto& [key, value] : keys) {
    text += fmt::format("{} = {}\n", Quoted(key), std::visit(ValueText(), value.value()));
  }
  return text;
}

PolicyKeys With(std::string key, std::string value, PolicyKeys keys) {
  keys.insert(keys.begin(), {std::move(key), PolicyValue(std::move(value))});
  return keys;
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

PolicyBuilder& PolicyBuilder::Set(std::string table, PolicyKeys keys) {
  tables_.emplace_back(std::move(table), std::move(keys));
  return *this;
}

std::string PolicyBuilder::ToToml() const {
  std::string text;
  for (const auto& [name, keys] : tables_) text += fmt::format("[{}]\n{}\n", name, Lines(std::get<PolicyKeys>(keys.value())));
  for (const auto& [name, keys] : attributes_) {
    text += fmt::format("[attributes.{}]\n{}\n", Quoted(name), Lines(std::get<PolicyKeys>(keys.value())));
  }
  for (const PolicyKeys& keys : models_) text += "[[privacy]]\n" + Lines(keys) + "\n";
  return text;
}

Result<Policy> PolicyBuilder::Build(const std::string& directory) const { return Policy::FromToml(ToToml(), directory); }

}  // namespace cordon
