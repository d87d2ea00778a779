// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "cordon/algorithms/partition/refine.h"
#include "cordon/base/random.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::CountedModel;
using testing::K;
using testing::Numbers;
using testing::SmallTable;
using Effort = PartitionOptions::Effort;
using Start = PartitionOptions::Start;

// Ages 20..60 as codes 0..40; leaves a1 a2 under one node, b1 b2 under another.
SmallTable WorkedExample() {
  SmallTable table(7);
  table.Add("age", Role::kQuasi, Numbers(41), {0, 2, 20, 4, 6, 40, 38});
  table.Add("place", Role::kQuasi, Categories(4, 2), {0, 0, 2, 1, 1, 3, 3});
  return table;
}

std::vector<std::vector<RowId>> SetsOf(const Groups& groups) {
  std::vector<std::vector<RowId>> sets;
  for (std::size_t g = 0; g < groups.size(); ++g) sets.emplace_back(groups[g].begin(), groups[g].end());
  return sets;
}

TEST(Partition, WorkedExampleFromTheTop) {
  const SmallTable table = WorkedExample();
  const CountedModel model(table.data, {K(2)});
  const std::vector<std::vector<RowId>> expected = {{0, 1}, {2, 5, 6}, {3, 4}};
  for (const Start start : {Start::kTopDown, Start::kPeel, Start::kAuto}) {
    const auto groups = Partition(View::All(table.data), model.model, model.counted, {.start = start}, {}).value();
    EXPECT_EQ(SetsOf(groups), expected);
  }
}

TEST(Partition, WorkedExampleByRelocation) {
  const SmallTable table = WorkedExample();
  const CountedModel model(table.data, {K(2)});
  const View view = View::All(table.data);
  const RankSpace space(view, {});
  GroupGate gate(view, model.model, model.counted);
  RowPlaces places(view.size());
  BoxedGroups<double> groups(space, gate, places);
  for (const auto& rows : RowSets{{0, 1, 2}, {3, 4}, {5, 6}}) groups.Add(rows);
  EXPECT_NEAR(groups.total(), 4.7, 1e-6);
  EXPECT_NEAR(groups.LossWithout(0, 2), .05, 1e-6);
  EXPECT_NEAR(groups.RemoveGain(0, 2), 4.4, 1e-6);
  EXPECT_NEAR(groups.InsertCost(2, space.row(2)), 2.4, 1e-6);
  EXPECT_NEAR(groups.InsertCost(1, space.row(2)), 4.1, 1e-6);

  GroupRefinement refinement(space, gate, places, {{0, 1, 2}, {3, 4}, {5, 6}}, {.swap = false, .resplit = 0});
  refinement.Rounds({});
  EXPECT_NEAR(refinement.total(), 2.7, 1e-6);
  RowSets sets = refinement.Take();
  std::sort(sets.begin(), sets.end());
  EXPECT_EQ(sets, (RowSets{{0, 1}, {2, 5, 6}, {3, 4}}));
}

TEST(Partition, WorkedExampleFromGroupsThatAreThere) {
  const SmallTable table = WorkedExample();
  const CountedModel model(table.data, {K(2)});
  // Any order of rows and groups, and rows of the table that take no part.
  Groups groups;
  for (const auto& rows : std::vector<std::vector<RowId>>{{6, 5}, {2, 0, 1}}) groups.Add(rows);
  const View view(table.data, {0, 1, 2, 5, 6});
  const Groups refined = RefineGroups(view, groups, model.model, model.counted, {}, {}).value();
  EXPECT_EQ(SetsOf(refined), (std::vector<std::vector<RowId>>{{0, 1}, {2, 5, 6}}));
}

TEST(Partition, RowsOfFullGroupsChangePlaces) {
  SmallTable table(4);
  table.Add("age", Role::kQuasi, Numbers(41), {0, 38, 2, 40}).Add("place", Role::kQuasi, Categories(4, 2), {0, 3, 0, 3});
  const CountedModel model(table.data, {K(2)});
  const View view = View::All(table.data);
  const RankSpace space(view, {});
  GroupGate gate(view, model.model, model.counted);
  RowPlaces places(view.size());
  GroupRefinement refinement(space, gate, places, {{0, 1}, {2, 3}}, {.resplit = 0});
  EXPECT_NEAR(refinement.total(), 7.8, 1e-6);
  refinement.Rounds({});
  EXPECT_NEAR(refinement.total(), .2, 1e-6);
}

