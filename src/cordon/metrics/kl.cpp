// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/kl.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "cordon/base/parallel_for.h"
#include "cordon/metrics/grouping.h"
#include "cordon/metrics/kl_points_internal.h"
#include "cordon/metrics/published_ranges.h"

namespace cordon::engine {
namespace {

// Both tables, column by column as the group-bys use them.
struct Axis {
  CodedColumn original;
  CodedColumn released;           // texts
  std::vector<CodeRange> ranges;  // by text + 1; of a sensitive text one value, or an empty range
};

struct Tables {
  std::size_t original_rows = 0;
  std::size_t released_rows = 0;
  std::vector<Axis> quasi;
  std::vector<Axis> sensitive;
};

Result<Tables> ReadTables(const Microdata& original, const Release& release) {
  Tables tables{original.num_rows, release.num_rows, {}, {}};
  for (const MicrodataColumn& column : original.columns) {
    const Attribute& attribute = column.attribute;
    const bool quasi = attribute.role == Role::kQuasi;
    if (!quasi && (attribute.role != Role::kSensitive || attribute.domain == nullptr)) continue;
    const ReleaseColumn* released = release.Find(attribute.name);
    if (released == nullptr) return Error::InvalidData("the release has no column '{}'", attribute.name);
    Axis axis{{&column.codes, static_cast<std::size_t>(attribute.domain->size())},
              {&released->text.codes, released->text.dictionary->size()},
              {}};
    if (quasi) {
      CORDON_TRY(axis.ranges, PublishedRanges(*released, *attribute.domain, release.num_rows));
    } else {
      for (const Code value : PublishedValues(*released, *attribute.domain)) {
        axis.ranges.push_back(value == kNull ? CodeRange{0, -1} : CodeRange{value, value});
      }
    }
    (quasi ? tables.quasi : tables.sensitive).push_back(std::move(axis));
  }
  return tables;
}

std::vector<std::uint64_t> CountGroups(const RowGroups& groups) {
  std::vector<std::uint64_t> counts(groups.size());
  for (const std::uint32_t group : groups.of_row) ++counts[group];
  return counts;
}

// The divergence of one group-by. A cell is a point with the sensitive value as its last coordinate, a published combination
// a box; weights are rows, both divided by their totals at the end.
double Divergence(const Tables& tables, const std::vector<const Axis*>& axes) {
  const std::size_t dimensions = axes.size();
  std::vector<CodedColumn> original;
  std::vector<CodedColumn> released;
  double domain_cells = 1;
  for (const Axis* axis : axes) {
    original.push_back(axis->original);
    released.push_back(axis->released);
    domain_cells *= static_cast<double>(axis->original.size);
  }
  const RowGroups cells = NumberRows(original, tables.original_rows, {});
  std::vector<Code> coordinates;
  coordinates.reserve(cells.size() * dimensions);
  for (const RowId row : cells.first_row) {
    for (const Axis* axis : axes) coordinates.push_back((*axis->original.codes)[row]);
  }
  using Points = internal::WeightedPoints;
  Points points(std::move(coordinates), dimensions, tables.sensitive.empty() ? Points::Last::kRange : Points::Last::kValue);

  const RowGroups boxes = NumberRows(released, tables.released_rows, {});
  const std::vector<std::uint64_t> box_rows = CountGroups(boxes);
  std::vector<CodeRange> box(dimensions);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    double volume = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      box[d] = axes[d]->ranges[(*axes[d]->released.codes)[boxes.first_row[i]] + 1];
      volume *= std::max(0.0, static_cast<double>(box[d].hi) - box[d].lo + 1);
    }
    if (volume > 0) points.Add(box, static_cast<double>(box_rows[i]) / volume);
  }

  const double left_out = static_cast<double>(tables.original_rows) - static_cast<double>(tables.released_rows);
  const double everywhere = std::max(0.0, left_out) / domain_cells;
  const auto original_total = static_cast<double>(tables.original_rows);
  const double estimated_total = std::max(original_total, static_cast<double>(tables.released_rows));
  const std::vector<double> weights = points.TakeWeights();
  const std::vector<std::uint64_t> cell_rows = CountGroups(cells);
  double sum = 0;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const double share = static_cast<double>(cell_rows[cell]) / original_total;
    const double estimate = (weights[cell] + everywhere) / estimated_total;
    if (estimate == 0) return std::numeric_limits<double>::infinity();
    sum += share * std::log(share / estimate);
  }
  return std::max(sum, 0.0);  // rounding may leave a trace below zero
}

// The sets of `size` of `count` things, in lexicographic order.
std::vector<std::vector<std::size_t>> Subsets(std::size_t count, std::size_t size) {
  std::vector<std::vector<std::size_t>> sets;
  std::vector<std::size_t> set(size);
  std::iota(set.begin(), set.end(), std::size_t{0});
  for (;;) {
    sets.push_back(set);
    std::size_t place = size;
    while (place > 0 && set[place - 1] == count - size + place - 1) --place;
    if (place == 0) return sets;
    ++set[place - 1];
    for (std::size_t i = place; i < size; ++i) set[i] = set[i - 1] + 1;
  }
}

constexpr double kMaxGroupBys = 100'000;

double NumberOfSubsets(std::size_t count, std::size_t size) {
  double number = 1;
  for (std::size_t i = 0; i < size; ++i) number = number * static_cast<double>(count - i) / static_cast<double>(i + 1);
  return number;
}

}  // namespace

Result<KlDivergence> MeasureKlDivergence(const Microdata& original, const Release& release, std::uint64_t level,
                                         const Run& run) {
  if (level == 0) return Error::InvalidPolicy("the level of the group-bys must be at least 1");
  CORDON_TRY(const Tables tables, ReadTables(original, release));
  KlDivergence measured;
  measured.level = std::min<std::uint64_t>(level, tables.quasi.size());
  if (measured.level == 0 || original.num_rows == 0) return measured;
  if (NumberOfSubsets(tables.quasi.size(), measured.level) > kMaxGroupBys) {
    return Error::InvalidPolicy("{} quasi columns have too many group-bys of {}", tables.quasi.size(), measured.level)
        .WithHint("ask for a lower level");
  }
  std::vector<std::vector<const Axis*>> group_bys;
  for (const auto& set : Subsets(tables.quasi.size(), measured.level)) {
    std::vector<const Axis*> axes;
    for (const std::size_t i : set) axes.push_back(&tables.quasi[i]);
    if (tables.sensitive.empty()) group_bys.push_back(axes);
    for (const Axis& sensitive : tables.sensitive) {
      group_bys.push_back(axes);
      group_bys.back().push_back(&sensitive);
    }
  }
  std::vector<double> divergences(group_bys.size());
  ParallelFor(run.threads, group_bys.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
    if (!run.Stopped()) divergences[i] = Divergence(tables, group_bys[i]);
    run.Report("group-bys", i, group_bys.size());
  });
  if (run.Stopped()) return Error::Cancelled();
  measured.group_bys = group_bys.size();
  measured.mean = std::accumulate(divergences.begin(), divergences.end(), 0.0) / static_cast<double>(divergences.size());
  measured.greatest = *std::max_element(divergences.begin(), divergences.end());
  return measured;
}

}  // namespace cordon::engine
