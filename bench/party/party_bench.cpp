// SPDX-License-Identifier: Apache-2.0
//
// Two parties over a pipe, the common people known: what refining together costs each of them, against one search over all
// columns. CPU time of A, on the calling thread; B has a separate thread, and ms_of_b is the CPU time of that.
#include <benchmark/benchmark.h>

#include <ctime>

#include "cordon/base/check.h"
#include "tests/party/two_sides.h"

namespace cordon::engine::testing {
namespace {

Joint LargeJoint(std::size_t rows) {
  std::mt19937_64 random(1);
  SmallTable table(rows);
  Joint joint;
  std::vector<Code> labels;
  for (std::size_t row = 0; row < rows; ++row) labels.push_back(static_cast<Code>(random() % 2));
  for (int i = 0; i < 8; ++i) {
    const bool numbers = i % 2 == 0;
    const Code size = numbers ? 40 : 12;
    std::vector<Code> codes;
    for (std::size_t row = 0; row < rows; ++row) {
      codes.push_back(
          static_cast<Code>((random() % static_cast<std::size_t>(size) + static_cast<std::size_t>(labels[row] * i)) %
                            static_cast<std::size_t>(size)));
    }
    joint.maskings.push_back(numbers ? Masking::kIntervals : Masking::kTaxonomy);
    table.Add("q" + std::to_string(i), Role::kQuasi, numbers ? Numbers(size) : Categories(size, 3), codes);
  }
  joint.data = std::move(table.data);
  AddClass(joint, {"no", "yes"}, std::move(labels));
  joint.specs.push_back(KAnonymitySpec{.k = 50, .on = {}});
  return joint;
}

std::string Central(const Joint& joint) {
  const JointParty central(joint, std::vector<bool>(8, true));
  const auto search = central.Make().value();
  CORDON_CHECK(search->ToTheEnd({}).ok());
  return search->Digest();
}

void BM_OneSearch(benchmark::State& state) {
  const Joint joint = LargeJoint(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(Central(joint));
}
BENCHMARK(BM_OneSearch)->Arg(45'222)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

double CpuMilliseconds(clockid_t clock) {
  std::timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}
double OfOtherThreads() { return CpuMilliseconds(CLOCK_PROCESS_CPUTIME_ID) - CpuMilliseconds(CLOCK_THREAD_CPUTIME_ID); }

void BM_TwoParties(benchmark::State& state) {
  const Joint joint = LargeJoint(static_cast<std::size_t>(state.range(0)));
  TwoSides sides(joint, {true, true, true, true, false, false, false, false}, 1, 0);
  for (Side* side : {&sides.a(), &sides.b()}) {  // records in the order of the joined table
    std::vector<std::size_t> rows(side->rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) rows[side->rows[row]] = row;
    side->input.known_rows = std::move(rows);
  }
  const std::string right = Central(joint);
  std::uint32_t rounds = 0;
  std::size_t bytes = 0;
  const double before = OfOtherThreads();
  for (auto _ : state) {
    const TwoSides::Ended ended = sides.Run();
    CORDON_CHECK(ended.a.ok() && ended.b.ok());
    rounds = ended.a.value().rounds;
    bytes = 0;
    for (const std::string& frame : ended.sent_by_a) bytes += frame.size();
    if (ended.a.value().search->Digest() != right) state.SkipWithError("the parties have another table");
  }
  state.counters["ms_of_b"] = benchmark::Counter(OfOtherThreads() - before, benchmark::Counter::kAvgIterations);
  state.counters["rounds"] = rounds;
  state.counters["bytes_of_a"] = static_cast<double>(bytes);
}
BENCHMARK(BM_TwoParties)->Arg(45'222)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cordon::engine::testing
