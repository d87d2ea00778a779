// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cordon/attack/attacks.h"
#include "cordon/base/rational.h"

namespace cordon::engine {
namespace {

struct SharedValue {
  Code value = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

// Values that both lists have. A person whom one release does not show is known by the other alone.
std::vector<SharedValue> ValuesInBoth(std::span<const ValueRows> first, std::span<const ValueRows> second,
                                      std::span<const std::uint64_t> frequency) {
  std::vector<SharedValue> both;
  if (first.empty() || second.empty()) {
    for (const ValueRows& each : first.empty() ? second : first) both.push_back({each.value, each.rows, frequency[each.value]});
    return both;
  }
  for (auto a = first.begin(), b = second.begin(); a != first.end() && b != second.end();) {
    if (a->value == b->value) both.push_back({a->value, a->rows, b->rows});
    const bool step_b = b->value <= a->value;
    if (a->value <= b->value) ++a;
    if (step_b) ++b;
  }
  return both;
}

// first * second / frequency, the largest; exact.
SharedValue Likeliest(std::span<const SharedValue> both, std::span<const std::uint64_t> frequency) {
  SharedValue best = both.front();
  for (const SharedValue& each : both.subspan(1)) {
    const UInt128 mine = UInt128{each.first * each.second} * frequency[best.value];
    const UInt128 other = UInt128{best.first * best.second} * frequency[each.value];
    if (mine > other || (mine == other && frequency[each.value] > frequency[best.value])) best = each;
  }
  return best;
}

double BeliefIn(const SharedValue& guess, std::span<const SharedValue> both, std::span<const std::uint64_t> frequency) {
  const auto weight = [&](const SharedValue& each) {
    return static_cast<double>(each.first) * static_cast<double>(each.second) / static_cast<double>(frequency[each.value]);
  };
  double all = 0;
  for (const SharedValue& each : both) all += weight(each);
  return weight(guess) / all;
}

}  // namespace

Result<Attacked> Intersection(const Scene& scene) {
  if (scene.input.second == nullptr) return Attacked{{}, "it needs a second release (--second)"};
  std::vector<std::string> known;
  for (const KnownColumn& column : scene.seen.columns) known.push_back(column.name);
  CORDON_TRY(const Seen seen, SeeRelease(scene.original(), *scene.input.second, known, scene.run));
  CORDON_TRY(const std::vector<TargetColumn> secrets, SecretsOf(scene.original(), *scene.input.second, scene.run));
  CORDON_TRY(const CandidateRows second, FindCandidates(seen, ClassIndex(seen), secrets, scene.targets, scene.run));
  Attacked made;
  for (std::size_t s = 0; s < scene.secrets.size(); ++s) {
    const TargetColumn& secret = scene.secrets[s];
    std::vector<Score> sure;
    std::vector<Score> best;
    for (std::size_t target = 0; target < scene.targets.size(); ++target) {
      const Code truth = (*secret.truth)[scene.targets[target]];
      const auto first = scene.values(s, target);
      const auto both = ValuesInBoth(first, second.values[s][second.point_of[target]], secret.frequency);
      const bool one = both.size() == 1;
      const bool one_before = first.size() == 1 && first.front().value == truth;
      sure.push_back({one && both.front().value == truth ? 1.0 : 0.0, one_before ? 1.0 : 0.0, one ? 1.0 : 0.0, one});
      Score score{0, 0, 0, !both.empty()};
      if (!first.empty()) score.baseline = MostFrequent(first, secret.frequency).value == truth ? 1 : 0;
      if (!both.empty()) {
        const SharedValue guess = Likeliest(both, secret.frequency);
        score.right = guess.value == truth ? 1 : 0;
        score.belief = BeliefIn(guess, both, secret.frequency);
      }
      best.push_back(score);
    }
    made.figures.push_back(scene.Sum({"intersection", "one value left", secret.name}, sure));
    made.figures.push_back(scene.Sum({"intersection", "best guess", secret.name}, best));
  }
  return made;
}

}  // namespace cordon::engine
