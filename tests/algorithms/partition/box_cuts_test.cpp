// SPDX-License-Identifier: Apache-2.0
//
// Cuts between boxes: what lies apart comes apart, however many boxes there are, and parts hold every box once.
#include "cordon/algorithms/partition/box_cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

// Boxes of one row each: ages up to 19 in place 0, and from 60 on in place 3.
struct TwoTowns {
  testing::SmallTable table;
  RankSpace space;
  std::unique_ptr<BoxCuts> cuts;

  explicit TwoTowns(std::size_t rows, const PartitionTuning& tuning = {})
      : table(Made(rows)), space(View::All(table.data), {}), cuts(BoxCuts::Make(space, tuning)) {
    cuts->Resize(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const Rank* const ranks = space.row(static_cast<Place>(row));
      cuts->Set(row, ranks, ranks);
    }
  }
  static testing::SmallTable Made(std::size_t rows) {
    std::vector<int> ages;
    std::vector<int> places;
    for (std::size_t row = 0; row < rows; ++row) {
      const bool old = row % 3 == 0;
      ages.push_back(static_cast<int>(row * 7 % 20) + (old ? 60 : 0));
      places.push_back(old ? 3 : 0);
    }
    testing::SmallTable made(rows);
    made.Add("age", Role::kQuasi, testing::Numbers(81), ages).Add("place", Role::kQuasi, testing::Categories(4, 2), places);
    return made;
  }
};

TEST(BoxCuts, WhatLiesApartComesApart) {
  for (const std::size_t rows : {9UL, 300UL, 5000UL}) {
    TwoTowns towns(rows);
    std::vector<std::uint32_t> boxes(rows);
    std::iota(boxes.begin(), boxes.end(), 0U);
    const std::size_t cut = towns.cuts->Cut(boxes);
    EXPECT_EQ(cut, rows - (rows + 2) / 3);
    for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(boxes[i] % 3 == 0, i >= cut) << i;
  }
}

TEST(BoxCuts, BoxesThatAreAlikeAreHalved) {
  testing::SmallTable table(7);
  table.Add("age", Role::kQuasi, testing::Numbers(3), std::vector<int>(7, 1));
  const RankSpace space(View::All(table.data), {});
  const std::unique_ptr<BoxCuts> cuts = BoxCuts::Make(space, {});
  cuts->Resize(7);
  std::vector<std::uint32_t> boxes(7);
  std::iota(boxes.begin(), boxes.end(), 0U);
  EXPECT_EQ(cuts->Cut(boxes), 3U);
}

TEST(BoxCuts, PartsHoldEveryBoxOnceAndOneTownEach) {
  TwoTowns towns(2000);
  const std::vector<std::size_t> rows(2000, 5);
  const std::vector<std::vector<std::uint32_t>> parts = towns.cuts->Parts(rows, 1000);
  EXPECT_GE(parts.size(), 10U);
  std::vector<std::uint32_t> all;
  for (const std::vector<std::uint32_t>& part : parts) {
    EXPECT_LE(part.size() * 5, 1000U);
    for (const std::uint32_t box : part) EXPECT_EQ(box % 3 == 0, part[0] % 3 == 0);
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<std::uint32_t> expected(2000);
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(all, expected);
}

// The cut looks at every n-th box alone. Along the age, boxes that are left out lie elsewhere and change nothing.
TEST(BoxCuts, ALargeSetIsSampled) {
  const std::size_t rows = 4000;
  TwoTowns all(rows, {.tree_sample = 4000});
  TwoTowns few(rows, {.tree_sample = 10});
  const Rank far[] = {0, 1};
  for (std::size_t row = 0; row < rows; ++row) {
    if (row % 400 == 0) continue;
    all.cuts->Set(row, far, far);
    few.cuts->Set(row, far, far);
  }
  std::vector<std::uint32_t> boxes(rows);
  std::iota(boxes.begin(), boxes.end(), 0U);
  const std::size_t whole = all.cuts->Cut(boxes);
  std::iota(boxes.begin(), boxes.end(), 0U);
  EXPECT_NE(few.cuts->Cut(boxes), whole);
}

}  // namespace
}  // namespace cordon::engine
