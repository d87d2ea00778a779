// SPDX-License-Identifier: Apache-2.0
//
// The questions that a permuted release can be asked, a small part of SQL:
//
//   SELECT SUM(salary), AVG(salary), COUNT(*) WHERE age BETWEEN 40 AND 48 AND sex = 'F' GROUP BY city
//
// Aggregates are of the sensitive column, conditions and groups of the others: whose value a sensitive cell is, nobody
// knows, so it cannot select rows. What is parsed is checked against the columns and their types, and comes out as SQL text
// in which every name and literal is quoted again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/query/query_schema.h"

namespace cordon::engine {

enum class Aggregate { kCount, kSum, kAvg, kMin, kMax };

struct Query {
  // What is shown, in the order asked for.
  struct Item {
    std::string title;  // "SUM(salary)", or the name of a column
    Aggregate aggregate = Aggregate::kCount;
    bool is_column = false;
    std::size_t group_by = 0;  // is_column: which of group_by
  };
  std::vector<Item> items;
  std::vector<std::string> group_by;  // names of columns
  std::string condition;              // SQL over the columns; empty: all rows

  bool Asks(Aggregate aggregate) const {
    for (const Item& item : items) {
      if (!item.is_column && item.aggregate == aggregate) return true;
    }
    return false;
  }
};

// Errors say where in the text, what was expected, and which column may be meant.
Result<Query> ParseQuery(std::string_view text, const QuerySchema& schema);

}  // namespace cordon::engine
