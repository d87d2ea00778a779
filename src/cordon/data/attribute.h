// SPDX-License-Identifier: Apache-2.0
//
// What a column is for, and the axis its values live on. Bound from a policy alone if the policy declares
// the domain, or from a policy and the data.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cordon/data/domain.h"

namespace cordon::engine {

enum class Role {
  kIdentifier,   // names a person: dropped, or published as a keyed pseudonym
  kPerson,       // tells which rows belong to one person: counted, never published
  kQuasi,        // may be known to an attacker: generalized
  kSensitive,    // what an attacker wants to learn: published as it is, its distribution is guarded
  kClass,        // the label a classifier is to predict: published as it is
  kInsensitive,  // published as it is
  kGroup,        // names the group of a row: with it, rows that look alike elsewhere can be told apart
};

// "quasi", "sensitive", ...: the spelling of policies and messages.
inline const char* RoleName(Role role) {
  switch (role) {
    case Role::kIdentifier: return "identifier";
    case Role::kPerson: return "person";
    case Role::kQuasi: return "quasi";
    case Role::kSensitive: return "sensitive";
    case Role::kClass: return "class";
    case Role::kInsensitive: return "insensitive";
    case Role::kGroup: return "group";
  }
  return "";
}

struct Attribute {
  std::string name;
  Role role = Role::kInsensitive;
  std::shared_ptr<const Domain> domain;  // quasi and sensitive attributes; others have none
  double weight = 1;                     // of a quasi attribute, in what an algorithm minimizes
  // Sensitive attributes of a shard: how many rows of the whole table have each value of the domain. Null: the rows are the
  // whole.
  std::shared_ptr<const std::vector<std::int64_t>> whole = {};
};

}  // namespace cordon::engine
