// SPDX-License-Identifier: Apache-2.0
//
// Numbers that a release shows as two columns, name_lo and name_hi (anonymize --bounds).
#pragma once

#include <string>

#include "cordon/base/result.h"
#include "cordon/data/table.h"
#include "cordon/data/upper_end.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// Whether --bounds makes two columns of it.
bool HasBounds(const AttributePolicy& attribute);

// Whether some row has two different ends. Then it matters whether the upper one belongs.
bool HasRanges(const Column& lo, const Column& hi);

// One column of range literals. Two equal cells are that value, "*" or a missing marker.
Result<Column> JoinBounds(const std::string& name, const Column& lo, const Column& hi, std::size_t num_rows,
                          const UpperEnd& end);

// The same for every attribute that `ends` names and the table shows as two columns.
Result<Table> JoinBounds(Table table, const UpperEnds& ends);

}  // namespace cordon::engine
