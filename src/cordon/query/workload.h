// SPDX-License-Identifier: Apache-2.0
//
// A workload: counting queries that somebody means to ask, a line each. A line is the condition alone, tests joined by AND:
//
//   age BETWEEN 30 AND 39 AND sex = 'Female'
//   education IN ('Bachelors', 'Masters') AND hours-per-week >= 40.5
//
// Numbers and dates are compared (=, <, <=, >, >=, BETWEEN), texts are named (=, IN); a text may be a label of the column's
// hierarchy. Empty lines, and lines that begin with #, say nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/query/query.h"

namespace cordon::engine {

// Of one column: a run of numbers or dates, each end as written and in it or not; or some values.
struct WorkloadTest {
  struct End {
    std::string value;
    bool included = true;
  };
  std::string column;
  std::optional<End> low;
  std::optional<End> high;
  std::vector<std::string> values;  // if not empty, the test is that one of them is there
};

struct WorkloadQuery {
  std::size_t line = 0;
  std::vector<WorkloadTest> tests;
};

// `name` stands in messages, with the line. Columns of the schema's `sensitive` do not count as others; leave it empty.
Result<std::vector<WorkloadQuery>> ParseWorkload(std::string_view text, const QuerySchema& schema, const std::string& name);

}  // namespace cordon::engine
