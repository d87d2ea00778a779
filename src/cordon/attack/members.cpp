// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/members.h"

#include <algorithm>

#include "cordon/base/parallel_for.h"
#include "cordon/data/box_index.h"
#include "cordon/metrics/grouping.h"

namespace cordon::engine {
namespace {

constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

// The only group that covers each row of the original. Rows shown as stars were suppressed: their box covers everybody and
// tells nothing.
Result<std::vector<std::uint32_t>> OnlyGroups(const Microdata& original, const Release& release, const RowGroups& groups,
                                              const Run& run) {
  std::vector<std::string> quasi;
  for (const std::size_t i : original.ColumnsOf(Role::kQuasi)) quasi.push_back(original.columns[i].attribute.name);
  CORDON_TRY(const Seen seen, SeeRelease(original, release, quasi, run));
  const StarRows is_star(release);
  std::vector<CodeRange> boxes;
  std::vector<std::uint32_t> number_of;  // group of each box
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (is_star.possible() && groups.size() > 1 && is_star(groups.first_row[group])) continue;
    const auto box = seen.box(seen.class_of_row[groups.first_row[group]]);
    boxes.insert(boxes.end(), box.begin(), box.end());
    number_of.push_back(static_cast<std::uint32_t>(group));
  }
  std::vector<std::uint32_t> only(original.num_rows, kNoGroup);
  const BoxIndex index(std::move(boxes), quasi.size());
  constexpr std::size_t kRowsAtOnce = 4096;
  ParallelFor(run.threads, original.num_rows, kRowsAtOnce, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<Code> point;
    std::vector<std::uint32_t> found;
    for (std::size_t row = begin; row < end && !run.Stopped(); ++row) {
      seen.PointOf(static_cast<RowId>(row), point);
      found.clear();
      index.LeastCovering(point, 2, found);
      if (found.size() == 1) only[row] = number_of[found.front()];
    }
  });
  if (run.Stopped()) return Error::Cancelled();
  return only;
}

}  // namespace

Result<Members> FindMembers(const Microdata& original, const Release& release, const std::optional<std::vector<RowId>>& row_map,
                            const Run& run) {
  std::vector<CodedColumn> columns = QuasiColumns(release);
  for (const std::size_t i : release.ColumnsOf(Role::kGroup)) {
    columns.push_back({&release.columns[i].text.codes, release.columns[i].text.dictionary->size()});
  }
  const RowGroups groups = NumberRows(columns, release.num_rows, run);
  std::vector<std::uint32_t> group_of(original.num_rows, kNoGroup);
  if (row_map) {
    for (std::size_t row = 0; row < release.num_rows; ++row) group_of[(*row_map)[row]] = groups.of_row[row];
  } else {
    CORDON_TRY(group_of, OnlyGroups(original, release, groups, run));
  }
  Members members;
  members.people.resize(groups.size());
  members.sizes.resize(groups.size());
  for (const std::uint32_t group : groups.of_row) ++members.sizes[group];
  for (std::size_t row = 0; row < original.num_rows; ++row) {
    if (group_of[row] == kNoGroup) continue;
    members.people[group_of[row]].push_back(static_cast<RowId>(row));
    ++members.placed;
  }
  members.group_of_row = groups.of_row;
  return members;
}

}  // namespace cordon::engine
