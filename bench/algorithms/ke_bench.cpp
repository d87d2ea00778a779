// SPDX-License-Identifier: Apache-2.0
//
// (k,e)-anonymity: the optimum against a sort of the same values; one append against starting over. The report's own
// experiment is bench/reproduce/ke_appends.cpp.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "cordon/algorithms/ke/ke.h"
#include "tests/algorithms/ke/ke_incremental.h"

namespace cordon::engine {
namespace {

using Values = std::vector<std::int64_t>;

Values Draw(std::size_t size, std::uint64_t below, std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  Values values(size);
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(random.Below(below));
  return values;
}

KeAnonymitySpec Model(std::int64_t k, std::int64_t e) {
  KeAnonymitySpec spec;
  spec.sensitive = "s";
  spec.k = k;
  spec.e = Rational(e);
  return spec;
}

// Of the processor: other work on the machine does not count.
double Seconds(const std::function<void()>& work) {
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

// Arguments: rows, values per row in a thousand (1000: all may differ). `over_sort`: time over that of std::sort.
void BM_KeOptimum(benchmark::State& state) {
  const std::size_t rows = static_cast<std::size_t>(state.range(0));
  const Values values =
      Draw(rows, std::max<std::uint64_t>(100, rows * static_cast<std::uint64_t>(state.range(1)) / 1000 * 8), 1);
  double own = 0;
  double sort = 0;
  for (auto _ : state) {
    Random random = Random::FromSeed(2);
    KeGroups groups;
    const double seconds = Seconds([&] { groups = Ke(values, 0, Model(5, 100), random).value(); });
    state.SetIterationTime(seconds);
    own += seconds;
    state.counters["groups"] = static_cast<double>(groups.size());
    state.counters["sum_error"] = static_cast<double>(groups.sum_error);
    Values copy = values;
    sort += Seconds([&] { std::sort(copy.begin(), copy.end()); });
    const std::optional<KeCut> cut = CutBySum(OrderByValue(copy).axis, {5, 100});
    if (!cut || cut->sum_error != groups.sum_error) state.SkipWithError("another cost");
  }
  state.counters["over_sort"] = own / sort;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows));
}
BENCHMARK(BM_KeOptimum)
    ->ArgsProduct({{100'000, 1'000'000, 10'000'000}, {1, 100, 1000}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

void BM_KeMaxError(benchmark::State& state) {
  const KeAxis axis =
      OrderByValue(Draw(static_cast<std::size_t>(state.range(0)), 8 * static_cast<std::uint64_t>(state.range(0)), 1)).axis;
  for (auto _ : state) benchmark::DoNotOptimize(CutByMax(axis, {5, 100}));
}
BENCHMARK(BM_KeMaxError)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// One new distinct value into a million: the median of random appends against the recurrence over the sorted values.
void BM_KeAppend(benchmark::State& state) {
  const std::int64_t e = state.range(0);
  const KeRequirement requirement{5, e};
  Values values = Draw(1'000'000, 4'000'000'000ull, 3);
  const KeAxis axis = OrderByValue(values).axis;
  const double over = Seconds([&] { benchmark::DoNotOptimize(CutBySum(axis, requirement)); });
  const double again = std::min(over, Seconds([&] { benchmark::DoNotOptimize(CutBySum(axis, requirement)); }));
  IncrementalKe incremental(axis, requirement);
  Random random = Random::FromSeed(4);
  std::vector<double> seconds;
  std::size_t computed = 0;
  for (auto _ : state) {
    const std::int64_t value = static_cast<std::int64_t>(random.Below(4'000'000'000ull));
    values.push_back(value);
    seconds.push_back(Seconds([&] { computed += incremental.Append(value); }));
    state.SetIterationTime(seconds.back());
  }
  if (incremental.least_error() != CutBySum(OrderByValue(values).axis, requirement)->sum_error)
    state.SkipWithError("another cost");
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  state.counters["median_us"] = median * 1e6;
  state.counters["p99_us"] = seconds[seconds.size() * 99 / 100] * 1e6;
  state.counters["starting_over_ms"] = again * 1e3;
  state.counters["times_faster"] = again / median;
  state.counters["entries_per_append"] = static_cast<double>(computed) / static_cast<double>(seconds.size());
}
BENCHMARK(BM_KeAppend)
    ->ArgName("e")
    ->Arg(0)
    ->Arg(20)
    ->Arg(60)
    ->Arg(100)
    ->Arg(140)
    ->Arg(180)
    ->Arg(220)
    ->Arg(100'000)
    ->Iterations(2000)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cordon::engine
