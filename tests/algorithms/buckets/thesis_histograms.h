// SPDX-License-Identifier: Apache-2.0
//
// The histograms of 50 salary classes at which bucketizations and group sizes are pinned.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cordon/data/hierarchy.h"

namespace cordon::engine::testing {

using Counts = std::vector<std::int64_t>;

inline Counts Uniform50() { return Counts(50, 2000); }

inline Counts Mixed50() {  // n = 127,500
  Counts counts;
  for (std::int64_t i = 0; i < 50; ++i) counts.push_back(100 * (1 + (37 * i) % 50));
  return counts;
}

// Like the salary classes of the thesis: 4.8402 % at class 12, 0.2018 % at class 49, geometric above and linear below.
inline Counts Census50(std::int64_t rows) {
  constexpr double kMost = .048402;
  const double ratio = std::pow(.002018 / kMost, 1.0 / 37);
  std::vector<double> exact;
  for (int i = 0; i < 50; ++i) exact.push_back(i >= 12 ? kMost * std::pow(ratio, i - 12) : kMost - .0018780737 * (12 - i));
  const double sum = std::accumulate(exact.begin(), exact.end(), 0.0);
  Counts counts;
  std::vector<std::pair<double, std::size_t>> rest;
  for (std::size_t i = 0; i < 50; ++i) {
    const double share = exact[i] / sum * static_cast<double>(rows);
    counts.push_back(static_cast<std::int64_t>(std::floor(share)));
    rest.emplace_back(static_cast<double>(counts.back()) - share, i);
  }
  std::sort(rest.begin(), rest.end());
  const std::int64_t lacking = rows - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  for (std::int64_t i = 0; i < lacking; ++i) ++counts[rest[static_cast<std::size_t>(i)].second];
  return counts;
}

// Leaves 0..size-1; `fanout` consecutive nodes under one, level by level, until there is one root.
inline Hierarchy EvenTree(Code size, Code fanout) {
  std::vector<std::vector<std::string>> paths(static_cast<std::size_t>(size));
  for (Code leaf = 0; leaf < size; ++leaf) paths[leaf].push_back(std::to_string(leaf));
  Code width = 1;
  for (Code nodes = size, level = 1; nodes > 1; nodes = (nodes + fanout - 1) / fanout, ++level) {
    width *= fanout;
    const bool root = (nodes + fanout - 1) / fanout == 1;
    for (Code leaf = 0; leaf < size; ++leaf) {
      paths[leaf].push_back(root ? "*" : std::to_string(level) + "/" + std::to_string(leaf / width));
    }
  }
  return Hierarchy::FromPaths(paths).value();
}

// The diseases of the thesis' examples: respiratory (SARS, pneumonia, bronchitis) and digestive (three more).
inline Hierarchy Diseases() {
  const std::vector<std::vector<std::string>> paths = {
      {"SARS", "R", "*"},        {"pneumonia", "R", "*"},     {"bronchitis", "R", "*"},
      {"gastric flu", "D", "*"}, {"gastric ulcer", "D", "*"}, {"intestinal cancer", "D", "*"},
  };
  return Hierarchy::FromPaths(paths).value();
}

}  // namespace cordon::engine::testing
