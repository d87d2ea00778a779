// SPDX-License-Identifier: Apache-2.0
//
// A random table and a release of it that tells the truth: rows in random groups, each group shown as its box, perhaps some
// rows suppressed.
#pragma once

#include <string>
#include <vector>

#include "cordon/data/recode.h"
#include "tests/models/build_microdata.h"

namespace cordon::engine::testing {

struct RandomRelease {
  Microdata data;
  Release release;
};

struct RandomShape {
  std::size_t rows = 40;
  std::size_t group_rows = 4;
  bool sensitive = true;
  std::int64_t ages = 12;
};

inline RandomRelease MakeRandomRelease(std::uint64_t seed, const RandomShape& shape) {
  Random random = Random::FromSeed(seed);
  const std::vector<test::Texts> places = {
      {"Bern", "south", "*"}, {"Wien", "south", "*"}, {"Rom", "south", "*"}, {"Oslo", "north", "*"}, {"Riga", "north", "*"}};
  std::vector<test::TestColumn> columns = {{"age", Role::kQuasi, test::Numbers(0, shape.ages - 1, "?"), {}},
                                           {"place", Role::kQuasi, test::Tree(places), {}},
                                           {"sex", Role::kQuasi, test::Flat({"f", "m"}, ""), {}}};
  if (shape.sensitive) columns.push_back({"illness", Role::kSensitive, test::Flat({"flu", "gout", "cold", "none"}), {}});
  if (shape.sensitive && seed % 3 == 0) columns.push_back({"pay", Role::kSensitive, test::Numbers(1, 6, "?"), {}});
  for (std::size_t row = 0; row < shape.rows; ++row) {
    for (test::TestColumn& column : columns) {
      const Domain& domain = *column.domain;
      const auto code = static_cast<Code>(random.Below(static_cast<std::uint64_t>(domain.size())));
      column.cells.push_back(domain.Publish(code, code));
    }
  }
  RandomRelease made{test::BuildMicrodata(columns), {}};
  std::vector<RowId> rows(shape.rows);
  for (RowId row = 0; row < shape.rows; ++row) rows[row] = row;
  random.Shuffle(std::span(rows));
  Groups groups;
  std::span<const RowId> left = rows;
  while (!left.empty()) {
    const std::size_t size = std::min<std::size_t>(left.size(), 1 + random.Below(shape.group_rows));
    if (random.Below(8) == 0) {
      groups.suppressed.insert(groups.suppressed.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size));
    } else {
      groups.Add(left.subspan(0, size));
    }
    left = left.subspan(size);
  }
  const auto suppressed = seed % 2 == 0 ? SuppressedRows::kDrop : SuppressedRows::kStar;
  made.release = Recode(View::All(made.data), groups, {.suppressed = suppressed}, random, {});
  return made;
}

}  // namespace cordon::engine::testing
