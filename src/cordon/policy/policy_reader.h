// SPDX-License-Identifier: Apache-2.0
//
// The parts of the policy reader, one function per part of the file. Each checks its part alone; CheckPolicy
// then checks the parts against each other.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "cordon/policy/policy.h"

namespace cordon::engine::internal {

class PolicyTable;

Result<DataPolicy> ReadDataTable(const toml::table& table, const std::string& file);
Result<AttributePolicy> ReadAttribute(const std::string& name, const toml::table& table, const std::string& file);
Result<ModelSpec> ReadModel(const toml::table& table, const std::string& file, const std::vector<AttributePolicy>& attributes);
// [[privacy]] of a model on joins, and what belongs to it.
bool IsJoinModel(const toml::table& table);
Result<JoinSpec> ReadJoinModel(const toml::table& table, const std::string& file,
                               const std::vector<AttributePolicy>& attributes);
Result<std::vector<ImpossiblePairs>> ReadImpossible(const PolicyTable& top, const std::vector<AttributePolicy>& attributes);
Result<bool> ReadGeneralizeJoining(const toml::table& table, const std::string& file);
Result<AlgorithmPolicy> ReadAlgorithmTable(const toml::table& table, const std::string& file);
// [joint] and [parties]; nothing if the policy has neither. Owners of attributes are checked against the parties.
Result<std::optional<JointPolicy>> ReadJoint(const PolicyTable& top, const std::vector<AttributePolicy>& attributes);
Result<StreamPolicy> ReadStreamTable(const toml::table& table, const std::string& file);

// Takes out options that say what would be anyway.
void LeaveOutDefaults(Policy& policy);

// Of the attributes among themselves: at least one quasi, at most one person.
Result<void> CheckAttributes(const Policy& policy);
// The checks that need the hierarchy files: values that models name are leaves, labels of numbers are numbers.
Result<void> CheckHierarchies(const Policy& policy);

// The members of a table in the order of the file.
std::vector<std::pair<std::string, const toml::node*>> InFileOrder(const toml::table& table);

// What the reader knows, for the code that describes it (policy_schema.cpp).
struct KnownField {
  enum class Kind { kColumn, kColumns, kWhole, kExact, kChoice, kValue, kValues, kCounted };

  std::string key;
  Kind kind;
  bool required = true;
  std::vector<std::string> choices = {};  // of kChoice
  int least = 0;                          // of kWhole
};
struct KnownModel {
  std::string name;
  std::vector<KnownField> fields;

  std::vector<std::string> keys() const;  // "model", then those of the fields
};
const std::vector<KnownModel>& KnownModels();
const std::vector<KnownModel>& KnownJoinModels();
const std::vector<std::string>& AttributeKeys();
// "auto" and the names of the catalog.
std::vector<std::string> AlgorithmNames();

}  // namespace cordon::engine::internal
