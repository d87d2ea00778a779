// SPDX-License-Identifier: Apache-2.0
//
// What each column of a stream is for: bound once from the policy and the names of the columns, before the first row.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/data/attribute.h"
#include "cordon/data/notation.h"
#include "cordon/stream/declared_axis.h"

namespace cordon::engine {

// The codes of a sensitive attribute. If its domain is not declared, a code is a hash of the value: two values that
// share one count as one, which only ever asks for more.
struct SensitiveCoder {
  StreamSensitive attribute;
  Domain::Kind kind = Domain::Kind::kCategorical;
  int scale = 0;                     // numbers
  std::vector<std::int64_t> values;  // declared numbers and dates, ascending; empty: not declared
  bool required = false;             // a model has no place for missing cells

  // What is wrong with a cell that is not missing, or null.
  const char* Place(std::string_view cell, std::int32_t& code) const;
};

struct InputColumn {
  std::string name;
  Role role = Role::kInsensitive;
  bool published = false;           // the output has it
  int axis = -1;                    // place among the axes: quasi
  int sensitive = -1;               // place among the sensitive attributes
  bool event_time = false;          // in addition to its other role
  bool as_is = false;               // published as it came, and no model minds
  std::vector<Notation> notations;  // of the input; none: cells are written as releases write them
  std::string pseudonym_key;        // identifiers that are published under a pseudonym
};

struct StreamLayout {
  std::vector<InputColumn> columns;  // in the order of the input
  std::vector<DeclaredAxis> axes;    // in that order too
  std::vector<SensitiveCoder> sensitive;
  std::vector<std::string> missing;  // markers; the first is what is published
  bool drop_missing = false;         // rows with a missing quasi or sensitive cell are left out and counted
  bool has_person = false;
  bool has_event_time = false;

  StreamSchema Schema() const;
  bool IsMissing(std::string_view cell) const {  // data() == nullptr: absent
    if (cell.data() == nullptr) return true;
    for (const std::string& marker : missing) {
      if (cell == marker) return true;
    }
    return false;
  }
};

}  // namespace cordon::engine
