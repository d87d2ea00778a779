// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/attacks.h"
#include "cordon/attack/sample.h"

namespace cordon::engine {

Result<Attacked> Linkability(const Scene& scene) {
  std::vector<std::string> columns;
  for (const KnownColumn& column : scene.seen.columns) columns.push_back(column.name);
  if (columns.size() < 2) return Attacked{{}, "it needs two known columns"};
  const auto half = static_cast<std::ptrdiff_t>((columns.size() + 1) / 2);
  const std::vector<std::string> first(columns.begin(), columns.begin() + half);
  const std::vector<std::string> other(columns.begin() + half, columns.end());
  CORDON_TRY(const Seen by_first, SeeRelease(scene.original(), scene.release(), first, scene.run));
  CORDON_TRY(const Seen by_other, SeeRelease(scene.original(), scene.release(), other, scene.run));
  QuickRandom random = scene.Draws("linkability");
  std::vector<RowId> people;
  for (const std::size_t i : SampleNumbers(scene.targets.size(), scene.options.attempts, random)) {
    people.push_back(scene.targets[i]);
  }
  CORDON_TRY(const CandidateRows fits, FindCandidates(by_first, ClassIndex(by_first), {}, people, scene.run));
  CORDON_TRY(const CandidateRows records, FindCandidates(by_other, ClassIndex(by_other), {}, scene.targets, scene.run));
  std::vector<Score> scores;
  std::vector<Code> point;
  std::vector<std::uint32_t> classes;
  for (std::size_t i = 0; i < people.size(); ++i) {
    scene.seen.PointOf(people[i], point);
    scene.cover().Find(point, classes);
    const std::uint64_t rows = fits.rows[fits.point_of[i]];
    double right = 0;
    for (const std::uint32_t number : classes) {
      const std::uint32_t other_class = by_other.class_of_row[scene.seen.first_row[number]];
      right += static_cast<double>(scene.seen.sizes[number]) / static_cast<double>(records.people_of_class[other_class]);
    }
    if (rows > 0) right /= static_cast<double>(rows);
    scores.push_back({right, 1 / static_cast<double>(scene.targets.size()), right, rows > 0});
  }
  return Attacked{{scene.Sum({"linkability", "half of the known columns"}, scores)}};
}

}  // namespace cordon::engine
