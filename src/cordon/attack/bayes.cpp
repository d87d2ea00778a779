// SPDX-License-Identifier: Apache-2.0
//
// Which of the rows that fit is the target's? A row of a wide box is less likely to be a given person of it than a row of a
// narrow one: each row counts by the chance that a person behind it has the target's known values.
#include <algorithm>

#include "cordon/attack/attacks.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

// What the rows that fit one point say, for each secret.
struct WeighedGuess {
  Code value = kNull;  // none: no row fits
  double belief = 0;
};

class Weigher {
 public:
  Weigher(const Scene& scene, const std::vector<ValueLists>& values) : scene_(scene), values_(values) {
    for (const TargetColumn& secret : scene.secrets) weights_.emplace_back(secret.frequency.size());
  }
  std::vector<WeighedGuess> Guess(RowId row) {
    scene_.seen.PointOf(row, point_);
    scene_.cover().Find(point_, classes_);
    std::vector<WeighedGuess> guesses;
    for (std::size_t s = 0; s < weights_.size(); ++s) guesses.push_back(GuessOf(s));
    return guesses;
  }

 private:
  WeighedGuess GuessOf(std::size_t s) {
    std::vector<double>& weights = weights_[s];
    std::fill(weights.begin(), weights.end(), 0.0);
    double all = 0;
    for (const std::uint32_t number : classes_) {
      double weight = 1;
      for (const double share : scene_.cell_shares_of(number)) weight /= share;
      for (const ValueRows& each : values_[s][number]) {
        weights[each.value] += weight * each.rows;
        all += weight * each.rows;
      }
    }
    const auto best = std::max_element(weights.begin(), weights.end());
    if (all <= 0) return {};
    return {static_cast<Code>(best - weights.begin()), *best / all};
  }

  const Scene& scene_;
  const std::vector<ValueLists>& values_;  // by secret and class
  std::vector<std::vector<double>> weights_;
  std::vector<Code> point_;
  std::vector<std::uint32_t> classes_;
};

}  // namespace

Result<Attacked> Bayes(const Scene& scene) {
  std::vector<ValueLists> values;
  for (const TargetColumn& secret : scene.secrets) {
    values.push_back(ValuesByClass(scene.seen.class_of_row, scene.seen.num_classes(), secret.shown));
  }
  std::vector<std::vector<WeighedGuess>> guesses(scene.candidates.example.size());  // by point
  constexpr std::size_t kPointsAtOnce = 256;
  ParallelFor(scene.run.threads, guesses.size(), kPointsAtOnce, [&](std::size_t, std::size_t begin, std::size_t end) {
    Weigher weigher(scene, values);
    for (std::size_t i = begin; i < end && !scene.run.Stopped(); ++i) guesses[i] = weigher.Guess(scene.candidates.example[i]);
  });
  if (scene.run.Stopped()) return Error::Cancelled();
  Attacked made;
  for (std::size_t s = 0; s < scene.secrets.size(); ++s) {
    const TargetColumn& secret = scene.secrets[s];
    const Code usual = MostFrequent(ListOf(secret.frequency), secret.frequency).value;
    std::vector<Score> scores;
    for (std::size_t target = 0; target < scene.targets.size(); ++target) {
      const Code truth = (*secret.truth)[scene.targets[target]];
      const auto shown = scene.values(s, target);
      const WeighedGuess& guess = guesses[scene.candidates.point_of[target]][s];
      const bool simple = !shown.empty() && MostFrequent(shown, secret.frequency).value == truth;
      scores.push_back({guess.value == truth ? 1.0 : 0.0, truth == usual ? 1.0 : 0.0, guess.belief, guess.value != kNull,
                        simple ? 1.0 : 0.0});
    }
    Figure figure = scene.Sum({"bayes", "", secret.name}, scores);
    figure.reference_name = "most frequent value of the candidates";
    made.figures.push_back(std::move(figure));
  }
  return made;
}

}  // namespace cordon::engine
