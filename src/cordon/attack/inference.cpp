// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cordon/attack/attacks.h"
#include "cordon/attack/sample.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

// How the values of the column he is after are distributed in the original.
struct QuasiFrequency {
  std::vector<std::uint64_t> rows;   // by place
  std::vector<std::uint64_t> below;  // of smaller places

  std::uint64_t Between(CodeRange range) const { return below[range.hi + 1] - below[range.lo]; }
};

QuasiFrequency FrequencyOf(const KnownColumn& column, std::size_t num_rows) {
  QuasiFrequency frequency;
  frequency.rows.resize(column.size);
  for (std::size_t row = 0; row < num_rows; ++row) ++frequency.rows[column.place(static_cast<RowId>(row))];
  frequency.below.push_back(0);
  for (const std::uint64_t rows : frequency.rows) frequency.below.push_back(frequency.below.back() + rows);
  return frequency;
}

// Every row counts by the chance that a person behind it has the other known values, and spreads over the values of its cell,
// all in proportion to their frequency. Sums that differ by rounding alone tie.
Score InferValue(const Scene& scene, std::size_t column, const QuasiFrequency& frequency, RowId row) {
  std::vector<Code> point;
  std::vector<std::uint32_t> classes;
  scene.seen.PointOf(row, point);
  scene.cover().Find(point, classes, column);
  std::vector<double> change(frequency.below.size());
  for (const std::uint32_t number : classes) {
    const CodeRange range = scene.seen.box(number)[column];
    if (range.lo > range.hi || frequency.Between(range) == 0) continue;
    double each = static_cast<double>(scene.seen.sizes[number]) / static_cast<double>(frequency.Between(range));
    for (std::size_t i = 0; i < scene.seen.columns.size(); ++i) {
      if (i != column) each /= scene.cell_shares_of(number)[i];
    }
    change[range.lo] += each;
    change[range.hi + 1] -= each;
  }
  double level = 0;
  double all = 0;
  double best = 0;
  Code guess = 0;
  for (std::size_t place = 0; place < frequency.rows.size(); ++place) {
    level += change[place];
    const double weight = std::max(0.0, level) * static_cast<double>(frequency.rows[place]);
    all += weight;
    if (weight > best * (1 + 1e-9)) {
      best = weight;
      guess = static_cast<Code>(place);
    }
  }
  const auto usual = std::max_element(frequency.rows.begin(), frequency.rows.end()) - frequency.rows.begin();
  const Code truth = scene.seen.columns[column].place(row);
  return {all > 0 && guess == truth ? 1.0 : 0.0, usual == truth ? 1.0 : 0.0, all > 0 ? best / all : 0, all > 0};
}

}  // namespace

Result<Attacked> Inference(const Scene& scene) {
  if (scene.seen.columns.size() < 2) return Attacked{{}, "it needs two known columns"};
  QuickRandom random = scene.Draws("inference");
  const std::vector<std::size_t> people = SampleNumbers(scene.targets.size(), scene.options.attempts, random);
  Attacked made;
  for (std::size_t column = 0; column < scene.seen.columns.size(); ++column) {
    const KnownColumn& after = scene.seen.columns[column];
    if (scene.original().columns[after.index].attribute.role != Role::kQuasi) continue;
    const QuasiFrequency frequency = FrequencyOf(after, scene.original().num_rows);
    std::vector<Score> scores(people.size());
    ParallelFor(scene.run.threads, people.size(), 16, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end && !scene.run.Stopped(); ++i) {
        scores[i] = InferValue(scene, column, frequency, scene.targets[people[i]]);
      }
    });
    if (scene.run.Stopped()) return Error::Cancelled();
    made.figures.push_back(scene.Sum({"inference", "", after.name}, scores));
  }
  return made;
}

}  // namespace cordon::engine