TEST(Partition, OnlyGroupsThatReachAnotherHomeAreLookedAtAcrossSeams) {
  // Groups 0 and 1 lie next to each other, 2 lies far from both, 3 loses nothing.
  SmallTable table(8);
  table.Add("age", Role::kQuasi, Numbers(101), {0, 4, 2, 6, 95, 99, 50, 50});
  const CountedModel model(table.data, {K(2)});
  const View view = View::All(table.data);
  const RankSpace space(view, {});
  GroupGate gate(view, model.model, model.counted);
  RowPlaces places(view.size());
  GroupRefinement refinement(space, gate, places, {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, {});
  const auto looked_at = [&](std::vector<std::uint32_t> homes) {
    for (GroupId g = 0; g < 4; ++g) EXPECT_TRUE(refinement.groups().dirty(g));
    refinement.LookAcross(homes);
    std::vector<GroupId> dirty;
    for (GroupId g = 0; g < 4; ++g) {
      if (refinement.groups().dirty(g)) dirty.push_back(g);
    }
    refinement.SetPrice(0);  // all of them again
    return dirty;
  };
  EXPECT_EQ(looked_at({0, 0, 0, 0}), (std::vector<GroupId>{}));
  EXPECT_EQ(looked_at({0, 1, 0, 1}), (std::vector<GroupId>{0, 1}));
  EXPECT_EQ(looked_at({0, 0, 1, 1}), (std::vector<GroupId>{}));
  EXPECT_EQ(looked_at({0, 0, BoxTree::kNoHome, 0}), (std::vector<GroupId>{2}));
  EXPECT_EQ(looked_at(std::vector<std::uint32_t>(4, BoxTree::kNoHome)), (std::vector<GroupId>{0, 1, 2, 3}));
  refinement.Rounds({});
  EXPECT_EQ(refinement.Settled().size(), refinement.Take().size());
}

TEST(Partition, PartsOfOneGroupAreFoundInFewSteps) {
  constexpr std::size_t kRows = 2048;
  std::vector<Code> ages(kRows);
  std::iota(ages.begin(), ages.end(), Code{0});
  SmallTable table(kRows);
  table.Add("age", Role::kQuasi, Numbers(kRows), ages);
  const CountedModel model(table.data, {K(2)});
  const View view = View::All(table.data);
  const RankSpace space(view, {});
  GroupGate gate(view, model.model, model.counted);
  RowPlaces places(view.size());
  std::vector<Place> all(kRows);
  std::iota(all.begin(), all.end(), Place{0});
  GroupRefinement refinement(space, gate, places, {all}, {.rounds = 1});
  refinement.Rounds({});
  const BoxedGroups<double>& groups = refinement.groups();
  ASSERT_GT(groups.size(), 500u);
  for (GroupId g = 0; g < groups.size(); ++g) {
    if (!groups.alive(g)) continue;
    const Rank* row = space.row(groups.rows(g).front());
    double least = std::numeric_limits<double>::infinity();
    for (GroupId other = 0; other < groups.size(); ++other) {
      if (other != g && groups.alive(other)) least = std::min(least, groups.InsertCost(other, row));
    }
    EXPECT_NEAR(refinement.tree().Cheapest(row, 1e9, g, nullptr, 60).cost, least, 1e-6) << g;
  }
}

TEST(Partition, WeightsSteer) {
  // Either the ages or the places of the pairs agree.
  SmallTable table(4);
  table.Add("age", Role::kQuasi, Numbers(2), {0, 1, 0, 1}).Add("place", Role::kQuasi, Categories(2, 1), {0, 0, 1, 1});
  table.data.columns[0].attribute.weight = 2;
  const CountedModel model(table.data, {K(2)});
  const auto by_age = Partition(View::All(table.data), model.model, model.counted, {}, {}).value();
  EXPECT_EQ(SetsOf(by_age), (std::vector<std::vector<RowId>>{{0, 2}, {1, 3}}));
  table.data.columns[1].attribute.weight = 3;
  const auto by_place = Partition(View::All(table.data), model.model, model.counted, {}, {}).value();
  EXPECT_EQ(SetsOf(by_place), (std::vector<std::vector<RowId>>{{0, 1}, {2, 3}}));
}

TEST(Partition, Edges) {
  SmallTable table(3);
  table.Add("age", Role::kQuasi, Numbers(3, true), {0, 3, 2});
  for (const Effort effort : {Effort::kLow, Effort::kNormal, Effort::kHigh}) {
    const auto groups = [&](std::int64_t k) {
      const CountedModel model(table.data, {K(k)});
      return Partition(View::All(table.data), model.model, model.counted, {.effort = effort}, {});
    };
    EXPECT_EQ(groups(1).value().size(), 3U);
    EXPECT_EQ(groups(2).value().size(), 1U);
    EXPECT_EQ(groups(3).value().size(), 1U);
    ASSERT_FALSE(groups(4).ok());
    EXPECT_EQ(groups(4).error().kind(), ErrorKind::kUnsatisfiable);
    EXPECT_EQ(groups(4).error().message(), "no release satisfies k-anonymity(k=4): even one group of all 3 rows does not");
  }
  SmallTable equal(5);
  equal.Add("age", Role::kQuasi, Numbers(1), {0, 0, 0, 0, 0});
  const CountedModel model(equal.data, {K(2)});
  EXPECT_EQ(Partition(View::All(equal.data), model.model, model.counted, {}, {}).value().size(), 1U);
}

TEST(Partition, AViewOfSomeRows) {
  const SmallTable table = WorkedExample();
  const CountedModel model(table.data, {K(2)});
  const View some(table.data, {6, 1, 5, 0});
  const auto groups = Partition(some, model.model, model.counted, {}, {}).value();
  EXPECT_EQ(SetsOf(groups), (std::vector<std::vector<RowId>>{{6, 5}, {1, 0}}));
}

}  // namespace
}  // namespace cordon::engine
