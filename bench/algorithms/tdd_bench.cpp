// SPDX-License-Identifier: Apache-2.0
//
// Time and loss of top-down disclosure: adult's categorical attributes with three marital states guarded at 90 %, and larger
// tables made of it (arguments: copies of each row, threads). Needs CORDON_DATA_DIR at configure time.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <map>

#include "bench/algorithms/adult14.h"
#include "cordon/algorithms/top_down/tdd.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaritalStatus = 5;

// The categorical columns; marital status is sensitive.
bench::Adult14 Categorical(const std::string& folder, std::size_t copies) {
  bench::Adult14 adult = bench::ReadAdult14(folder, copies);
  bench::Adult14 made;
  made.labels = std::move(adult.labels);
  made.data.num_rows = made.data.num_persons = adult.data.num_rows;
  for (std::size_t column = 0; column < adult.data.columns.size(); ++column) {
    if (adult.maskings[column] != Masking::kSuppression) continue;
    made.data.columns.push_back(adult.data.columns[column]);
    if (column == kMaritalStatus) {
      made.data.columns.back().attribute.role = Role::kSensitive;
    } else {
      made.maskings.push_back(Masking::kSuppression);
    }
  }
  return made;
}

void BM_TddAdult(benchmark::State& state) {
  const std::string folder = std::string(CORDON_DATA) + "/uci";
  if (!std::filesystem::exists(folder)) return state.SkipWithError("configure with -DCORDON_DATA_DIR=...");
  static std::map<std::int64_t, bench::Adult14> made;
  if (!made.contains(state.range(0))) {
    made.clear();
    made.emplace(state.range(0), Categorical(folder, static_cast<std::size_t>(state.range(0))));
  }
  const bench::Adult14& adult = made.at(state.range(0));
  const View view = View::All(adult.data);
  const std::vector<ModelSpec> specs = {
      ConfidenceSpec{.on = {},
                     .values = {{adult.data.columns[adult.data.ColumnsOf(Role::kSensitive)[0]].attribute.name,
                                 {"Married-AF-spouse", "Married-spouse-absent", "Widowed"}}},
                     .h = Rational(9, 10)}};
  const Reference reference = ReferenceOf(adult.data, view.rows());
  const AllOf model = AllOf::Make(specs, reference).value();
  const CountedColumns counted(adult.data, adult.data.ColumnsOf(Role::kSensitive), true);
  const TopDownInput input{view, specs, model, reference, counted, adult.maskings, adult.labels};
  Groups groups;
  TopDownFacts facts;
  for (auto _ : state) {
    facts = {};
    groups = Tdd(input, {}, &facts, {.threads = static_cast<int>(state.range(1))}).value();
  }
  for (std::size_t group = 0; group < groups.size(); ++group) {
    GroupCounts counts(counted);
    counts.Add(groups[group]);
    if (!model.Admits(counts)) return state.SkipWithError("a confidence is above the bound");
  }
  state.counters["refinements"] = static_cast<double>(facts.refinements);
  state.counters["groups"] = static_cast<double>(groups.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(view.size()));
}
BENCHMARK(BM_TddAdult)->ArgsProduct({{0, 21}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

}  // namespace
}  // namespace cordon::engine
