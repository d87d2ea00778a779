// SPDX-License-Identifier: Apache-2.0
//
// cordon query: what a store answers to an aggregate, with bounds that hold whatever the shuffle was.
//
// Rows are counted by group in one scan of the table, and the counts looked up in the help table, both by DuckDB; no raw
// value takes part. SUM is estimated by its mean over all shuffles (rows hit times mean of their group), AVG by that over
// the count, MIN and MAX by those of the shuffled cells, one draw of what the shuffle allows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/report/report.h"

namespace cordon::engine {

// Decimal texts; all absent if there is no row to speak of.
struct Bounded {
  std::optional<std::string> lower;
  std::optional<std::string> estimate;
  std::optional<std::string> upper;
};

struct QueryAnswer {
  std::vector<std::string> keys;        // columns of the GROUP BY, in its order
  std::vector<std::string> aggregates;  // titles, in the order asked for
  struct Line {
    std::vector<std::optional<std::string>> keys;
    std::vector<Bounded> aggregates;
  };
  std::vector<Line> lines;  // by key
};

Result<QueryAnswer> AskStore(const std::string& store, const std::string& query, const Run& run);

std::string JsonText(const QueryAnswer& answer);  // numbers with all their digits
std::string Summary(const QueryAnswer& answer);   // aligned columns

}  // namespace cordon::engine
