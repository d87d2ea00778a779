// SPDX-License-Identifier: Apache-2.0
//
// Time and loss of SABRE next to Mondrian with the same models (tMondrian), on the generated census: seven quasi columns,
// k = 6. Arguments: thousands of rows, t in percent, rho in percent. One thread.
#include "bench/algorithms/census_rows.h"
#include "cordon/algorithms/buckets/sabre.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kQuasi = 7;

bench::Question Asked(const benchmark::State& state) {
  const Microdata& data = bench::KeptCensusRows(static_cast<std::uint64_t>(state.range(0)) * 1000,
                                                static_cast<double>(state.range(2)) / 100, kQuasi);
  return {data,
          {TClosenessSpec{"salary", Rational(state.range(1), 100), Distance::kOrdered}, KAnonymitySpec{.k = 6, .on = {}}}};
}

void RunSabre(benchmark::State& state, const SabreOptions& options) {
  const bench::Question question = Asked(state);
  const AllOf rest = AllOf::Make(std::span(question.models).subspan(1), question.reference).value();
  Groups groups;
  for (auto _ : state) {
    Random random = Random::FromSeed(1);
    groups = Sabre(question.view, std::get<TClosenessSpec>(question.models[0]), rest, question.reference, question.counted,
                   options, random, {})
                 .value();
  }
  bench::Finish(state, question, groups);
}

void BM_SabreAk(benchmark::State& state) { RunSabre(state, {.neighbours = Neighbours::kHilbert}); }
void BM_SabreKnn(benchmark::State& state) { RunSabre(state, {.neighbours = Neighbours::kExact}); }

void BM_TMondrian(benchmark::State& state) {
  const bench::Question question = Asked(state);
  const AllOf model = question.All();
  Groups groups;
  for (auto _ : state) groups = Mondrian(question.view, model, question.counted, {}, {}).value();
  bench::Finish(state, question, groups);
}

BENCHMARK(BM_SabreAk)
    ->ArgsProduct({{100}, {15, 25, 35, 45, 55}, {0, 30, 60, 90}})
    ->ArgsProduct({{500, 1000, 5000}, {35}, {30}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SabreKnn)->ArgsProduct({{100}, {15, 35, 55}, {0, 30, 60, 90}})->Unit(benchmark::kMillisecond);
BENCHMARK(BM_TMondrian)
    ->ArgsProduct({{100}, {15, 25, 35, 45, 55}, {0, 30, 60, 90}})
    ->ArgsProduct({{500, 1000, 5000}, {35}, {30}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cordon::engine
