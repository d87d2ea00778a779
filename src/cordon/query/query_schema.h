// SPDX-License-Identifier: Apache-2.0
//
// What a query can be about.
#pragma once

#include <string>
#include <vector>

namespace cordon::engine {

struct QueryColumn {
  enum class Type { kText, kNumber, kDate };
  std::string name;
  Type type = Type::kText;
};

// What can be asked about: the published columns with the group column, without the sensitive one.
struct QuerySchema {
  std::vector<QueryColumn> columns;
  std::string sensitive;
};

}  // namespace cordon::engine
