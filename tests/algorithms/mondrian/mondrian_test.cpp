// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/mondrian/mondrian.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::CountedModel;
using testing::K;
using testing::Numbers;
using testing::SmallTable;
using Dims = MondrianOptions::Dims;
using Categorical = MondrianOptions::Categorical;
using Lists = std::vector<std::vector<RowId>>;

Lists GroupsOf(const Microdata& data, const std::vector<ModelSpec>& specs, const MondrianOptions& options = {}) {
  const CountedModel with(data, specs);
  const Groups groups = Mondrian(View::All(data), with.model, with.counted, options, {}).value();
  Lists lists;
  for (std::size_t i = 0; i < groups.size(); ++i) lists.emplace_back(groups[i].begin(), groups[i].end());
  EXPECT_TRUE(groups.suppressed.empty());
  return lists;
}

Error ErrorOf(const Microdata& data, const std::vector<ModelSpec>& specs) {
  const CountedModel with(data, specs);
  auto result = Mondrian(View::All(data), with.model, with.counted, {}, {});
  EXPECT_FALSE(result.ok());
  return std::move(result).error();
}

// The worked example of docs/algorithms/mondrian.md. Ages 20 to 50 by tens, sex 0 or 1.
SmallTable WorkedExample() {
  SmallTable table(6);
  table.Add("age", Role::kQuasi, Numbers(4), {0, 0, 1, 2, 2, 3});
  table.Add("sex", Role::kQuasi, Categories(2, 1), {0, 1, 0, 1, 0, 1});
  return table;
}

TEST(Mondrian, WidestCutsTheFirstOfTheWidestAttributesAtItsMedian) {
  EXPECT_EQ(GroupsOf(WorkedExample().data, {K(2)}, {.dims = Dims::kWidest}), (Lists{{0, 1, 2}, {3, 4, 5}}));
}

TEST(Mondrian, AllCutsWhereMostLossIsSaved) {
  // Age would save 6 - 6 * 1/3 = 4 rows' worth of loss, sex all 6.
  EXPECT_EQ(GroupsOf(WorkedExample().data, {K(2)}, {.dims = Dims::kAll}), (Lists{{0, 2, 4}, {1, 3, 5}}));
}

TEST(Mondrian, WeightsChangeWhatIsCutFirst) {
  SmallTable table = WorkedExample();
  table.data.columns[0].attribute.weight = 2;
  EXPECT_EQ(GroupsOf(table.data, {K(2)}, {.dims = Dims::kAll}), (Lists{{0, 1, 2}, {3, 4, 5}}));
  table.data.columns[1].attribute.weight = 4;
  EXPECT_EQ(GroupsOf(table.data, {K(2)}, {.dims = Dims::kWidest}), (Lists{{0, 2, 4}, {1, 3, 5}}));
}

TEST(Mondrian, WhereTheMedianIsTheLeastValueTheNextOneStartsTheRightPart) {
  SmallTable table(6);
  table.Add("age", Role::kQuasi, Numbers(9), {2, 2, 8, 2, 5, 2});
  EXPECT_EQ(GroupsOf(table.data, {K(2)}), (Lists{{0, 1, 3, 5}, {2, 4}}));
}

