// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/satisfiable.h"

namespace cordon {

Result<void> CheckSatisfiable(const View& view, const GroupModel& model, const CountedColumns& counted) {
  if (view.size() == 0) return Error::Unsatisfiable("no release satisfies {}: there are no rows", model.Describe());
  GroupCounts all(counted);
  all.Add(view.rows());
  if (model.Admits(all)) return {};
  const std::string people = counted.persons() != nullptr ? fmt::format(" ({} people)", all.persons()) : "";
  return Error::Unsatisfiable("no release satisfies {}: even one group of all {} rows{} does not", model.Describe(),
                              view.size(), people);
}

}  // namespace cordon
