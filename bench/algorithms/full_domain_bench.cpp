// SPDX-License-Identifier: Apache-2.0
//
// The search alone, on the adult table: optimal recodings with and without suppression.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "cordon/algorithms/full_domain/full_domain.h"
#include "tests/algorithms/adult.h"

namespace cordon::engine {
namespace {

void BM_FullDomainAdult(benchmark::State& state) {
  const std::string folder = CORDON_DATA "/adult";
  if (!std::filesystem::exists(folder + "/adult.csv")) {
    state.SkipWithError("CORDON_DATA_DIR has no adult table");
    return;
  }
  Microdata data = testing::ReadAdult(folder);
  for (MicrodataColumn& column : data.columns) {
    if (column.attribute.name != "age") continue;
    Domain::NumericSpec spec = column.attribute.domain->numeric();
    const auto paths = testing::ReadSemicolonFile(folder + "/adult_hierarchy_age.csv");
    spec.labels = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
    column.attribute.domain = std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
  }
  const View view = View::All(data);
  const std::vector<ModelSpec> specs = {KAnonymitySpec{state.range(0), {}}};
  const FullDomainOptions options{.max_suppressed = data.num_rows * static_cast<std::uint64_t>(state.range(1)) / 100};
  FullDomainResult result;
  for (auto _ : state) result = FullDomain(view, specs, {}, options, {}).value();
  if (!result.optimal) state.SkipWithError("not searched to the end");
  state.counters["information_loss"] = result.loss;
  state.counters["groups"] = static_cast<double>(result.groups.size());
  state.counters["nodes_looked_at"] = static_cast<double>(result.checked);
}
BENCHMARK(BM_FullDomainAdult)->ArgNames({"k", "percent"})->ArgsProduct({{5, 10, 100}, {0, 2}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cordon::engine
