// SPDX-License-Identifier: Apache-2.0
//
// (k,e)-anonymity from its definition, slowly: every grouping of a handful of rows.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "cordon/algorithms/ke/ke.h"

namespace cordon::engine::testing {

using Values = std::vector<std::int64_t>;

inline const Values kTable35 = {54, 55, 56, 65, 70, 75, 75, 80, 85};  // of the (k,e) report
inline constexpr KeRequirement kThreeTwo{3, 2};

inline bool IsGroup(const Values& values, const KeRequirement& requirement) {
  const std::set<std::int64_t> distinct(values.begin(), values.end());
  return !distinct.empty() && static_cast<std::int64_t>(distinct.size()) >= requirement.k &&
         *distinct.rbegin() - *distinct.begin() >= requirement.e;
}

inline std::int64_t Width(const Values& values) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return *greatest - *least;
}

// Calls with every partition of the rows into sets, in sorted order or not.
inline void EachGrouping(const Values& values, const std::function<void(const std::vector<Values>&)>& look) {
  std::vector<Values> groups;
  const std::function<void(std::size_t)> place = [&](std::size_t row) {
    if (row == values.size()) return look(groups);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      groups[g].push_back(values[row]);
      place(row + 1);
      groups[g].pop_back();
    }
    groups.push_back({values[row]});
    place(row + 1);
    groups.pop_back();
  };
  place(0);
}

struct LeastErrors {
  std::optional<std::int64_t> sum;
  std::optional<std::int64_t> max;
};

inline LeastErrors BruteForce(const Values& values, const KeRequirement& requirement) {
  LeastErrors least;
  EachGrouping(values, [&](const std::vector<Values>& groups) {
    std::int64_t sum = 0;
    std::int64_t max = 0;
    for (const Values& group : groups) {
      if (!IsGroup(group, requirement)) return;
      sum += Width(group);
      max = std::max(max, Width(group));
    }
    if (!least.sum || sum < *least.sum) least.sum = sum;
    if (!least.max || max < *least.max) least.max = max;
  });
  return least;
}

inline KeAxis AxisOf(Values values) { return OrderByValue(values).axis; }

// The values of each group of a cut.
inline std::vector<Values> GroupsOfCut(Values values, const KeCut& cut) {
  std::sort(values.begin(), values.end());
  std::vector<Values> groups;
  for (std::size_t g = 0; g < cut.size(); ++g) {
    groups.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(cut.starts[g]),
                        values.begin() + static_cast<std::ptrdiff_t>(cut.starts[g + 1]));
  }
  return groups;
}

inline KeAnonymitySpec KeModel(std::int64_t k, std::int64_t e) {
  KeAnonymitySpec spec;
  spec.sensitive = "salary";
  spec.k = k;
  spec.e = Rational(e);
  return spec;
}

}  // namespace cordon::engine::testing
