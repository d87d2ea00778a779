// SPDX-License-Identifier: Apache-2.0
//
// Time and loss of Mondrian with k-anonymity and t-closeness. Arguments: adult: k, dims (0 all, 1 widest, 2 widest
// only); synthetic: rows, threads. Adult needs CORDON_DATA_DIR at configure time.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <map>

#include "bench/algorithms/synthetic_rows.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/discernibility.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/adult.h"

namespace cordon::engine {
namespace {

AllOf ModelOf(const Microdata& data, std::vector<ModelSpec> specs) {
  return AllOf::Make(specs, ReferenceOf(data, View::All(data).rows())).value();
}

// Loss next to time, and the answer checked.
void Finish(benchmark::State& state, const View& view, const Groups& groups, std::uint64_t k) {
  Random random = Random::FromSeed(1);
  const Run run{.threads = 2};
  const Release release = Recode(view, groups, {.order = RowOrder::kInput}, random, run);
  const Discernibility sizes = MeasureDiscernibility(release, run);
  if (sizes.min_group < k || sizes.groups == 0) state.SkipWithError("a group is smaller than k");
  state.counters["information_loss"] = MeasureInformationLoss(release, run).value().information_loss;
  state.counters["groups"] = static_cast<double>(groups.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(view.size()));
}

void BM_MondrianAdult(benchmark::State& state) {
  const std::string folder = std::string(CORDON_DATA) + "/adult";
  if (!std::filesystem::exists(folder)) return state.SkipWithError("configure with -DCORDON_DATA_DIR=...");
  const Microdata data = testing::ReadAdult(folder);
  const View view = View::All(data);
  const AllOf model = ModelOf(data, {KAnonymitySpec{.k = state.range(0), .on = {}}});
  const CountedColumns counted(data, {}, true);
  const MondrianOptions options{.dims = static_cast<MondrianOptions::Dims>(state.range(1))};
  Groups groups;
  for (auto _ : state) groups = Mondrian(view, model, counted, options, {}).value();
  Finish(state, view, groups, static_cast<std::uint64_t>(state.range(0)));
}
BENCHMARK(BM_MondrianAdult)->ArgsProduct({{5, 10, 100}, {0, 1, 2}})->Unit(benchmark::kMillisecond);

void BM_MondrianAdultCloseness(benchmark::State& state) {
  const std::string folder = std::string(CORDON_DATA) + "/adult";
  if (!std::filesystem::exists(folder)) return state.SkipWithError("configure with -DCORDON_DATA_DIR=...");
  const Microdata data = testing::ReadAdult(folder, "occupation");
  const View view = View::All(data);
  const AllOf model =
      ModelOf(data, {KAnonymitySpec{.k = 5, .on = {}},
                     TClosenessSpec{.sensitive = "occupation", .t = Rational(1, 5), .distance = Distance::kEqual}});
  const CountedColumns counted(data, data.ColumnsOf(Role::kSensitive), true);
  Groups groups;
  for (auto _ : state) groups = Mondrian(view, model, counted, {}, {}).value();
  Finish(state, view, groups, 5);
}
BENCHMARK(BM_MondrianAdultCloseness)->Unit(benchmark::kMillisecond);

void BM_MondrianSynthetic(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  static std::map<std::size_t, Microdata> made;  // the same rows for each thread count
  if (!made.contains(rows)) {
    made.clear();
    made.emplace(rows, bench::SyntheticRows(rows, 1));
  }
  const Microdata& data = made.at(rows);
  const View view = View::All(data);
  const AllOf model = ModelOf(data, {KAnonymitySpec{.k = 10, .on = {}}});
  const CountedColumns counted(data, {}, true);
  Groups groups;
  for (auto _ : state) groups = Mondrian(view, model, counted, {}, {.threads = static_cast<int>(state.range(1))}).value();
  Finish(state, view, groups, 10);
}
BENCHMARK(BM_MondrianSynthetic)
    ->ArgsProduct({{100'000, 1'000'000, 10'000'000}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace cordon::engine
