// SPDX-License-Identifier: Apache-2.0
//
// Time and loss of top-down refinement. Adult with 14 attributes, k = 50, and larger tables made of it (argument: copies of
// each row, threads; needs CORDON_DATA_DIR at configure time); rows like the census with seven attributes, k =
// 100 (arguments: rows, threads).
#include <benchmark/benchmark.h>

#include <filesystem>
#include <map>

#include "bench/algorithms/adult14.h"
#include "bench/algorithms/synthetic_rows.h"
#include "cordon/algorithms/top_down/tdr.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/discernibility.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

void Refine(benchmark::State& state, const Microdata& data, const ClassLabels& labels, const std::vector<Masking>& maskings,
            std::int64_t k, int threads) {
  const View view = View::All(data);
  const std::vector<ModelSpec> specs = {KAnonymitySpec{.k = k, .on = {}}};
  const Reference reference = ReferenceOf(data, view.rows());
  const AllOf model = AllOf::Make(specs, reference).value();
  const CountedColumns counted(data, {}, true);
  const TopDownInput input{view, specs, model, reference, counted, maskings, labels};
  Groups groups;
  TopDownFacts facts;
  for (auto _ : state) {
    facts = {};
    groups = Tdr(input, {}, &facts, {.threads = threads}).value();
  }
  Random random = Random::FromSeed(1);
  const Run run{.threads = 2};
  const Release release = Recode(view, groups, {.order = RowOrder::kInput}, random, run);
  const Discernibility sizes = MeasureDiscernibility(release, run);
  if (sizes.min_group < static_cast<std::uint64_t>(k)) state.SkipWithError("a group is smaller than k");
  state.counters["information_loss"] = MeasureInformationLoss(release, run).value().information_loss;
  state.counters["refinements"] = static_cast<double>(facts.refinements);
  state.counters["groups"] = static_cast<double>(groups.size());
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(view.size()));
}

void BM_TdrAdult14(benchmark::State& state) {
  const std::string folder = std::string(CORDON_DATA) + "/uci";
  if (!std::filesystem::exists(folder)) return state.SkipWithError("configure with -DCORDON_DATA_DIR=...");
  static std::map<std::int64_t, bench::Adult14> made;
  if (!made.contains(state.range(0))) {
    made.clear();
    made.emplace(state.range(0), bench::ReadAdult14(folder, static_cast<std::size_t>(state.range(0))));
  }
  const bench::Adult14& adult = made.at(state.range(0));
  Refine(state, adult.data, adult.labels, adult.maskings, 50, static_cast<int>(state.range(1)));
}
BENCHMARK(BM_TdrAdult14)->ArgsProduct({{0, 21}, {1, 2}})->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

void BM_TdrSynthetic(benchmark::State& state) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  static std::map<std::size_t, Microdata> made;
  if (!made.contains(rows)) {
    made.clear();
    made.emplace(rows, bench::SyntheticRows(rows, 1));
  }
  const Microdata& data = made.at(rows);
  ClassLabels labels{std::vector<Code>(rows), 2};
  for (std::size_t row = 0; row < rows; ++row) {  // a class that follows age and education, with noise
    const Code age = data.columns[0].codes[row];
    const Code education = data.columns[2].codes[row];
    labels.of_row[row] = age / 8 + education + static_cast<Code>(bench::Mixed(row) % 8) > 16;
  }
  std::vector<Masking> maskings;
  for (const MicrodataColumn& column : data.columns) {
    maskings.push_back(column.attribute.domain->is_categorical() ? Masking::kTaxonomy : Masking::kIntervals);
  }
  Refine(state, data, labels, maskings, 100, static_cast<int>(state.range(1)));
}
BENCHMARK(BM_TdrSynthetic)
    ->ArgsProduct({{1'000'000, 5'000'000}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace cordon::engine
