// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/attacks.h"

namespace cordon::engine {

Result<Attacked> Homogeneity(const Scene& scene) {
  Attacked made;
  for (std::size_t s = 0; s < scene.secrets.size(); ++s) {
    const TargetColumn& secret = scene.secrets[s];
    const bool one_value = ListOf(secret.frequency).size() == 1;  // known without any release
    std::vector<Score> scores;
    for (std::size_t target = 0; target < scene.targets.size(); ++target) {
      const auto values = scene.values(s, target);
      const bool sure = values.size() == 1;
      const bool right = sure && values.front().value == (*secret.truth)[scene.targets[target]];
      scores.push_back({right ? 1.0 : 0.0, one_value ? 1.0 : 0.0, sure ? 1.0 : 0.0, sure});
    }
    made.figures.push_back(scene.Sum({"homogeneity", "", secret.name}, scores));
  }
  return made;
}

}  // namespace cordon::engine
