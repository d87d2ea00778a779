// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "cordon/attack/attacks.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxColumns = 3;
constexpr int kTries = 20;  // to find cells that one released row alone shows

struct Condition {
  std::size_t column = 0;  // of what is seen
  CodeRange range;
};

// Whether exactly one row of the original satisfies all.
bool SinglesOut(const Seen& seen, std::span<const Condition> conditions, std::size_t num_rows) {
  int found = 0;
  for (std::size_t row = 0; row < num_rows && found < 2; ++row) {
    const bool fits = std::all_of(conditions.begin(), conditions.end(), [&](const Condition& each) {
      const Code place = seen.columns[each.column].place(static_cast<RowId>(row));
      return each.range.lo <= place && place <= each.range.hi;
    });
    found += fits ? 1 : 0;
  }
  return found == 1;
}

bool OneRowShows(const Seen& seen, std::span<const Condition> conditions) {
  std::uint64_t rows = 0;
  for (std::size_t number = 0; number < seen.num_classes() && rows < 2; ++number) {
    const auto box = seen.box(number);
    const bool shows = std::all_of(conditions.begin(), conditions.end(),
                                   [&](const Condition& each) { return box[each.column] == each.range; });
    rows += shows ? seen.sizes[number] : 0;
  }
  return rows == 1;
}

std::vector<std::size_t> DrawColumns(std::size_t all, QuickRandom& random) {
  std::vector<std::size_t> columns(all);
  for (std::size_t i = 0; i < all; ++i) columns[i] = i;
  for (std::size_t i = 0; i < std::min(all, kMaxColumns); ++i) std::swap(columns[i], columns[i + random.Below(all - i)]);
  columns.resize(std::min(all, kMaxColumns));
  return columns;
}

Score Attempt(const Seen& seen, std::size_t num_rows, QuickRandom random) {
  Score score;
  score.guessed = false;
  std::vector<Condition> conditions;
  for (int i = 0; i < kTries && !score.guessed; ++i) {
    const auto box = seen.box(seen.class_of_row[random.Below(seen.rows)]);
    conditions.clear();
    for (const std::size_t column : DrawColumns(seen.columns.size(), random)) conditions.push_back({column, box[column]});
    score.guessed = OneRowShows(seen, conditions);
  }
  score.right = score.guessed && SinglesOut(seen, conditions, num_rows) ? 1 : 0;
  for (Condition& each : conditions) {
    const auto place = static_cast<Code>(random.Below(static_cast<std::uint64_t>(seen.columns[each.column].size)));
    each.range = {place, place};
  }
  score.baseline = SinglesOut(seen, conditions, num_rows) ? 1 : 0;
  return score;
}

}  // namespace

Result<Attacked> SinglingOut(const Scene& scene) {
  std::vector<std::string> columns;
  for (const MicrodataColumn& column : scene.original().columns) {
    if (scene.release().Find(column.attribute.name) != nullptr) columns.push_back(column.attribute.name);
  }
  CORDON_TRY(const Seen seen, SeeRelease(scene.original(), scene.release(), columns, scene.run));
  // An attempt goes through the rows: of large tables there are fewer.
  constexpr std::size_t kRowsForAll = 100'000;
  constexpr std::size_t kLeast = 200;
  const std::size_t rows = std::max<std::size_t>(1, scene.original().num_rows);
  const std::size_t attempts = std::min(scene.options.attempts, std::max(kLeast, scene.options.attempts * kRowsForAll / rows));
  std::vector<Score> scores(attempts);
  ParallelFor(scene.run.threads, attempts, 16, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && !scene.run.Stopped(); ++i) {
      scores[i] = Attempt(seen, scene.original().num_rows, scene.Draws("singling-out", i));
    }
  });
  if (scene.run.Stopped()) return Error::Cancelled();
  return Attacked{{scene.Sum({"singling-out", "up to 3 columns", "", "attempts"}, scores)}};
}

}  // namespace cordon::engine
