// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a two-party run cost, both parties together unless the name says one.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "cordon/crypto/private_compare.h"
#include "cordon/crypto/psi.h"

namespace cordon::engine {
namespace {

// One party: its own list, and the peer's.
void BM_PsiOneParty(benchmark::State& state) {
  std::vector<std::string> ids;
  for (std::int64_t i = 0; i < state.range(0); ++i) ids.push_back(std::to_string(1'000'000 + i));
  const std::vector<std::string_view> views(ids.begin(), ids.end());
  const ByteSource bytes = OperatingSystemBytes();
  const PsiParty peer = PsiParty::Make(views, {}, bytes, Random::FromOperatingSystem(), {}).value();
  for (auto _ : state) {
    const PsiParty party = PsiParty::Make(views, {}, bytes, Random::FromOperatingSystem(), {}).value();
    benchmark::DoNotOptimize(party.Raise(peer.masked(), {}).value());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_PsiOneParty)->Arg(1'000)->Unit(benchmark::kMillisecond);

struct Ends {
  CompareGarbler garbler;
  CompareEvaluator evaluator;
};
Ends SetUp(std::size_t transfers) {
  const ByteSource bytes = OperatingSystemBytes();
  OtReceiverSetup setup({}, bytes);
  auto answered = OtSenderSetup::Answer({}, setup.key(), bytes).value();
  OtReceiver receiver = std::move(setup).Take(answered.points).value();
  if (!answered.sender.Extend(receiver.Extend(transfers, bytes)).ok()) std::abort();
  return {CompareGarbler({}, std::move(answered.sender)), CompareEvaluator({}, std::move(receiver))};
}

void BM_SetUpTransfers(benchmark::State& state) {
  for (auto _ : state) {
    const Ends ends = SetUp(static_cast<std::size_t>(state.range(0)));
    benchmark::DoNotOptimize(&ends);
  }
}
BENCHMARK(BM_SetUpTransfers)->Arg(8)->Arg(97'000)->Unit(benchmark::kMillisecond);

void BM_Compare(benchmark::State& state) {
  const ByteSource bytes = OperatingSystemBytes();
  Ends ends = SetUp(kMaxTransfersAtOnce);
  std::uint32_t round = 0;
  for (auto _ : state) {
    if (ends.evaluator.transfers().num_left() < kCompareInputs) {
      state.PauseTiming();
      ends = SetUp(kMaxTransfersAtOnce);
      state.ResumeTiming();
    }
    const CompareId id{++round, 0};
    const CompareChoices choices = ends.evaluator.Start(id, MakeCompareKey(6)).value();
    const CompareTable table = ends.garbler.Start(id, MakeCompareKey(5), choices, bytes).value();
    const CompareEvaluator::Finished finished = ends.evaluator.Finish(table).value();
    if (ends.garbler.Finish(finished.result).value() != CompareOutcome::kEvaluator) state.SkipWithError("the wrong party wins");
  }
}
BENCHMARK(BM_Compare)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace cordon::engine
