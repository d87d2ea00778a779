// SPDX-License-Identifier: Apache-2.0
//
// The search alone, on the adult table, by k and effort (0 low, 1 normal, 2 high), with the loss next to the time.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "cordon/algorithms/partition/partition.h"
#include "cordon/data/recode.h"
#include "cordon/metrics/information_loss.h"
#include "cordon/models/verify/verifier.h"
#include "tests/algorithms/adult.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

void BM_PartitionAdult(benchmark::State& state) {
  const std::string folder = CORDON_DATA "/adult";
  if (!std::filesystem::exists(folder + "/adult.csv")) {
    state.SkipWithError("CORDON_DATA_DIR has no adult table");
    return;
  }
  const Microdata data = testing::ReadAdult(folder);
  const std::vector<ModelSpec> specs = {testing::K(state.range(0))};
  const testing::CountedModel model(data, specs);
  const View view = View::All(data);
  const PartitionOptions options{.effort = static_cast<PartitionOptions::Effort>(state.range(1))};
  Groups groups;
  for (auto _ : state) groups = Partition(view, model.model, model.counted, options, {}).value();
  Random random = Random::FromSeed(1);
  const Release release = Recode(view, groups, {}, random, {});
  const std::vector<Verdict> verdicts = Verifier(specs).Judge(release, {}).value();
  if (!verdicts[0].holds) state.SkipWithError("the release does not hold");
  state.counters["information_loss"] = MeasureInformationLoss(release, {}).value().information_loss;
  state.counters["groups"] = static_cast<double>(groups.size());
}
BENCHMARK(BM_PartitionAdult)->ArgNames({"k", "effort"})->ArgsProduct({{5, 10, 100}, {0, 1, 2}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cordon::engine
