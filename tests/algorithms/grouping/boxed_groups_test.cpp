// SPDX-License-Identifier: Apache-2.0
//
// The groups that partition and the closeness search move rows about in: the loss of a move is known before it is made, and
// what a group says of itself is what a fresh one of the same rows says.
#include "cordon/algorithms/grouping/boxed_groups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cordon/base/random.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::CountedModel;
using testing::K;
using testing::Numbers;
using testing::SmallTable;

template <typename Loss>
class Playground {
 public:
  Playground(SmallTable table, std::vector<ModelSpec> specs)
      : table_(std::move(table)),
        counted(table_.data, std::move(specs)),
        view(View::All(table_.data)),
        space(view, {}),
        gate(view, counted.model, counted.counted),
        places(view.size()),
        groups(space, gate, places) {}

  bool ModelAdmits(std::vector<Place> rows) {
    GroupCounts counts(counted.counted);
    for (const Place row : rows) counts.Add(view.rows()[row]);
    return counted.model.Admits(counts);
  }
  std::vector<Place> RowsOf(GroupId g) const { return {groups.rows(g).begin(), groups.rows(g).end()}; }
  // The loss of the box of these rows, from the definition.
  Loss Fresh(const std::vector<Place>& rows) {
    RowPlaces other_places(view.size());
    BoxedGroups<Loss> fresh(space, gate, other_places);
    return fresh.loss(fresh.Add(rows));
  }

 private:
  SmallTable table_;

 public:
  CountedModel counted;
  View view;
  RankSpace space;
  GroupGate gate;
  RowPlaces places;
  BoxedGroups<Loss> groups;
};

// Two numeric and one categorical quasi column, one sensitive column of four values; skewed, with ties.
SmallTable RandomTable(Random& random, std::size_t rows) {
  std::vector<Code> a(rows), b(rows), c(rows), s(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    a[row] = static_cast<Code>(random.Below(12));
    b[row] = static_cast<Code>((random.Below(5) + static_cast<std::uint64_t>(a[row])) % 9);
    c[row] = static_cast<Code>(random.Below(random.Below(8) + 1));
    s[row] = static_cast<Code>(random.Below(random.Below(4) + 1));
  }
  SmallTable table(rows);
  table.Add("a", Role::kQuasi, Numbers(12), a).Add("b", Role::kQuasi, Numbers(9), b);
  table.Add("c", Role::kQuasi, Categories(8, 3), c).Add("s", Role::kSensitive, Categories(4, 3), s);
  return table;
}

std::vector<Place> Without(std::vector<Place> rows, Place row) {
  std::erase(rows, row);
  return rows;
}

std::vector<Place> With(std::vector<Place> rows, Place row) {
  rows.push_back(row);
  return rows;
}

// Codes 2, 2, 5, 9.
TEST(BoxedGroups, EndsKnowWhatRemainsWithoutARow) {
  SmallTable table(5);
  table.Add("a", Role::kQuasi, Numbers(11), {2, 2, 5, 9, 7}).Add("s", Role::kSensitive, Categories(1, 1), {0, 0, 0, 0, 0});
  Playground<float> on(std::move(table), {K(1)});
  const GroupId group = on.groups.Add({0, 1, 2, 3});
  EXPECT_FLOAT_EQ(on.groups.LossWithout(group, 3), 0.3F);       // [2, 5]
  EXPECT_FLOAT_EQ(on.groups.LossWithout(group, 0), 0.7F);       // [2, 9]
  EXPECT_FLOAT_EQ(on.groups.LossSwapped(group, 3, 4), 0.5F);    // [2, 7]
  EXPECT_FLOAT_EQ(on.groups.LeastLossSwapped(group, 4), 0.5F);  // [2, 7]: without a 2 and without the 9
}

template <typename Loss>
void TheLossOfAMoveIsKnownBeforeItIsMade() {
  Random random = Random::FromSeed(21);
  Playground<Loss> on(RandomTable(random, 80), {K(1)});
  BoxedGroups<Loss>& groups = on.groups;
  for (int i = 0; i < 6; ++i) groups.Add({});
  for (Place row = 0; row < 80; ++row) groups.Insert(static_cast<GroupId>(random.Below(6)), row);
  for (int step = 0; step < 4000; ++step) {
    const auto row = static_cast<Place>(random.Below(80));
    const auto other = static_cast<Place>(random.Below(80));
    const GroupId from = groups.group_of(row);
    const GroupId to = groups.group_of(other);
    if (from == to) continue;
    const std::vector<Place> here = Without(on.RowsOf(from), row);
    if (random.Below(2) == 0) {
      const Loss without = groups.LossWithout(from, row);
      const Loss with = groups.LossWith(to, groups.ranks(row));
      const double change = groups.InsertCost(to, groups.ranks(row)) - groups.RemoveGain(from, row);
      const double before = groups.total();
      groups.Remove(row);
      groups.Insert(to, row);
      ASSERT_EQ(groups.loss(from), here.empty() ? 0 : without);
      ASSERT_EQ(groups.loss(to), with);
      ASSERT_NEAR(groups.total() - before, change, 1e-4);
    } else {
      const Loss swapped_here = groups.LossSwapped(from, row, other);
      const Loss swapped_there = groups.LossSwapped(to, other, row);
      ASSERT_LE(groups.LeastLossSwapped(to, row), swapped_there);
      groups.Swap(row, other);
      ASSERT_EQ(groups.loss(from), swapped_here);
      ASSERT_EQ(groups.loss(to), swapped_there);
    }
    std::vector<Place> both = on.RowsOf(from);
    for (const Place each : groups.rows(to)) both.push_back(each);
    ASSERT_EQ(groups.loss(from), on.Fresh(on.RowsOf(from)));
    ASSERT_EQ(groups.loss(to), on.Fresh(on.RowsOf(to)));
    ASSERT_EQ(groups.LossMerged(from, to), on.Fresh(both));
  }
}

