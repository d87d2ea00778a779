// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cordon/attack/attacks.h"

namespace cordon::engine {
namespace {

// From a person to a row: all rows that fit are equally likely.
Figure AsProsecutor(const Scene& scene) {
  std::vector<Score> scores;
  for (std::size_t target = 0; target < scene.targets.size(); ++target) {
    const std::uint64_t rows = scene.rows(target);
    const double right = rows == 0 ? 0 : 1 / static_cast<double>(rows);
    scores.push_back({right, 1 / static_cast<double>(scene.seen.rows), right, rows > 0});
  }
  return scene.Sum({"linkage", "prosecutor"}, scores);
}

// From a row to a person: everybody whom it covers is equally likely. Nobody, if it covers no first row of a person.
std::vector<Score> RowScores(const Scene& scene) {
  const double people = static_cast<double>(scene.original().num_persons);
  std::vector<Score> by_class;
  for (const std::uint64_t covered : scene.people_of_class) {
    const double right = covered == 0 ? 0 : 1 / static_cast<double>(covered);
    by_class.push_back({right, 1 / people, right, covered > 0});
  }
  std::vector<Score> scores;
  for (const std::uint32_t number : scene.seen.class_of_row) scores.push_back(by_class[number]);
  return scores;
}

}  // namespace

Result<Attacked> Linkage(const Scene& scene) {
  std::vector<Figure> figures = {AsProsecutor(scene)};
  const std::vector<Score> all = RowScores(scene);
  const double highest =
      std::max_element(all.begin(), all.end(), [](const Score& a, const Score& b) { return a.right < b.right; })->right;
  std::vector<Score> easiest;
  std::copy_if(all.begin(), all.end(), std::back_inserter(easiest), [&](const Score& score) { return score.right == highest; });
  figures.push_back(scene.Sum({"linkage", "journalist", "", "rows"}, easiest));
  figures.push_back(scene.Sum({"linkage", "marketer", "", "rows"}, all));
  return Attacked{std::move(figures)};
}

}  // namespace cordon::engine
