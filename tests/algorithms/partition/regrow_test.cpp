// SPDX-License-Identifier: Apache-2.0
//
// Groups that are grown again: every row in one of them, enough rows in each, and never a loss at or above the limit.
#include "cordon/algorithms/partition/regrow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

double LossOfAll(const RankSpace& space, const RowSets& groups) {
  double total = 0;
  for (const std::vector<Place>& rows : groups) {
    for (std::size_t q = 0; q < space.num_quasi(); ++q) {
      Rank lo = kHighestRank;
      Rank hi = -1;
      for (const Place row : rows) {
        lo = std::min(lo, space.row(row)[q]);
        hi = std::max(hi, space.row(row)[q]);
      }
      total += space.Span(q, lo, hi) * static_cast<double>(rows.size());
    }
  }
  return total;
}

// Rows in two clusters that differ in every column, so that the first group of rows takes those of its own.
TEST(Regrowth, TakesTheRowsThatItsBoxGrowsLeastFor) {
  testing::SmallTable table(6);
  table.Add("age", Role::kQuasi, testing::Numbers(101), {0, 90, 3, 100, 1, 97})
      .Add("place", Role::kQuasi, testing::Categories(4, 2), {0, 3, 1, 3, 0, 2});
  const testing::CountedModel model(table.data, {testing::K(3)});
  const View view = View::All(table.data);
  const RankSpace space(view, {});
  GroupGate gate(view, model.model, model.counted);
  Regrowth regrowth(space, gate);
  const std::vector<Place> rows = {0, 1, 2, 3, 4, 5};
  for (std::uint64_t key = 0; key < 20; ++key) {
    QuickRandom random(key);
    RowSets groups;
    ASSERT_TRUE(regrowth.Grow(rows, 1e9, random, groups));
    for (std::vector<Place>& group : groups) std::sort(group.begin(), group.end());
    std::sort(groups.begin(), groups.end());
    EXPECT_EQ(groups, (RowSets{{0, 2, 4}, {1, 3, 5}}));
  }
}

TEST(Regrowth, KeepsRowsSizesAndTheLimit) {
  Random from = Random::FromSeed(7);
  int grown = 0;
  int refused = 0;
  for (std::uint64_t key = 0; key < 200; ++key) {
    SCOPED_TRACE(key);
    const std::size_t count = 6 + from.Below(40);
    std::vector<int> ages;
    std::vector<int> places;
    std::vector<int> kinds;
    for (std::size_t row = 0; row < count; ++row) {
      ages.push_back(static_cast<int>(from.Below(30)));
      places.push_back(static_cast<int>(from.Below(8)));
      kinds.push_back(static_cast<int>(from.Below(3)));
    }
    testing::SmallTable table(count);
    table.Add("age", Role::kQuasi, testing::Numbers(30), ages)
        .Add("place", Role::kQuasi, testing::Categories(8, 2), places)
        .Add("kind", Role::kQuasi, testing::Categories(3, 1), kinds);
    const std::int64_t k = 2 + static_cast<std::int64_t>(from.Below(4));
    const testing::CountedModel model(table.data, {testing::K(k)});
    const View view = View::All(table.data);
    const RankSpace space(view, {});
    GroupGate gate(view, model.model, model.counted);
    Regrowth regrowth(space, gate);
    std::vector<Place> rows(count);
    std::iota(rows.begin(), rows.end(), Place{0});
    QuickRandom random(key);
    QuickRandom again = random;
    RowSets groups;
    ASSERT_TRUE(regrowth.Grow(rows, 1e9, random, groups));
    std::vector<Place> seen;
    for (const std::vector<Place>& group : groups) {
      EXPECT_GE(group.size(), static_cast<std::size_t>(k));
      seen.insert(seen.end(), group.begin(), group.end());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, rows);
    // The same draws: refused if and only if the limit is not above what they lose.
    const double loss = LossOfAll(space, groups);
    for (const double limit : {0.5 * loss, loss - 1e-3, loss + 1e-3}) {
      QuickRandom same = again;
      RowSets made;
      const bool within = regrowth.Grow(rows, limit, same, made);
      EXPECT_EQ(within, limit > loss);
      (within ? grown : refused) += 1;
      EXPECT_NEAR(within ? LossOfAll(space, made) : loss, loss, 1e-9);
    }
  }
  EXPECT_GT(grown, 150);
  EXPECT_GT(refused, 300);
}

// Once the box of the first group loses too much, no further row is looked for.
TEST(Regrowth, GivesUpWithinAGroup) {
  testing::SmallTable table(10);
  table.Add("age", Role::kQuasi, testing::Numbers(101), {0, 10, 20, 30, 40, 50, 60, 70, 80, 90});
  const testing::CountedModel model(table.data, {testing::K(5)});
  const View view = View::All(table.data);
  const RankSpace space(view, {});
  GroupGate gate(view, model.model, model.counted);
  Regrowth regrowth(space, gate);
  std::vector<Place> rows(10);
  std::iota(rows.begin(), rows.end(), Place{0});
  QuickRandom random(1);
  RowSets groups;
  EXPECT_FALSE(regrowth.Grow(rows, 0.4, random, groups));  // two rows lose .1 each, so five lose .5 at least
  EXPECT_EQ(regrowth.looks(), 10u + 9u);
}

}  // namespace
}  // namespace cordon::engine
