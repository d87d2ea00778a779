// SPDX-License-Identifier: Apache-2.0
//
// The R-tree publisher on the SAL-like stream and on synthetic ones: tuples a second of CPU time, and penalty, cost and delay
// next to it. bench/stream_rtree_table.py runs the families and writes the tables of docs/algorithms/stream_rtree.md. The
// verifier judges the departures of one run outside the clock.
//
// Arguments are method (0 min-delay, 1 basic, 2 density-aware, 3 full), control (0 proportional, 1 fixed, 2 literal), `active`,
// alpha in units of 0.0001, k, rows in thousands, and what the family adds.
#include <benchmark/benchmark.h>

#include "bench/algorithms/costed_stream.h"
#include "cordon/algorithms/stream_rtree/stream_rtree.h"
#include "cordon/models/verify/stream_verifier.h"

namespace cordon::engine {
namespace {

enum Argument { kMethod, kControl, kActive, kAlpha, kK, kRows, kMore };

StreamRtreeOptions OptionsOf(const benchmark::State& state) {
  StreamRtreeOptions options;
  options.method = static_cast<StreamRtreeOptions::Method>(state.range(kMethod));
  options.control = static_cast<StreamRtreeOptions::Control>(state.range(kControl));
  options.active = state.range(kActive);
  options.alpha = static_cast<double>(state.range(kAlpha)) * 1e-4;
  return options;
}

StreamRtree MakeEngine(const benchmark::State& state, const CostedStream& stream, const StreamRtreeOptions& options) {
  return StreamRtree::Make(stream.schema, {{KsAnonymitySpec{state.range(kK)}}}, options, Random::FromSeed(1)).value();
}

// Once through the verifier, step by step.
void Judge(benchmark::State& state, const CostedStream& stream, const StreamRtreeOptions& options) {
  StreamRtree engine = MakeEngine(state, stream, options);
  StreamVerifier verifier =
      StreamVerifier::Make(stream.schema, {KsAnonymitySpec{state.range(kK)}}, {.most_held = options.held_cap()}).value();
  std::vector<Departure> departures;
  std::vector<Position> steps;
  std::vector<Departure> out;
  Position now = 0;
  double active = 0;
  double peak = 0;
  const auto accept = [&] {
    for (Departure& departure : out) {
      departures.push_back(departure);
      steps.push_back(now);
      if (!verifier.Accept(std::move(departure)).ok()) state.SkipWithError("a departure does not hold");
    }
    out.clear();
    if (!verifier.EndStep().ok()) state.SkipWithError("too many tuples wait");
  };
  for (std::size_t row = 0; row < stream.num_rows(); ++row) {
    now = static_cast<Position>(row) + 1;
    if (!verifier.Arrive(stream.At(row)).ok()) state.SkipWithError("a tuple does not fit");
    engine.Push(stream.At(row), out);
    accept();
    active += static_cast<double>(engine.gauges().held) / static_cast<double>(stream.num_rows());
    peak = std::max(peak, static_cast<double>(engine.gauges().held));
  }
  engine.Flush(out);
  accept();
  if (!verifier.Finish().ok()) state.SkipWithError("a tuple is left");
  StreamCosts costs = CostsOf(stream, departures, steps, state.range(kK), options.alpha);
  state.counters["penalty"] = costs.penalty;
  state.counters["cost"] = costs.cost;
  state.counters["delay"] = costs.delay;
  state.counters["delay_p50"] = costs.Quantile(.5);
  state.counters["delay_p99"] = costs.Quantile(.99);
  state.counters["delay_max"] = costs.Quantile(1);
  state.counters["suppressed"] = costs.suppressed;
  state.counters["groups"] = costs.groups;
  state.counters["just_k"] = costs.just_k;
  state.counters["homogeneity"] = costs.homogeneity;
  state.counters["active_mean"] = active;
  state.counters["active_peak"] = peak;
}

void Measure(benchmark::State& state, const CostedStream& stream, StreamRtreeOptions options) {
  std::vector<Departure> out;
  for (auto _ : state) {
    StreamRtree engine = MakeEngine(state, stream, options);
    for (std::size_t row = 0; row < stream.num_rows(); ++row) {
      engine.Push(stream.At(row), out);
      out.clear();
    }
    engine.Flush(out);
    out.clear();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stream.num_rows()));
  Judge(state, stream, options);
}

std::size_t RowsOf(const benchmark::State& state) { return static_cast<std::size_t>(state.range(kRows)) * 1000; }

// The figure of speed: k = 10, 1,000 active.
void BM_SalSpeed(benchmark::State& state) { Measure(state, SalStream(RowsOf(state), 7, People::kRows), OptionsOf(state)); }
BENCHMARK(BM_SalSpeed)->ArgsProduct({{0, 1, 2, 3}, {0}, {1000}, {10}, {10}, {200}})->Unit(benchmark::kMillisecond);

// What a large active set costs: the tree instead of the scan.
BENCHMARK(BM_SalSpeed)
    ->Name("BM_SalManyActive")
    ->ArgsProduct({{3}, {0}, {10'000, 50'000}, {10}, {10}, {200}})
    ->Unit(benchmark::kMillisecond);

// People = rows with the same quasi values (1), as in the paper, or everybody his own (0).
void BM_SalMethods(benchmark::State& state) {
  Measure(state, SalStream(RowsOf(state), 7, static_cast<People>(state.range(kMore))), OptionsOf(state));
}
BENCHMARK(BM_SalMethods)
    ->ArgsProduct({{0, 1, 2, 3}, {0}, {100, 300, 1000}, {10}, {10}, {20, 100}, {0, 1}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void BM_SalAlpha(benchmark::State& state) { Measure(state, SalStream(RowsOf(state), 7, People::kRows), OptionsOf(state)); }
BENCHMARK(BM_SalAlpha)
    ->ArgsProduct({{1, 2, 3}, {0, 1}, {300}, {0, 5, 10, 15, 20}, {10}, {30}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// `active` grows with k: thirty times.
BENCHMARK(BM_SalAlpha)
    ->Name("BM_SalK")
    ->Args({3, 0, 150, 10, 5, 100})
    ->Args({3, 0, 300, 10, 10, 100})
    ->Args({3, 0, 450, 10, 15, 100})
    ->Args({3, 0, 600, 10, 20, 100})
    ->Args({1, 0, 150, 10, 5, 100})
    ->Args({1, 0, 300, 10, 10, 100})
    ->Args({1, 0, 450, 10, 15, 100})
    ->Args({1, 0, 600, 10, 20, 100})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void BM_SalColumns(benchmark::State& state) {
  Measure(state, SalStream(RowsOf(state), static_cast<std::size_t>(state.range(kMore)), People::kRows), OptionsOf(state));
}
BENCHMARK(BM_SalColumns)
    ->ArgsProduct({{1, 3}, {0}, {300}, {10}, {10}, {100}, {3, 4, 5, 6, 7}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void BM_SalSample(benchmark::State& state) {
  StreamRtreeOptions options = OptionsOf(state);
  options.sample = state.range(kMore);
  Measure(state, SalStream(RowsOf(state), 7, People::kRows), options);
}
BENCHMARK(BM_SalSample)
    ->ArgsProduct({{3}, {0}, {300}, {10}, {10}, {100}, {300, 1000, 3000, 6000}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// The paper's synthetic streams, even (0) and normal (1), for several seeds, with its own control; no cap, as it has none.
void BM_Synthetic(benchmark::State& state) {
  StreamRtreeOptions options = OptionsOf(state);
  options.max_held = 1'000'000;
  options.max_holds = 1'000'000;
  options.most_exponent = 600;
  Measure(state, SyntheticStream(RowsOf(state), state.range(kMore) == 1, static_cast<std::uint64_t>(state.range(kMore + 1))),
          options);
}
BENCHMARK(BM_Synthetic)
    ->ArgsProduct({{0, 1, 2, 3}, {1}, {300}, {10}, {10}, {30}, {0, 1}, {1, 2, 3, 4, 5}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// How the number that waits goes: proportional, fixed, literal.
BENCHMARK(BM_Synthetic)
    ->Name("BM_Control")
    ->ArgsProduct({{1}, {0, 1, 2}, {200}, {10}, {10}, {100}, {0}, {1, 2, 3, 4, 5}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cordon::engine
