// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/ke/ke.h"

#include <gtest/gtest.h>

#include "tests/algorithms/ke/ke_incremental.h"
#include "tests/algorithms/ke/ke_oracle.h"

namespace cordon::engine {
namespace {

using testing::AxisOf;
using testing::KeModel;
using testing::Values;

TEST(Ke, NoRowsAreNoGroupsAtNoCost) {
  Random random = Random::FromSeed(1);
  const auto groups = Ke({}, 0, KeModel(3, 2), random);
  ASSERT_TRUE(groups.ok());
  EXPECT_EQ(groups.value().size(), 0u);
  EXPECT_EQ(groups.value().sum_error, 0);
  EXPECT_EQ(IncrementalKe({3, 2}).least_error(), 0);
  EXPECT_EQ(IncrementalKe({3, 2}).Cut()->size(), 0u);
}

TEST(Ke, TooFewValuesSayHowManyThereAre) {
  Random random = Random::FromSeed(1);
  const auto groups = Ke(Values{7, 7, 9, 9}, 0, KeModel(3, 0), random);
  ASSERT_FALSE(groups.ok());
  EXPECT_EQ(groups.error().kind(), ErrorKind::kUnsatisfiable);
  EXPECT_NE(groups.error().message().find("2 distinct values"), std::string::npos);
  EXPECT_EQ(groups.error().hint(), "the largest k that can be had is 2");
}

TEST(Ke, ARangeBelowESaysItsSizeAndNoValue) {
  Random random = Random::FromSeed(1);
  const auto groups = Ke(Values{0, 1, 4321}, 1, KeModel(2, 5000), random);
  ASSERT_FALSE(groups.ok());
  EXPECT_EQ(groups.error().hint(), "an e of 400 could be had");  // the range is 432.1
  EXPECT_EQ(groups.error().message().find("432"), std::string::npos);
}

TEST(Ke, TheBoundsAreClosed) {
  EXPECT_TRUE(CutBySum(AxisOf({1, 3}), {2, 2}).has_value());
  EXPECT_FALSE(CutBySum(AxisOf({1, 3}), {2, 3}).has_value());
  EXPECT_FALSE(CutBySum(AxisOf({1, 1, 3, 3}), {3, 2}).has_value());
}

TEST(Ke, EIsTakenToTheScaleTowardsRefusing) {
  EXPECT_EQ(ScaledE(Rational(5, 2), 1), 25);
  EXPECT_EQ(ScaledE(Rational(5, 2), 0), 3);
  EXPECT_EQ(ScaledE(Rational(2, 3), 2), 67);
  EXPECT_EQ(ScaledE(Rational(0), 15), 0);
  EXPECT_EQ(ScaledE(Rational(1'000'000'000), 15), std::nullopt);
}

TEST(Ke, OneValueCannotBeHiddenAmongItself) {
  Random random = Random::FromSeed(1);
  const auto refused = Ke(Values{1, 2, 3}, 0, KeModel(1, 0), random);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kInvalidPolicy);
}

TEST(Ke, NumbersThatCouldOverflowAreRefused) {
  Random random = Random::FromSeed(1);
  EXPECT_FALSE(Ke(Values{1, 2, kKeLargest + 1}, 0, KeModel(2, 0), random).ok());
  EXPECT_TRUE(Ke(Values{-kKeLargest, kKeLargest}, 0, KeModel(2, 0), random).ok());
}

// A value in two groups: its rows are shared out by the other rows of the two, and drawn.
TEST(Ke, RowsOfAStraddlingValueAreSharedOutAndDrawn) {
  Values values = {1, 2, 3, 4, 5};
  for (int i = 0; i < 7; ++i) values.push_back(3);
  const KeCut cut = CutBySum(AxisOf(values), {3, 0}).value();
  ASSERT_EQ(cut.size(), 2u);
  EXPECT_EQ(cut.starts[1], 6u);  // 1, 2 and half of the eight rows
  std::vector<int> left(values.size());
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random = Random::FromSeed(seed);
    const KeGroups groups = GroupsOf(OrderByValue(values), cut, random);
    for (std::uint64_t at = 0; at < 6; ++at) ++left[groups.rows[at]];
  }
  for (std::size_t row = 5; row < values.size(); ++row) {
    EXPECT_GT(left[row], 150);
    EXPECT_LT(left[row], 250);
  }
  EXPECT_EQ(left[0], 400);
  EXPECT_EQ(left[4], 0);
}

// An arithmetic progression never settles: every entry is computed again, and the result is still right.
TEST(Ke, TheWorstCaseOfAppendingIsStartingOver) {
  Values values;
  for (std::int64_t value = 1; value <= 300; ++value) values.push_back(value);
  IncrementalKe incremental(AxisOf(values), {3, 2});
  EXPECT_EQ(incremental.Append(0), 301u);
  values.push_back(0);
  EXPECT_EQ(incremental.least_error(), CutBySum(AxisOf(values), {3, 2})->sum_error);
}

TEST(Ke, AThirdCopyCostsNothing) {
  IncrementalKe incremental(AxisOf({1, 1, 2, 3}), {3, 2});
  EXPECT_EQ(incremental.Append(1), 0u);
  EXPECT_GT(incremental.Append(2), 0u);
  EXPECT_EQ(incremental.Append(2), 0u);
}

}  // namespace
}  // namespace cordon::engine
