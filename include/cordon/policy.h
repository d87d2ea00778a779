// SPDX-License-Identifier: Apache-2.0
//
// What the columns are and what must hold. docs/policy.md is the reference of all keys; here they have the same names. A Policy
// is checked as a whole, does not change and is cheap to copy.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/export.h"
#include "cordon/result.h"

namespace cordon {

namespace engine {
struct Policy;
}  // namespace engine

class CORDON_API Policy {
 public:
  static Result<Policy> FromFile(const std::string& path);
  // `directory` is the base of relative paths, of hierarchies for example.
  static Result<Policy> FromToml(std::string_view text, const std::string& directory = ".");

  // SHA-256 over the meaning, hierarchies included: layout and comments do not change it.
  const std::string& digest() const;

  explicit Policy(std::shared_ptr<const engine::Policy> policy);  // for the library's own use
  const engine::Policy& inner() const { return *policy_; }

 private:
  std::shared_ptr<const engine::Policy> policy_;
};

// A value of a policy: true, 5, 0.2, "2/3", PolicyValue::Array{1, 100} or a table of keys, PolicyKeys{{"prefix", 3}}.
class PolicyValue {
 public:
  using Array = std::vector<PolicyValue>;
  using Table = std::vector<std::pair<std::string, PolicyValue>>;

  PolicyValue(bool value) : value_(value) {}  // NOLINT: implicit by design
  template <std::integral Number>
  PolicyValue(Number value) : value_(static_cast<std::int64_t>(value)) {                       // NOLINT
    if (value > 0 && std::get<std::int64_t>(value_) < 0) value_ = static_cast<double>(value);  // no whole number of a policy
  }
  PolicyValue(double value) : value_(value) {}                    // NOLINT: by its shortest digits
  PolicyValue(std::string value) : value_(std::move(value)) {}    // NOLINT
  PolicyValue(const char* value) : value_(std::string(value)) {}  // NOLINT
  PolicyValue(Array values) : value_(std::move(values)) {}        // NOLINT
  PolicyValue(Table keys) : value_(std::move(keys)) {}            // NOLINT

  const std::variant<bool, std::int64_t, double, std::string, Array, Table>& value() const { return value_; }

 private:
  std::variant<bool, std::int64_t, double, std::string, Array, Table> value_;
};
using PolicyKeys = PolicyValue::Table;

// The text of a policy whose tables are these: "attributes", "privacy" (an array of tables), "algorithm", ...
CORDON_API std::string PolicyToToml(const PolicyKeys& keys);

// Writes the text of a policy and reads it, so that a policy means the same however it was made.
class CORDON_API PolicyBuilder {
 public:
  // Columns: the role by name, and the other keys of [attributes.NAME], such as {{"type", "numeric"}, {"grid", 5}}.
  PolicyBuilder& Identifier(std::string name, PolicyKeys keys = {}) {
    return Column(std::move(name), "identifier", std::move(keys));
  }
  PolicyBuilder& Person(std::string name) { return Column(std::move(name), "person", {}); }
  PolicyBuilder& Quasi(std::string name, PolicyKeys keys = {}) { return Column(std::move(name), "quasi", std::move(keys)); }
  PolicyBuilder& Sensitive(std::string name, PolicyKeys keys = {}) {
    return Column(std::move(name), "sensitive", std::move(keys));
  }
  PolicyBuilder& Insensitive(std::string name, PolicyKeys keys = {}) {
    return Column(std::move(name), "insensitive", std::move(keys));
  }
  PolicyBuilder& Column(std::string name, std::string role, PolicyKeys keys);

  // One [[privacy]] table: Model("t-closeness", {{"sensitive", "disease"}, {"t", 0.2}}).
  PolicyBuilder& Model(std::string name, PolicyKeys keys);
  PolicyBuilder& KAnonymity(std::int64_t k) { return Model("k-anonymity", {{"k", k}}); }
  PolicyBuilder& LDiversity(std::string sensitive, std::int64_t l) {
    return Model("l-diversity", {{"sensitive", std::move(sensitive)}, {"l", l}});
  }

  // Whose people these are; a registry of releases needs it.
  PolicyBuilder& Population(std::string name);

  // Keys of the tables [data], [algorithm], [stream], ..., once for each table: Set("algorithm", {{"suppression_limit",
  // 0.02}}).
  PolicyBuilder& Set(std::string table, PolicyKeys keys);

  std::string ToToml() const;
  // A column or a table that was given twice is an error.
  Result<Policy> Build(const std::string& directory = ".") const;

 private:
  std::string population_;
  PolicyKeys attributes_;
  std::vector<PolicyKeys> models_;
  PolicyKeys tables_;
};

}  // namespace cordon
