// SPDX-License-Identifier: Apache-2.0
//
// Time and loss of BUREL in the paper's form next to Mondrian with beta-likeness (LMondrian) and with the delta-disclosure
// that implies it (DMondrian), on the generated census. Arguments: thousands of rows, beta, rho in percent, quasi columns,
// and for BUREL the margin in percent. One thread.
#include <cmath>

#include "bench/algorithms/census_rows.h"
#include "cordon/algorithms/buckets/burel.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

const Microdata& Rows(const benchmark::State& state) {
  return bench::KeptCensusRows(static_cast<std::uint64_t>(state.range(0)) * 1000, static_cast<double>(state.range(2)) / 100,
                               static_cast<std::size_t>(state.range(3)));
}

BetaLikenessSpec Likeness(const benchmark::State& state) {
  return {"salary", Rational(state.range(1)), BetaLikenessSpec::Kind::kEnhanced};
}

void BM_BurelPaper(benchmark::State& state) {
  const bench::Question question(Rows(state), {Likeness(state)});
  const AllOf rest = AllOf::Make({}, question.reference).value();
  Groups groups;
  for (auto _ : state) {
    Random random = Random::FromSeed(1);
    groups = Burel(question.view, Likeness(state), rest, question.reference, question.counted,
                   {.margin = Rational(state.range(4), 100)}, random, {})
                 .value();
  }
  bench::Finish(state, question, groups);
}

void RunMondrian(benchmark::State& state, const bench::Question& question, const ModelSpec& searched) {
  const AllOf model = AllOf::Make(std::vector<ModelSpec>{searched}, question.reference).value();
  Groups groups;
  for (auto _ : state) groups = Mondrian(question.view, model, question.counted, {}, {}).value();
  bench::Finish(state, question, groups);
}

void BM_LMondrian(benchmark::State& state) {
  const bench::Question question(Rows(state), {Likeness(state)});
  RunMondrian(state, question, question.models[0]);
}

// delta = ln(1 + min(beta, -ln of the greatest share)), rounded down.
void BM_DMondrian(benchmark::State& state) {
  const bench::Question question(Rows(state), {Likeness(state)});
  const auto& counts = question.reference.histograms[0];
  const double largest = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  const double surprise = -std::log(largest / static_cast<double>(question.reference.rows));
  const double delta = std::log1p(std::min(static_cast<double>(state.range(1)), surprise));
  RunMondrian(state, question,
              DeltaDisclosureSpec{"salary", Rational(static_cast<std::int64_t>(std::floor(delta * 1e6)), 1'000'000)});
}

BENCHMARK(BM_BurelPaper)
    ->ArgsProduct({{100}, {1, 2, 3, 4, 5}, {0, 30, 60, 90}, {3}, {0, 10}})
    ->ArgsProduct({{100}, {4}, {30}, {3, 5}, {0, 5, 10, 15, 20, 30, 50}})
    ->ArgsProduct({{500, 1000, 5000}, {4}, {30}, {3}, {0, 10}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_LMondrian)
    ->ArgsProduct({{100}, {1, 2, 3, 4, 5}, {0, 30, 60, 90}, {3}})
    ->ArgsProduct({{500, 1000, 5000}, {4}, {30}, {3}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_DMondrian)
    ->ArgsProduct({{100}, {1, 2, 3, 4, 5}, {0, 30, 60, 90}, {3}})
    ->ArgsProduct({{500}, {4}, {30}, {3}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cordon::engine
