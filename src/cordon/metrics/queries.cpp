// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/queries.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

double Quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Result<void> QueryOptions::Validate() const {
  if (queries == 0 || queries > 10'000'000) return Error::InvalidPolicy("the number of queries must be from 1 to 10,000,000");
  if (quasi == 0) return Error::InvalidPolicy("a query must ask about at least one quasi attribute");
  if (!(selectivity > 0 && selectivity <= 1)) {
    return Error::InvalidPolicy("the selectivity of queries must be above 0 and at most 1, not {}", selectivity);
  }
  return {};
}

std::vector<CountQuery> MakeQueries(const Microdata& original, const QueryOptions& options) {
  const auto with_values = [&](Role role) {
    std::vector<std::size_t> columns = original.ColumnsOf(role);
    std::erase_if(columns, [&](std::size_t i) {
      const auto& domain = original.columns[i].attribute.domain;
      return domain == nullptr || domain->size() == 0;
    });
    return columns;
  };
  const std::vector<std::size_t> quasi = with_values(Role::kQuasi);
  const std::vector<std::size_t> sensitive = with_values(Role::kSensitive);
  const std::size_t chosen = std::min<std::size_t>(quasi.size(), options.quasi);
  const std::size_t predicates = chosen + (sensitive.empty() ? 0 : 1);
  if (predicates == 0) return {};
  const double edge = std::pow(options.selectivity, 1 / static_cast<double>(predicates));
  const Random random = Random::FromSeed(options.seed);
  std::vector<CountQuery> queries(options.queries);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Random own = random.Substream("query", i);
    std::vector<std::size_t> columns = quasi;
    for (std::size_t j = 0; j < chosen; ++j) std::swap(columns[j], columns[j + own.Below(columns.size() - j)]);
    columns.resize(chosen);
    if (!sensitive.empty()) columns.push_back(sensitive[own.Below(sensitive.size())]);
    for (const std::size_t column : columns) {
      const Code size = original.columns[column].attribute.domain->size();
      const Code length = std::max(Code{1}, static_cast<Code>(std::floor(size * edge + 0.5)));
      const Code lo = static_cast<Code>(own.Below(static_cast<std::uint64_t>(size) - static_cast<std::uint64_t>(length) + 1));
      queries[i].push_back({column, {lo, lo + length - 1}});
    }
  }
  return queries;
}

Result<QueryError> MeasureQueryError(const Microdata& original, const Release& release, const QueryOptions& options,
                                     const Run& run) {
  Workload workload{options.queries, MakeQueries(original, options), {}};
  workload.queries = workload.boxes.size();
  workload.query_of_box.resize(workload.boxes.size());
  std::iota(workload.query_of_box.begin(), workload.query_of_box.end(), 0U);
  return MeasureWorkloadError(original, release, workload, run);
}

Result<QueryError> MeasureWorkloadError(const Microdata& original, const Release& release, const Workload& workload,
                                        const Run& run) {
  const std::vector<std::uint64_t> box_counts = CountQueries(original, workload.boxes, run);
  CORDON_TRY(const std::vector<double> box_estimates, EstimateQueries(original, release, workload.boxes, run));
  if (run.Stopped()) return Error::Cancelled();
  std::vector<std::uint64_t> counts(workload.queries);
  std::vector<double> estimates(workload.queries);
  for (std::size_t box = 0; box < workload.boxes.size(); ++box) {
    counts[workload.query_of_box[box]] += box_counts[box];
    estimates[workload.query_of_box[box]] += box_estimates[box];
  }
  QueryError measured;
  measured.queries = workload.queries;
  std::vector<double> errors;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    if (counts[i] > 0) errors.push_back(std::abs(estimates[i] - count) / count);
  }
  measured.empty = workload.queries - errors.size();
  if (errors.empty()) return measured;
  std::sort(errors.begin(), errors.end());
  measured.median = Quantile(errors, 0.5);
  measured.mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  for (int tenth = 0; tenth <= 10; ++tenth) measured.quantiles.push_back(Quantile(errors, tenth / 10.0));
  return measured;
}

}  // namespace cordon::engine
