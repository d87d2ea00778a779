// SPDX-License-Identifier: Apache-2.0
//
// How well counting queries can be answered from a release: a workload of random ones, each asking for the rows whose
// values lie in an interval of some quasi attributes, drawn at random, and of one sensitive attribute. The answer is
// estimated from the published cells, every row spread evenly over the values its cells stand for, and compared with the
// answer of the original. The generator is that of the SABRE and BUREL theses; docs/metrics.md has the formulas.
#pragma once

#include <cstdint>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"

namespace cordon::engine {

struct QueryOptions {
  std::uint64_t queries = 10000;
  std::uint64_t quasi = 3;   // lambda: quasi attributes a query asks about; all of them if there are fewer
  double selectivity = 0.1;  // theta: share of the rows a query is to find, were all values spread evenly
  std::uint64_t seed = 1;

  Result<void> Validate() const;
};

// A run of values of one attribute.
struct Predicate {
  std::size_t column = 0;  // of the original
  CodeRange values;
};

// The quasi attributes of each query, then its sensitive attribute, if there is one.
using CountQuery = std::vector<Predicate>;
// A function of the domains and the options alone, so that releases are asked the same.
std::vector<CountQuery> MakeQueries(const Microdata& original, const QueryOptions& options);

struct QueryError {
  std::uint64_t queries = 0;
  std::uint64_t empty = 0;  // with no row in the original: left out of the figures below
  double median = 0;        // of |estimate - count| / count
  double mean = 0;
  std::vector<double> quantiles;  // 0 %, 10 %, ..., 100 %; none if every query is empty
};

// Queries that someone wrote down. One that is not a box becomes several, which share no row.
struct Workload {
  std::uint64_t queries = 0;
  std::vector<CountQuery> boxes;
  std::vector<std::uint32_t> query_of_box;  // 0 to queries - 1, ascending; a query without a box has no row
};
// REQUIRES: at most one sensitive column in a box, and no column twice.
Result<QueryError> MeasureWorkloadError(const Microdata& original, const Release& release, const Workload& workload,
                                        const Run& run);

// REQUIRES: options.Validate(); the release is one of `original`: its quasi columns are read on the original's domains.
Result<QueryError> MeasureQueryError(const Microdata& original, const Release& release, const QueryOptions& options,
                                     const Run& run);

// The parts, for tests and other measures: the rows of the original in each query, and the estimates.
std::vector<std::uint64_t> CountQueries(const Microdata& original, const std::vector<CountQuery>& queries, const Run& run);
Result<std::vector<double>> EstimateQueries(const Microdata& original, const Release& release,
                                            const std::vector<CountQuery>& queries, const Run& run);

}  // namespace cordon::engine
