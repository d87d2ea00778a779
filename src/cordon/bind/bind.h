// SPDX-License-Identifier: Apache-2.0
//
// A table and a policy become microdata: every column gets its role and its domain, direct identifiers go,
// cells become codes. Messages carry row numbers (from 1, the header not counted) and column names, no cell.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/table.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// Columns of the table and attributes of the policy must match one to one: a column nobody has spoken about is
// an error, not a leak.
Result<Microdata> Bind(const Policy& policy, const Table& table, const Run& run);

// The attribute of each column; null for the event time that no attribute describes and, with `drop_unknown`, for columns
// that the policy lacks.
Result<std::vector<const AttributePolicy*>> MatchColumns(const Policy& policy, std::span<const std::string> columns,
                                                         bool drop_unknown = false);

// One column as Bind binds it, of a table whose rows are elsewhere: `cells` has each of its cells once, cell i first in row
// first_rows[i] of the table (from 0), which messages name.
Result<MicrodataColumn> BindCells(const Policy& policy, const AttributePolicy& attribute, const Column& cells,
                                  const std::vector<std::uint64_t>& first_rows, const Run& run);
// Which of the cells are missing.
Result<std::vector<bool>> MissingCells(const Policy& policy, const AttributePolicy& attribute, const Column& cells,
                                       const Run& run);

// REQUIRES: the attribute has a pseudonym.
Result<std::string> ReadPseudonymKey(const Policy& policy, const AttributePolicy& attribute);

// Binding without rows: the published attributes in the order of the policy, from declared domains alone (range,
// hierarchy, values). An error if a quasi or sensitive attribute declares none.
Result<std::vector<Attribute>> BindAttributes(const Policy& policy);

// Columns that a reader need not keep: identifiers without a pseudonym.
std::set<std::string> SkipColumns(const Policy& policy);

}  // namespace cordon::engine
