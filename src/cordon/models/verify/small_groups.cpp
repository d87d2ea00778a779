// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/small_groups.h"

#include <algorithm>
#include <unordered_set>

#include "cordon/models/verify/tally.h"

namespace cordon::engine {

Result<std::vector<SmallGroups>> CountSmallGroups(const Release& release, const VerifyOptions& options, const Run& run) {
  if (!release.permuted.empty()) return std::vector<SmallGroups>();
  std::vector<std::size_t> columns = release.ColumnsOf(Role::kQuasi);
  const std::vector<std::size_t> quasi = columns;
  for (const std::size_t group : release.ColumnsOf(Role::kGroup)) columns.push_back(group);
  TallyPlan plan(release, columns);
  if (options.exempt_suppressed) plan.ExemptStars(release, quasi);
  const bool persons = !release.persons.empty();
  if (persons) plan.AddHistogram(release.persons, {}, 0);
  CORDON_TRY(const Tally tally, Tally::CountAll(plan, run));

  std::vector<SmallGroups> below = {{2, 0, 0}, {3, 0, 0}, {5, 0, 0}};
  std::vector<std::unordered_set<Code>> whose(below.size());
  for (std::size_t group = 0; group < tally.num_groups(); ++group) {
    const std::uint64_t people = persons ? tally.histogram(0, group).size() : tally.rows(group);
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (people >= static_cast<std::uint64_t>(below[i].k)) continue;
      below[i].rows += tally.rows(group);
      ++below[i].groups;
      if (!persons) continue;
      for (const Tally::Entry& entry : tally.histogram(0, group)) whose[i].insert(entry.value);
    }
  }
  for (std::size_t i = 0; persons && i < below.size(); ++i) below[i].people = whose[i].size();
  return below;
}

bool AnyBelow(const std::vector<SmallGroups>& below) {
  return std::any_of(below.begin(), below.end(), [](const SmallGroups& each) { return each.rows > 0; });
}

std::string Describe(const std::vector<SmallGroups>& below) {
  std::string text;
  for (const SmallGroups& each : below) {
    text += fmt::format("{} k = {}: {}", text.empty() ? "rows in groups below" : ",", each.k, each.rows);
    if (each.people.value_or(each.rows) != each.rows)
      text += fmt::format(" ({} {})", *each.people, *each.people == 1 ? "person" : "people");
  }
  return text;
}

}  // namespace cordon::engine
