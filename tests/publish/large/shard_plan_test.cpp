// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/shard_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cordon/models/admit/all_of.h"
#include "tests/models/build_microdata.h"

namespace cordon::engine {
namespace {

// Ages 0..99, ten people each; the disease of the young is "a", of the others "b" or "c".
Microdata HundredAges() {
  test::Texts ages;
  test::Texts diseases;
  for (int i = 0; i < 1000; ++i) {
    ages.push_back(fmt::format("{}", i % 100));
    diseases.push_back(i % 100 < 50 ? "a" : i % 3 == 0 ? "b" : "c");
  }
  return test::BuildMicrodata({{"age", Role::kQuasi, test::Numbers(0, 99), ages},
                               {"disease", Role::kSensitive, test::Flat({"a", "b", "c"}), diseases}});
}

Reference WholeOf(const Microdata& data) {
  std::vector<RowId> rows(data.num_rows);
  for (RowId row = 0; row < rows.size(); ++row) rows[row] = row;
  return ReferenceOf(data, rows);
}

std::vector<std::size_t> SizesOf(const ShardPlan& plan, const Microdata& data) {
  std::vector<std::size_t> sizes(plan.num_boxes());
  for (std::size_t row = 0; row < data.num_rows; ++row)
    ++sizes[plan.BoxOf([&](std::size_t quasi) { return data.columns[quasi].codes[row]; })];
  return sizes;
}

TEST(ShardPlan, CutsUntilEveryBoxFits) {
  const Microdata data = HundredAges();
  const std::vector<ModelSpec> models = {KAnonymitySpec{5, {}}};
  const ShardPlan plan = ShardPlan::Learn(data, {}, models, WholeOf(data), {.shard_rows = 300, .least_rows = 50}, {}).value();
  EXPECT_EQ(plan.num_boxes(), 4u);
  for (const std::size_t size : SizesOf(plan, data)) EXPECT_EQ(size, 250u) << "even cuts of an even table";
}

// Groups of the rows with ages below each of these, and of the rest.
Groups GroupsBelow(const Microdata& data, const std::vector<Code>& ages) {
  std::vector<std::vector<RowId>> sets(ages.size() + 1);
  for (RowId row = 0; row < data.num_rows; ++row) {
    const auto above = std::upper_bound(ages.begin(), ages.end(), data.columns[0].codes[row]);
    sets[static_cast<std::size_t>(above - ages.begin())].push_back(row);
  }
  Groups groups;
  for (const std::vector<RowId>& set : sets) groups.Add(set);
  return groups;
}

TEST(ShardPlan, CutsWhereGroupsOfTheTrialEnd) {
  const Microdata data = HundredAges();
  const std::vector<ModelSpec> models = {KAnonymitySpec{5, {}}};
  const auto cut_at = [&](const Groups& trial) {
    const ShardPlan plan =
        ShardPlan::Learn(data, trial, models, WholeOf(data), {.shard_rows = 900, .least_rows = 50}, {}).value();
    EXPECT_EQ(plan.cuts().size(), 1u);
    return plan.cuts().at(0).at;
  };
  EXPECT_EQ(cut_at(GroupsBelow(data, {33})), 33) << "not in the middle, through a group";
  EXPECT_EQ(cut_at(GroupsBelow(data, {20, 45, 70})), 45) << "of the cuts between groups the most even one";
  Groups pair;
  pair.Add(std::vector<RowId>{49, 50});
  EXPECT_EQ(cut_at(pair), 49) << "rows that were not tried do not count";
  Groups few;  // two of all rows are in a group that the even cut crosses
  few.Add(std::vector<RowId>{10, 89});
  for (RowId row = 0; row < data.num_rows; ++row) {
    if (row != 10 && row != 89) few.Add(std::vector<RowId>{row});
  }
  EXPECT_EQ(cut_at(few), 50) << "next to so few rows an even cut matters more";
}

TEST(ShardPlan, ATableThatFitsIsNotCut) {
  const Microdata data = HundredAges();
  const std::vector<ModelSpec> models = {KAnonymitySpec{5, {}}};
  EXPECT_EQ(ShardPlan::Learn(data, {}, models, WholeOf(data), {.shard_rows = 1000, .least_rows = 50}, {}).value().num_boxes(),
            1u);
}

// Half of the rows have one disease: no cut may leave a side that has that one alone.
TEST(ShardPlan, NoSideIsWithoutTheValuesThatTheModelsAskFor) {
  const Microdata data = HundredAges();
  const std::vector<ModelSpec> models = {LDiversitySpec{.sensitive = "disease", .l = Rational(2)}};
  const ShardPlan plan = ShardPlan::Learn(data, {}, models, WholeOf(data), {.shard_rows = 100, .least_rows = 20}, {}).value();
  ASSERT_GT(plan.num_boxes(), 1u);
  std::vector<std::vector<int>> seen(plan.num_boxes(), std::vector<int>(3));
  for (std::size_t row = 0; row < data.num_rows; ++row) {
    const std::size_t box = plan.BoxOf([&](std::size_t) { return data.columns[0].codes[row]; });
    seen[box][static_cast<std::size_t>(data.columns[1].codes[row])] = 1;
  }
  for (const std::vector<int>& values : seen) EXPECT_GE(values[0] + values[1] + values[2], 2);
}

TEST(ShardPlan, CategoriesAreCutBetweenTheChildrenOfANode) {
  test::Texts towns;
  for (int i = 0; i < 900; ++i) towns.push_back(i % 3 == 0 ? "a1" : i % 3 == 1 ? "a2" : "b1");
  const Microdata data =
      test::BuildMicrodata({{"town", Role::kQuasi, test::Tree({{"a1", "a", "*"}, {"a2", "a", "*"}, {"b1", "b", "*"}}), towns}});
  const std::vector<ModelSpec> models = {KAnonymitySpec{5, {}}};
  const ShardPlan plan = ShardPlan::Learn(data, {}, models, WholeOf(data), {.shard_rows = 700, .least_rows = 50}, {}).value();
  ASSERT_EQ(plan.cuts().size(), 1u);
  EXPECT_EQ(plan.cuts()[0].at, 2) << "between a and b, not between a1 and a2";
}

TEST(ShardPlan, WhatIsNotAdmittedJoinsAnother) {
  const Microdata data = HundredAges();
  const Reference whole = WholeOf(data);
  const std::vector<ModelSpec> sizes = {KAnonymitySpec{5, {}}};
  const ShardPlan plan = ShardPlan::Learn(data, {}, sizes, whole, {.shard_rows = 300, .least_rows = 50}, {}).value();
  const std::vector<ModelSpec> diverse = {LDiversitySpec{.sensitive = "disease", .l = Rational(2)}};
  const AllOf model = AllOf::Make(diverse, whole).value();
  const CountedColumns counted = ColumnsFor(model, data, {1});
  std::vector<GroupCounts> boxes(plan.num_boxes(), GroupCounts(counted));
  for (RowId row = 0; row < data.num_rows; ++row)
    boxes[plan.BoxOf([&](std::size_t) { return data.columns[0].codes[row]; })].Add(row);
  const auto shards = plan.Shards(boxes, model).value();
  EXPECT_LT(shards.size(), boxes.size());
  std::vector<int> used(boxes.size());
  for (const auto& shard : shards) {
    GroupCounts counts(counted);
    for (const std::size_t box : shard) {
      ++used[box];
      counts.Merge(boxes[box]);
    }
    EXPECT_TRUE(model.Admits(counts));
  }
  for (const int times : used) EXPECT_EQ(times, 1) << "every box is in one shard";

  const std::vector<ModelSpec> too_much = {LDiversitySpec{.sensitive = "disease", .l = Rational(4)}};
  const AllOf never = AllOf::Make(too_much, whole).value();
  EXPECT_EQ(plan.Shards(boxes, never).error().kind(), ErrorKind::kUnsatisfiable);
}

}  // namespace
}  // namespace cordon::engine