TEST(BoxedGroups, TheLossOfAMoveIsKnownBeforeItIsMade) {
  TheLossOfAMoveIsKnownBeforeItIsMade<float>();
  TheLossOfAMoveIsKnownBeforeItIsMade<double>();
}

TEST(BoxedGroups, AllowWhatTheModelAdmits) {
  const std::vector<std::vector<ModelSpec>> policies = {{K(3)},
                                                        {K(2), LDiversitySpec{.sensitive = "s", .l = Rational(2)}},
                                                        {K(2), TClosenessSpec{"s", {3, 10}, Distance::kEqual}},
                                                        {K(2), BetaLikenessSpec{.sensitive = "s", .beta = 2}}};
  for (std::size_t policy = 0; policy < policies.size(); ++policy) {
    Random random = Random::FromSeed(policy);
    Playground<float> on(RandomTable(random, 60), policies[policy]);
    BoxedGroups<float>& groups = on.groups;
    const std::uint64_t num_groups = policy < 2 ? 15 : 4;  // so small that some are at their limit
    for (std::uint64_t i = 0; i < num_groups; ++i) groups.Add({});
    for (Place row = 0; row < 60; ++row) groups.Insert(static_cast<GroupId>(random.Below(num_groups)), row);
    std::size_t refused = 0;
    for (int step = 0; step < 3000; ++step) {
      const auto row = static_cast<Place>(random.Below(60));
      const auto other = static_cast<Place>(random.Below(60));
      const GroupId from = groups.group_of(row);
      const GroupId to = groups.group_of(other);
      const std::vector<Place> here = on.RowsOf(from);
      ASSERT_EQ(groups.Admitted(from), here.empty() || on.ModelAdmits(here));
      if (from == to || !groups.Admitted(from) || !groups.Admitted(to)) {  // into other places, until they are admitted
        groups.Remove(row);
        groups.Insert(static_cast<GroupId>(random.Below(num_groups)), row);
        continue;
      }
      const std::vector<Place> there = on.RowsOf(to);
      const bool leaves = groups.CanRemove(from, row);
      const bool swaps = groups.CanSwap(from, row, other) && groups.CanSwap(to, other, row);
      ASSERT_EQ(leaves, here.size() > 1 && on.ModelAdmits(Without(here, row)));
      ASSERT_EQ(groups.CanInsert(to, row), on.ModelAdmits(With(there, row)));
      ASSERT_EQ(swaps, on.ModelAdmits(With(Without(here, row), other)) && on.ModelAdmits(With(Without(there, other), row)));
      refused += leaves ? 0 : 1;
      if (swaps) groups.Swap(row, other);
    }
    EXPECT_GT(refused, 0u);
  }
}

// Large groups count their ranks: the box must be that of the rows, down to the last one, whatever leaves and comes back.
TEST(BoxedGroups, ALargeGroupKnowsItsBoxWhileRowsLeave) {
  constexpr std::size_t kRows = 400;
  Random random = Random::FromSeed(3);
  std::vector<Code> ages, cities;
  for (std::size_t row = 0; row < kRows; ++row) {
    ages.push_back(static_cast<Code>(random.Below(41)));
    cities.push_back(static_cast<Code>(random.Below(4)));
  }
  SmallTable table(kRows);
  table.Add("age", Role::kQuasi, Numbers(41), ages).Add("city", Role::kQuasi, Categories(4, 2), cities);
  const CountedModel model(table.data, {K(2)});
  const View view = View::All(table.data);
  const RankSpace space(view, {});
  GroupGate gate(view, model.model, model.counted);
  RowPlaces places(view.size());
  RowPlaces other_places(view.size());
  BoxedGroups<double> groups(space, gate, places);
  std::vector<Place> rows(kRows);
  for (std::size_t row = 0; row < kRows; ++row) rows[row] = static_cast<Place>(row);
  groups.Add(rows);
  // The oldest first, by age, so that the end of the box moves all the time.
  std::sort(rows.begin(), rows.end(), [&](Place a, Place b) { return ages[a] < ages[b]; });
  while (rows.size() > 1) {
    const Place leaves = rows.back();
    rows.pop_back();
    groups.Remove(leaves);
    if (random.Below(4) == 0) {
      groups.Insert(0, leaves);
      groups.Remove(leaves);
    }
    BoxedGroups<double> fresh(space, gate, other_places);
    fresh.Add(rows);
    ASSERT_EQ(groups.loss(0), fresh.loss(0)) << rows.size();
    for (std::size_t q = 0; q < space.num_quasi(); ++q) {
      ASSERT_EQ(groups.lo(0, q), fresh.lo(0, q));
      ASSERT_EQ(groups.hi(0, q), fresh.hi(0, q));
    }
    ASSERT_EQ(groups.LossWithout(0, rows.front()), fresh.LossWithout(0, rows.front()));
    ASSERT_EQ(groups.LossWithout(0, rows.back()), fresh.LossWithout(0, rows.back()));
  }
}

}  // namespace
}  // namespace cordon::engine
