// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/satisfiable.h"

#include <algorithm>

namespace cordon::engine {

bool RowsDecide(const View& view, const GroupModel& model, const CountedColumns& counted) {
  if (model.uses_histograms() || (model.uses_persons() && counted.persons() != nullptr) || !model.monotone()) return false;
  const auto min_rows = static_cast<std::size_t>(std::max<std::int64_t>(model.MinRows(), 1));
  if (view.size() < min_rows) return false;
  GroupCounts least(counted);
  least.Add(view.rows().first(min_rows));
  return model.Admits(least);
}

Result<void> CheckSatisfiable(const View& view, const GroupModel& model, const CountedColumns& counted) {
  if (view.size() == 0) return Error::Unsatisfiable("no release satisfies {}: there are no rows", model.Describe());
  GroupCounts all(counted);
  all.Add(view.rows());
  if (model.Admits(all)) return {};
  const std::string people = counted.persons() != nullptr ? fmt::format(" ({} people)", all.persons()) : "";
  if (!model.merge_closed()) {
    return Error::Unsatisfiable(
        "no release found that satisfies {}: the search begins with one group of all {} rows{}, and that does not",
        model.Describe(), view.size(), people);
  }
  return Error::Unsatisfiable("no release satisfies {}: even one group of all {} rows{} does not", model.Describe(),
                              view.size(), people);
}

}  // namespace cordon::engine