TEST(Mondrian, RelaxedSplitsRowsAtTheMedianInTheOrderOfTheView) {
  SmallTable table(6);
  table.Add("age", Role::kQuasi, Numbers(9), {5, 5, 8, 5, 1, 5});
  // Strict: only row 4 is below 5, so there is no cut for k = 2. Relaxed: 4 and the first two fives go left.
  EXPECT_EQ(GroupsOf(table.data, {K(2)}), (Lists{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(GroupsOf(table.data, {K(2)}, {.relaxed = true}), (Lists{{0, 1, 4}, {2, 3, 5}}));
}

// Six leaves under n0 n1 n2; node n2 has one row only.
SmallTable OneSmallChild() {
  SmallTable table(8);
  table.Add("age", Role::kQuasi, Numbers(100), {10, 11, 12, 13, 14, 15, 16, 17});
  table.Add("place", Role::kQuasi, Categories(6, 2), {0, 2, 1, 3, 0, 2, 1, 4});
  return table;
}

TEST(Mondrian, AHierarchyNodeIsCutIntoAllItsChildrenOrNotAtAll) {
  SmallTable table = OneSmallChild();
  table.data.columns.erase(table.data.columns.begin());
  EXPECT_EQ(GroupsOf(table.data, {K(2)}), (Lists{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(GroupsOf(table.data, {K(1)}), (Lists{{0, 4}, {2, 6}, {1, 5}, {3}, {7}}));
}

TEST(Mondrian, WidestGoesOnToTheNextAttributeAfterARefusalAndWidestOnlyDoesNot) {
  const SmallTable table = OneSmallChild();
  EXPECT_EQ(GroupsOf(table.data, {K(2)}, {.dims = Dims::kWidestOnly}), (Lists{{0, 1, 2, 3, 4, 5, 6, 7}}));
  // Place is refused, age is cut at 14; then 0 1 2 3 into n0 and n1; 4 5 6 7 by age again.
  EXPECT_EQ(GroupsOf(table.data, {K(2)}, {.dims = Dims::kWidest}), (Lists{{0, 2}, {1, 3}, {4, 5}, {6, 7}}));
}

TEST(Mondrian, OrderedCategoriesAreCutAtTheMedianLeaf) {
  SmallTable table = OneSmallChild();
  table.data.columns.erase(table.data.columns.begin());
  // Leaves in order: 0 0 1 1 2 2 3 4; the median, at place 4, is leaf 2.
  EXPECT_EQ(GroupsOf(table.data, {K(2)}, {.categorical = Categorical::kOrdered}), (Lists{{0, 4}, {2, 6}, {1, 5}, {3, 7}}));
}

TEST(Mondrian, OneRowOneValueAndAllTies) {
  SmallTable one(1);
  one.Add("age", Role::kQuasi, Numbers(3), {1});
  EXPECT_EQ(GroupsOf(one.data, {K(1)}), (Lists{{0}}));
  SmallTable ties(5);
  ties.Add("age", Role::kQuasi, Numbers(3), {1, 1, 1, 1, 1}).Add("place", Role::kQuasi, Categories(4, 2), {2, 2, 2, 2, 2});
  for (const bool relaxed : {false, true})
    EXPECT_EQ(GroupsOf(ties.data, {K(1)}, {.relaxed = relaxed}), (Lists{{0, 1, 2, 3, 4}}));
  SmallTable single(3);  // a domain of one value
  single.Add("age", Role::kQuasi, Numbers(1), {0, 0, 0}).Add("place", Role::kQuasi, Categories(1, 1), {0, 0, 0});
  EXPECT_EQ(GroupsOf(single.data, {K(1)}), (Lists{{0, 1, 2}}));
}

TEST(Mondrian, WithoutQuasiColumnsAllRowsAreOneGroup) {
  SmallTable table(3);
  table.Add("illness", Role::kSensitive, Categories(2, 1), {0, 1, 0});
  EXPECT_EQ(GroupsOf(table.data, {K(2)}), (Lists{{0, 1, 2}}));
}

TEST(Mondrian, MissingValuesAreTheLastCodeOfTheAxis) {
  SmallTable table(6);
  table.Add("age", Role::kQuasi, Numbers(9, true), {9, 1, 9, 2, 9, 3});
  // At place 3 of 1 2 3 ? ? ? stands the missing code.
  EXPECT_EQ(GroupsOf(table.data, {K(3)}), (Lists{{1, 3, 5}, {0, 2, 4}}));
  SmallTable places(5);
  places.Add("place", Role::kQuasi, Categories(4, 2, true), {0, 4, 1, 4, 0});
  EXPECT_EQ(GroupsOf(places.data, {K(2)}), (Lists{{0, 2, 4}, {1, 3}}));
}

TEST(Mondrian, AViewMayBeAnyRowsInAnyOrder) {
  const SmallTable table = WorkedExample();
  const CountedModel with(table.data, {K(2)});
  const View view(table.data, {5, 0, 4, 1});
  const Groups groups = Mondrian(view, with.model, with.counted, {.dims = Dims::kWidest}, {}).value();
  EXPECT_EQ(groups.rows, (std::vector<RowId>{0, 1, 5, 4}));
  EXPECT_EQ(groups.starts, (std::vector<std::size_t>{0, 2, 4}));
}

TEST(Mondrian, PeopleAreCountedNotRows) {
  SmallTable table(6);
  table.Add("age", Role::kQuasi, Numbers(9), {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(GroupsOf(table.data, {K(3)}).size(), 2u);
  table.Persons({0, 0, 1, 2, 3, 4});  // the left half has rows of two people only
  EXPECT_EQ(GroupsOf(table.data, {K(3)}), (Lists{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(GroupsOf(table.data, {K(2)}).size(), 2u);
}

TEST(Mondrian, OtherModelsRefuseCutsToo) {
  SmallTable table(8);
  table.Add("age", Role::kQuasi, Numbers(9), {0, 1, 2, 3, 4, 5, 6, 7});
  table.Add("illness", Role::kSensitive, Categories(2, 1), {0, 0, 0, 0, 1, 1, 1, 1});
  const ModelSpec diverse = LDiversitySpec{.sensitive = "illness", .l = 2, .kind = LDiversitySpec::Kind::kDistinct, .c = {}};
  EXPECT_EQ(GroupsOf(table.data, {K(2)}).size(), 4u);
  EXPECT_EQ(GroupsOf(table.data, {K(2), diverse}).size(), 1u);
}

TEST(Mondrian, WhatNoReleaseSatisfiesIsNamedWithTheNumbers) {
  SmallTable table(3);
  table.Add("age", Role::kQuasi, Numbers(9), {0, 1, 2});
  const Error rows = ErrorOf(table.data, {K(4)});
  EXPECT_EQ(rows.kind(), ErrorKind::kUnsatisfiable);
  EXPECT_EQ(rows.message(), "no release satisfies k-anonymity(k=4): even one group of all 3 rows does not");
  table.Persons({7, 7, 8});
  EXPECT_EQ(ErrorOf(table.data, {K(3)}).message(),
            "no release satisfies k-anonymity(k=3): even one group of all 3 rows (2 people) does not");
  SmallTable empty(0);
  empty.Add("age", Role::kQuasi, Numbers(1), {});
  EXPECT_EQ(ErrorOf(empty.data, {K(1)}).kind(), ErrorKind::kUnsatisfiable);
}

class CountingProgress final : public Progress {
 public:
  void Report(std::string_view, std::uint64_t done, std::uint64_t total) override {
    EXPECT_LE(done, total);
    if (done == total) ++finished;
  }
  std::atomic<int> finished = 0;
};

TEST(Mondrian, ProgressEndsAtTheTotalAndAStoppedRunIsCancelled) {
  std::vector<Code> ages(60'000);
  for (std::size_t i = 0; i < ages.size(); ++i) ages[i] = static_cast<Code>(i * 7919 % 5000);
  SmallTable table(ages.size());
  table.Add("age", Role::kQuasi, Numbers(5000), ages);
  const CountedModel with(table.data, {K(5)});
  CountingProgress progress;
  EXPECT_TRUE(Mondrian(View::All(table.data), with.model, with.counted, {}, {.threads = 2, .progress = &progress}).ok());
  EXPECT_EQ(progress.finished, 1);
  std::stop_source source;
  source.request_stop();
  const auto stopped =
      Mondrian(View::All(table.data), with.model, with.counted, {}, {.threads = 2, .stop = source.get_token()});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kCancelled);
}

}  // namespace
}  // namespace cordon::engine
