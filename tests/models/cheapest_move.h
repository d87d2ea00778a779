// SPDX-License-Identifier: Apache-2.0
//
// The earth mover's distance from its definition: the cheapest way to move mass, found by min-cost flow. Slow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "cordon/data/codes.h"

namespace cordon::engine::test {

using Counts = std::vector<std::int64_t>;
using Ground = std::function<std::int64_t(Code, Code)>;

// Successive cheapest augmenting paths from surplus to lack, by Bellman-Ford. Supplies group * whole_rows, demands
// whole * group_rows, ground distances whole numbers.
inline std::int64_t CheapestMove(const Counts& group, const Counts& whole, const Ground& ground) {
  const int m = static_cast<int>(group.size());
  std::int64_t group_rows = 0;
  std::int64_t whole_rows = 0;
  for (int i = 0; i < m; ++i) {
    group_rows += group[i];
    whole_rows += whole[i];
  }
  Counts supply(m);
  Counts demand(m);
  for (int i = 0; i < m; ++i) {
    supply[i] = group[i] * whole_rows;
    demand[i] = whole[i] * group_rows;
  }
  std::vector<Counts> flow(m, Counts(m));
  std::int64_t cost = 0;
  while (true) {
    // Nodes: 0..m-1 the group's values, m..2m-1 those of the whole.
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;
    Counts distance(2 * m, kFar);
    std::vector<int> from(2 * m, -1);
    for (int i = 0; i < m; ++i) distance[i] = supply[i] > 0 ? 0 : kFar;
    for (int round = 0; round < 2 * m; ++round) {
      for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) {
          const std::int64_t d = ground(i, j);
          if (distance[i] < kFar && distance[i] + d < distance[m + j]) {
            distance[m + j] = distance[i] + d;
            from[m + j] = i;
          }
          if (flow[i][j] > 0 && distance[m + j] < kFar && distance[m + j] - d < distance[i]) {
            distance[i] = distance[m + j] - d;
            from[i] = m + j;
          }
        }
      }
    }
    int best = -1;
    for (int j = 0; j < m; ++j) {
      if (demand[j] > 0 && distance[m + j] < kFar && (best < 0 || distance[m + j] < distance[m + best])) best = j;
    }
    if (best < 0) return cost;
    std::int64_t amount = demand[best];
    int node = m + best;
    for (; from[node] >= 0; node = from[node]) {
      if (node < m) amount = std::min(amount, flow[node][from[node] - m]);
    }
    amount = std::min(amount, supply[node]);
    supply[node] -= amount;
    demand[best] -= amount;
    cost += amount * distance[m + best];
    for (int at = m + best; from[at] >= 0; at = from[at]) {
      if (at >= m) {
        flow[from[at]][at - m] += amount;
      } else {
        flow[at][from[at] - m] -= amount;
      }
    }
  }
}

}  // namespace cordon::engine::test
