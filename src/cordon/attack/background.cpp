// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cordon/attack/attacks.h"

namespace cordon::engine {
namespace {

struct Guess {
  bool right = false;
  double belief = 0;
};

// The most frequent value once the `excluded` most frequent wrong ones are out.
Guess GuessWithout(std::vector<ValueRows> values, std::size_t excluded, Code truth, std::span<const std::uint64_t> frequency) {
  for (; excluded > 0; --excluded) {
    std::vector<ValueRows> wrong;
    std::copy_if(values.begin(), values.end(), std::back_inserter(wrong),
                 [&](const ValueRows& each) { return each.value != truth; });
    if (wrong.empty()) break;
    const Code out = MostFrequent(wrong, frequency).value;
    std::erase_if(values, [&](const ValueRows& each) { return each.value == out; });
  }
  if (values.empty()) return {};
  const ValueRows best = MostFrequent(values, frequency);
  return {best.value == truth, static_cast<double>(best.rows) / static_cast<double>(RowsOf(values))};
}

}  // namespace

Result<Attacked> Background(const Scene& scene) {
  Attacked made;
  for (std::size_t s = 0; s < scene.secrets.size(); ++s) {
    const TargetColumn& secret = scene.secrets[s];
    const std::vector<ValueRows> all = ListOf(secret.frequency);
    for (const std::size_t excluded : {1, 2}) {
      std::vector<double> baseline(secret.frequency.size());  // by true value
      for (const ValueRows& each : all) {
        baseline[each.value] = GuessWithout(all, excluded, each.value, secret.frequency).right ? 1 : 0;
      }
      std::vector<Score> scores;
      for (std::size_t target = 0; target < scene.targets.size(); ++target) {
        const Code truth = (*secret.truth)[scene.targets[target]];
        const auto values = scene.values(s, target);
        const Guess guess = GuessWithout({values.begin(), values.end()}, excluded, truth, secret.frequency);
        scores.push_back({guess.right ? 1.0 : 0.0, baseline[truth], guess.belief, guess.belief > 0});
      }
      const std::string variant = excluded == 1 ? "1 value excluded" : "2 values excluded";
      made.figures.push_back(scene.Sum({"background", variant, secret.name}, scores));
    }
  }
  return made;
}

}  // namespace cordon::engine
