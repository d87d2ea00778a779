// SPDX-License-Identifier: Apache-2.0
//
// Minimality of the whole table: which assignments of the sensitive values to the people make the algorithm publish this very
// release? For small tables, by running it on each of them.
#include <algorithm>
#include <cmath>

#include "cordon/attack/attacks.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxTables = 2'000;

// Assignments of the values to the people; nothing if there are too many.
std::optional<std::size_t> NumTables(std::span<const ValueRows> values) {
  double tables = 1;
  double placed = 0;
  for (const ValueRows& each : values) {
    for (std::uint32_t i = 1; i <= each.rows; ++i) {
      tables *= ++placed / i;
      if (tables > 1e15) return std::nullopt;
    }
    if (tables > kMaxTables + 0.5) return std::nullopt;
  }
  return static_cast<std::size_t>(std::llround(tables));
}

// The rows of a release in no order; names of groups are random and left out.
std::vector<std::string> RowTexts(const Release& release, const Microdata& original) {
  std::vector<std::string> rows(release.num_rows);
  for (const MicrodataColumn& column : original.columns) {
    const ReleaseColumn* shown = release.Find(column.attribute.name);
    if (shown == nullptr) continue;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::string_view text = shown->text.cell(row).bytes();
      rows[row] += std::to_string(text.size()) + ":";
      rows[row] += text;
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// The original with other values in one sensitive column.
Microdata WithValues(const Microdata& original, std::size_t index, std::span<const Code> values,
                     std::span<const Code> text_of_value) {
  Microdata world = original;
  MicrodataColumn& column = world.columns[index];
  column.codes = Codes::Generate(values.size(), 1, [&](std::size_t row) { return values[row]; });
  column.text.codes = Codes::Generate(values.size(), 1, [&](std::size_t row) { return text_of_value[values[row]]; });
  return world;
}

struct TriedTables {
  std::uint64_t kept = 0;
  std::vector<std::vector<std::uint32_t>> seen;  // by row of the original and value: tables that are left
};

Result<TriedTables> TryTables(const Scene& scene, const TargetColumn& secret) {
  const Microdata& original = scene.original();
  std::vector<Code> values;
  std::vector<Code> text_of_value(secret.frequency.size(), kNull);
  for (std::size_t row = 0; row < original.num_rows; ++row) {
    values.push_back((*secret.truth)[row]);
    text_of_value[values.back()] = original.columns[secret.index].text.codes[row];
  }
  std::sort(values.begin(), values.end());
  const std::vector<std::string> published = RowTexts(scene.release(), original);
  TriedTables tried;
  tried.seen.assign(original.num_rows, std::vector<std::uint32_t>(secret.frequency.size()));
  do {
    if (scene.run.Stopped()) return Error::Cancelled();
    const auto made = scene.input.republish(WithValues(original, secret.index, values, text_of_value), 0);
    if (!made.ok() && made.error().kind() == ErrorKind::kCancelled) return Error::Cancelled();
    if (!made.ok() || RowTexts(made.value(), original) != published) continue;
    ++tried.kept;
    for (std::size_t row = 0; row < values.size(); ++row) ++tried.seen[row][values[row]];
  } while (std::next_permutation(values.begin(), values.end()));
  return tried;
}

}  // namespace

Result<Attacked> MinimalityByAlgorithm(const Scene& scene) {
  if (!scene.members) return Attacked{{}, "it needs every quasi column to be known"};
  if (!scene.input.republish) return Attacked{{}, "the policy alone does not make a table"};
  Attacked made;
  for (std::size_t s = 0; s < scene.secrets.size(); ++s) {
    const TargetColumn& secret = scene.secrets[s];
    const std::vector<ValueRows> all = ListOf(secret.frequency);
    if (!NumTables(all)) {
      made.left_out = "the values can be assigned to the people in more than 2,000 ways";
      continue;
    }
    CORDON_TRY(const TriedTables tried, TryTables(scene, secret));
    if (tried.kept == 0) {
      made.left_out = "no assignment gives this release: another policy, algorithm or version made it";
      continue;
    }
    const Code usual = MostFrequent(all, secret.frequency).value;
    std::vector<Score> scores;
    for (std::size_t target = 0; target < scene.targets.size(); ++target) {
      const RowId row = scene.targets[target];
      const Code truth = (*secret.truth)[row];
      std::vector<ValueRows> values = all;
      for (ValueRows& each : values) each.rows = tried.seen[row][each.value];
      const ValueRows best = MostFrequent(values, secret.frequency);
      const auto shown = scene.values(s, target);
      const bool before = !shown.empty() && MostFrequent(shown, secret.frequency).value == truth;
      scores.push_back({best.value == truth ? 1.0 : 0.0, truth == usual ? 1.0 : 0.0,
                        static_cast<double>(best.rows) / static_cast<double>(tried.kept), true, before ? 1.0 : 0.0});
    }
    Figure figure = scene.Sum({"minimality", "algorithm", secret.name}, scores);
    figure.reference_name = "most frequent value of the candidates";
    made.figures.push_back(std::move(figure));
  }
  return made;
}

}  // namespace cordon::engine
