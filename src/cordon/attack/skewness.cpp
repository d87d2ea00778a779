// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/attacks.h"

namespace cordon::engine {

Result<Attacked> Skewness(const Scene& scene) {
  Attacked made;
  for (std::size_t s = 0; s < scene.secrets.size(); ++s) {
    const TargetColumn& secret = scene.secrets[s];
    const Code usual = MostFrequent(ListOf(secret.frequency), secret.frequency).value;
    std::vector<Score> scores;
    for (std::size_t target = 0; target < scene.targets.size(); ++target) {
      const Code truth = (*secret.truth)[scene.targets[target]];
      Score score{0, truth == usual ? 1.0 : 0.0, 0, false};
      if (const auto values = scene.values(s, target); !values.empty()) {
        const ValueRows guess = MostFrequent(values, secret.frequency);
        score.right = guess.value == truth ? 1 : 0;
        score.belief = static_cast<double>(guess.rows) / static_cast<double>(RowsOf(values));
        score.guessed = true;
      }
      scores.push_back(score);
    }
    made.figures.push_back(scene.Sum({"skewness", "", secret.name}, scores));
  }
  return made;
}

}  // namespace cordon::engine
