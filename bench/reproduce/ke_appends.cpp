// SPDX-License-Identifier: Apache-2.0
//
// The (k,e) report's experiment: half of adult's capital losses are there, more come one by one. One line of JSON.
//
//   ke_appends ADULT.DATA K E PERCENT        PERCENT of all rows are appended
//
// ratio: starts that the report's quadratic listing tries when it starts over, against those under the sound stop rule.
// skipped: share of the places, in per cent, that the sound rule need not compute again. unsound: appends after which the
// report's own stop rule gives a worse grouping. The rest are microseconds of the processor per append.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "tests/algorithms/ke/capital_loss.h"
#include "tests/algorithms/ke/ke_baselines.h"
#include "tests/algorithms/ke/ke_incremental.h"

namespace cordon::engine {
namespace {

using Values = std::vector<std::int64_t>;

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

struct Sums {
  double all = 0, sound = 0, skipped = 0, unsound = 0;
  double quadratic = 0, linear = 0, incremental = 0, approximation = 0;
};

// False: two methods disagree about the optimum.
bool Append(Values& list, IncrementalKe& kept, const KeRequirement& requirement, std::int64_t value, Sums& sums) {
  const KeTable old = FillKeTable(list, requirement);
  const KeAppended aligned = AppendToList(list, old, requirement, value, StopRule::kAligned);
  const KeAppended coupled = AppendToList(list, old, requirement, value, StopRule::kCoupled);
  list = coupled.values;
  const double n = static_cast<double>(list.size());
  sums.all += n * (n + 1) / 2;
  sums.sound += static_cast<double>(coupled.Steps());
  sums.skipped += (n - static_cast<double>(coupled.stopped)) / n;
  sums.unsound += aligned.CostOfGroups() != coupled.CostOfGroups() ? 1 : 0;
  Values distinct = list;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::optional<std::int64_t> cover;
  KeTable quadratic;
  KeTable linear;
  sums.quadratic += Seconds([&] { quadratic = FillKeTableQuadratically(list, requirement); });
  sums.linear += Seconds([&] { linear = FillKeTable(list, requirement); });
  sums.approximation += Seconds([&] { cover = CoverCost(distinct, requirement); });
  sums.incremental += Seconds([&] { kept.Append(value); });
  return kept.least_error() == coupled.CostOfGroups() && cover && *cover <= 2 * *coupled.CostOfGroups() &&
         quadratic.cost == linear.cost;
}

int Main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: ke_appends ADULT.DATA K E PERCENT\n");
    return 2;
  }
  const Values losses = testing::CapitalLoss(argv[1]);
  const KeRequirement requirement{std::atoll(argv[2]), std::atoll(argv[3])};
  const std::size_t half = losses.size() / 2;
  const std::size_t more = losses.size() * static_cast<std::size_t>(std::atoll(argv[4])) / 100;
  if (losses.empty() || more == 0 || half + more > losses.size()) {
    fmt::print(stderr, "ke_appends: {} has {} rows with a capital loss; {} % of them cannot follow the first half\n", argv[1],
               losses.size(), argv[4]);
    return 2;
  }
  Values list(losses.begin(), losses.begin() + static_cast<std::ptrdiff_t>(half));
  std::sort(list.begin(), list.end());
  IncrementalKe kept(OrderByValue(list).axis, requirement);
  Sums sums;
  for (std::size_t i = half; i < half + more; ++i) {
    if (!Append(list, kept, requirement, losses[i], sums)) {
      fmt::print(stderr, "ke_appends: two methods disagree about the optimum\n");
      return 1;
    }
  }
  const double each = 1 / static_cast<double>(more);
  fmt::print(
      "{{\"ratio\": {}, \"skipped\": {}, \"unsound\": {}, \"quadratic_us\": {}, \"linear_us\": {}, \"incremental_us\": {}, "
      "\"approximation_us\": {}}}\n",
      sums.all / sums.sound, 100 * sums.skipped * each, sums.unsound, 1e6 * sums.quadratic * each, 1e6 * sums.linear * each,
      1e6 * sums.incremental * each, 1e6 * sums.approximation * each);
  return 0;
}

}  // namespace
}  // namespace cordon::engine

int main(int argc, char** argv) { return cordon::engine::Main(argc, argv); }
