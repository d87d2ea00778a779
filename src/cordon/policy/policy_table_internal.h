// SPDX-License-Identifier: Apache-2.0
//
// One table of a policy file, read strictly: a key nobody knows is an error with the nearest known one as hint,
// a value of the wrong type says what was expected, and every error says file, line and column.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"
#include "cordon/data/decimal.h"

namespace cordon::engine::internal {

// "did you mean 'role'?" or, if nothing is near, "known: a, b, c".
std::string NearestHint(std::string_view word, const std::vector<std::string>& known);
// "age", "age and zip", "age, zip and sex".
std::string Listed(const std::vector<std::string>& names);

class PolicyTable {
 public:
  using Keys = std::vector<std::string>;

  // `where` names the table in messages: "[attributes.age]".
  static Result<PolicyTable> Open(const toml::table& table, const std::string& file, std::string where, const Keys& known);

  const toml::table& table() const { return *table_; }
  const std::string& file() const { return *file_; }
  const std::string& where() const { return where_; }
  int line() const { return static_cast<int>(table_->source().begin.line); }
  bool Has(std::string_view key) const { return table_->contains(key); }
  const toml::node* Node(std::string_view key) const { return table_->get(key); }

  // Nothing if the key is absent.
  Result<std::optional<std::string>> Text(std::string_view key) const;
  Result<std::optional<bool>> Flag(std::string_view key) const;
  Result<std::optional<std::int64_t>> Whole(std::string_view key) const;
  // A number, or text such as "2/3".
  Result<std::optional<Rational>> Exact(std::string_view key) const;
  Result<std::optional<std::vector<std::string>>> Texts(std::string_view key) const;
  // Text, numbers and dates, each as the text it has in a data file; no value twice.
  Result<std::optional<std::vector<std::string>>> Values(std::string_view key) const;
  // The place of the text among `choices`.
  Result<std::optional<std::size_t>> Choice(std::string_view key, const Keys& choices) const;

  // The same, if the key must be there. `what` says of whom: "k-anonymity".
  Error Missing(std::string_view key, std::string_view what) const;

  template <typename... Args>
  Error At(const toml::source_region& place, fmt::format_string<Args...> text, Args&&... args) const {
    return Error::InvalidPolicy(text, std::forward<Args>(args)...).WithContext("{}", PlaceText(place));
  }
  // At the value of a key if it is there, else at the table.
  template <typename... Args>
  Error AtKey(std::string_view key, fmt::format_string<Args...> text, Args&&... args) const {
    const toml::node* node = Node(key);
    return At(node != nullptr ? node->source() : table_->source(), text, std::forward<Args>(args)...);
  }
  Error WrongType(std::string_view key, const toml::node& node, std::string_view expected) const;
  // The same error with the place of the key's value before it.
  Error Placed(std::string_view key, Error error) const;
  // "policy.toml:7:3"; what an override put in has no place in the file.
  std::string PlaceText(const toml::source_region& place) const;

 private:
  PolicyTable(const toml::table& table, const std::string& file, std::string where)
      : table_(&table), file_(&file), where_(std::move(where)) {}

  const toml::table* table_;  // both outlive the reader
  const std::string* file_;
  std::string where_;
};

// A number as its author wrote it: whole, or by the shortest decimal that reads back as the same double.
std::optional<std::string> NumberText(const toml::node& node);
// A scalar as the text it has in a data file: text, number, date, true/false.
std::optional<std::string> ScalarText(const toml::node& node);

}  // namespace cordon::engine::internal
