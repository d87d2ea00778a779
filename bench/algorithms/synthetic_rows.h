// SPDX-License-Identifier: Apache-2.0
//
// Rows with the cardinalities of the census table that the theses use (79, 2, 17, 6, 9, 10, 83), skewed and dependent
// on one another through a latent number, straight into Microdata: for timing algorithms without reading a file.
// Results on it say nothing about real people; `cordon generate census` makes the table for comparisons.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "cordon/data/microdata.h"

namespace cordon::engine::bench {

struct SyntheticColumn {
  const char* name;
  Code size;
  std::vector<Code> fanouts;  // numeric where empty; else leaves per parent, from below, the root taking the rest
  double skew;                // 1: even
};

inline std::uint64_t Mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline double UnitOf(std::uint64_t x) { return static_cast<double>(Mixed(x) >> 11) * 0x1.0p-53; }

inline Attribute SyntheticAttribute(const SyntheticColumn& column) {
  Attribute attribute{column.name, Role::kQuasi, nullptr, 1};
  if (column.fanouts.empty()) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(column.size));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
    attribute.domain =
        std::make_shared<const Domain>(Domain::Numeric({.values = values, .range_lo = 0, .range_hi = column.size - 1}));
    return attribute;
  }
  std::vector<std::vector<std::string>> paths;
  for (Code leaf = 0; leaf < column.size; ++leaf) {
    std::vector<std::string> path = {std::to_string(leaf)};
    Code under = 1;
    for (std::size_t level = 0; level + 1 < column.fanouts.size(); ++level) {
      under *= column.fanouts[level];
      path.push_back(std::to_string(level + 1) + "/" + std::to_string(leaf / under));
    }
    path.push_back("*");
    paths.push_back(std::move(path));
  }
  auto hierarchy = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
  attribute.domain = std::make_shared<const Domain>(Domain::Categorical(std::move(hierarchy), std::nullopt));
  return attribute;
}

inline Microdata SyntheticRows(std::size_t rows, std::uint64_t seed) {
  const std::vector<SyntheticColumn> columns = {
      {"age", 79, {}, 1.3},           {"sex", 2, {1}, 1},  {"education", 17, {}, 1},
      {"marital", 6, {3, 1}, 1.5},    {"race", 9, {1}, 4}, {"workclass", 10, {2, 2, 1}, 3},
      {"birthplace", 83, {10, 1}, 6},
  };
  Microdata data;
  data.num_rows = data.num_persons = rows;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    MicrodataColumn column;
    column.attribute = SyntheticAttribute(columns[i]);
    const auto size = static_cast<double>(columns[i].size);
    column.codes = Codes::Generate(rows, 2, [&](std::size_t row) {
      const double latent = UnitOf(Mixed(seed) ^ row);
      const double own = UnitOf(Mixed(seed + i + 1) ^ row);
      const double unit = own < 0.3 ? latent : (own - 0.3) / 0.7;
      return static_cast<Code>(std::min(size - 1, std::floor(std::pow(unit, columns[i].skew) * size)));
    });
    data.columns.push_back(std::move(column));
  }
  return data;
}

}  // namespace cordon::engine::bench
