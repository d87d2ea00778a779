// SPDX-License-Identifier: Apache-2.0
//
// Time of the measures on a release of synthetic rows that Mondrian grouped with k = 10. Arguments: rows, threads. What was
// measured is shown next to the time; the answers are checked if they are known.
#include <benchmark/benchmark.h>

#include <map>

#include "bench/algorithms/synthetic_rows.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/kl.h"
#include "cordon/metrics/queries.h"
#include "cordon/metrics/risk.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

struct Made {
  Microdata data;
  Release release;
};

const Made& MadeOf(std::size_t rows) {
  static std::map<std::size_t, Made> made;  // the same rows for each thread count
  if (!made.contains(rows)) {
    made.clear();
    Made one{bench::SyntheticRows(rows, 1), {}};
    const View view = View::All(one.data);
    const std::vector<ModelSpec> specs = {KAnonymitySpec{.k = 10, .on = {}}};
    const AllOf model = AllOf::Make(specs, ReferenceOf(one.data, view.rows())).value();
    const Groups groups = Mondrian(view, model, CountedColumns(one.data, {}, true), {}, {.threads = 2}).value();
    Random random = Random::FromSeed(1);
    one.release = Recode(view, groups, {.order = RowOrder::kInput}, random, {.threads = 2});
    made.emplace(rows, std::move(one));
  }
  return made.at(rows);
}

void BM_Queries(benchmark::State& state) {
  const Made& made = MadeOf(static_cast<std::size_t>(state.range(0)));
  QueryError error;
  for (auto _ : state)
    error = MeasureQueryError(made.data, made.release, {}, {.threads = static_cast<int>(state.range(1))}).value();
  if (error.queries != 10000 || !(error.median > 0)) state.SkipWithError("no error was measured");
  state.counters["median_error"] = error.median;
}
BENCHMARK(BM_Queries)->ArgsProduct({{100'000, 1'000'000}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_KlDivergence(benchmark::State& state) {
  const Made& made = MadeOf(static_cast<std::size_t>(state.range(0)));
  KlDivergence kl;
  for (auto _ : state)
    kl = MeasureKlDivergence(made.data, made.release, 2, {.threads = static_cast<int>(state.range(1))}).value();
  if (kl.group_bys != 21 || !(kl.mean > 0)) state.SkipWithError("no divergence was measured");
  state.counters["nats"] = kl.mean;
}
BENCHMARK(BM_KlDivergence)->ArgsProduct({{100'000, 1'000'000}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_Risk(benchmark::State& state) {
  const Made& made = MadeOf(static_cast<std::size_t>(state.range(0)));
  Risk risk;
  for (auto _ : state) {
    risk = MeasureRisk(made.release, {.sampling_fraction = 0.01}, {.threads = static_cast<int>(state.range(1))});
  }
  if (risk.prosecutor.highest > 0.1 || risk.unique_rows > 0) state.SkipWithError("a group is smaller than k");
  state.counters["prosecutor"] = risk.prosecutor.average;
}
BENCHMARK(BM_Risk)->ArgsProduct({{100'000, 1'000'000}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace cordon::engine
