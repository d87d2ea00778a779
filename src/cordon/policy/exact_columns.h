// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cordon/policy/policy.h"

namespace cordon::engine {

// Columns whose cells a release shows as they are, guarded by a model or not. Somebody who knows them sees more than the
// quasi columns.
inline std::vector<std::string> ColumnsWithExactCells(const Policy& policy) {
  std::vector<std::string> columns;
  for (const AttributePolicy& attribute : policy.attributes) {
    const bool exact =
        attribute.role == Role::kSensitive || attribute.role == Role::kInsensitive || attribute.role == Role::kClass;
    if (exact) columns.push_back(attribute.name);
  }
  return columns;
}

}  // namespace cordon::engine
