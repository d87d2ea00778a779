// SPDX-License-Identifier: Apache-2.0
//
// The report's data: UCI adult, training file without rows that have a '?', capital-loss above 0.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/algorithms/ke/capital_loss.h"
#include "tests/algorithms/ke/ke_baselines.h"
#include "tests/algorithms/ke/ke_incremental.h"
#include "tests/algorithms/ke/ke_oracle.h"

namespace cordon::engine {
namespace {

using testing::CapitalLoss;
using testing::Values;

const Values& Losses() {
  static const Values losses = CapitalLoss(std::string(CORDON_DATA) + "/uci/adult.data");
  return losses;
}

TEST(KeAdult, TheColumnIsTheReports) {
  EXPECT_EQ(Losses().size(), 1427u);
  const KeAxis axis = testing::AxisOf(Losses());
  EXPECT_EQ(axis.values.size(), 89u);
  EXPECT_EQ(axis.values.front(), 155);
  EXPECT_EQ(axis.values.back(), 4356);  // the report says 3900, the second largest
}

TEST(KeAdult, OptimalCostsCoverAndGreedy) {
  const KeAxis axis = testing::AxisOf(Losses());
  using Row =
      std::tuple<std::int64_t, std::int64_t, std::size_t, std::int64_t, std::int64_t>;  // k, cost, groups, cover, greedy
  for (const auto& [k, cost, groups, cover, greedy] :
       {Row{3, 2654, 13, 2759, 2797}, Row{4, 2828, 12, 2900, 3547}, Row{5, 3385, 11, 3610, 3834}, Row{6, 3561, 11, 3691, 3841},
        Row{7, 3648, 9, 3769, 3980}, Row{8, 3748, 9, 3841, 3959}, Row{9, 3778, 8, 3917, 3922}, Row{10, 3853, 7, 3998, 4084}}) {
    SCOPED_TRACE(k);
    const KeCut cut = CutBySum(axis, {k, 100}).value();
    EXPECT_EQ(cut.sum_error, cost);
    EXPECT_EQ(cut.size(), groups);
    EXPECT_EQ(CoverCost(axis.values, {k, 100}), cover);
    EXPECT_EQ(GreedyCost(axis.values, {k, 100}), greedy);
  }
  using ByE = std::tuple<std::int64_t, std::int64_t, std::size_t>;
  for (const auto& [e, cost, groups] :
       {ByE{20, 3274, 16}, ByE{40, 3295, 15}, ByE{60, 3361, 13}, ByE{80, 3373, 11}, ByE{100, 3385, 11}, ByE{120, 3400, 10},
        ByE{140, 3476, 9}, ByE{160, 3515, 9}, ByE{180, 3525, 9}, ByE{200, 3531, 8}, ByE{220, 3531, 8}}) {
    SCOPED_TRACE(e);
    const KeCut cut = CutBySum(axis, {5, e}).value();
    EXPECT_EQ(cut.sum_error, cost);
    EXPECT_EQ(cut.size(), groups);
  }
}

TEST(KeAdult, TheGroupsOfKFiveEHundred) {
  const KeCut cut = CutBySum(testing::AxisOf(Losses()), {5, 100}).value();
  const auto groups = testing::GroupsOfCut(Losses(), cut);
  using Group = std::tuple<std::int64_t, std::int64_t, std::size_t>;
  std::vector<Group> seen;
  for (const Values& group : groups) seen.emplace_back(group.front(), group.back(), group.size());
  EXPECT_EQ(seen, (std::vector<Group>{{155, 653, 24},
                                      {810, 1138, 19},
                                      {1258, 1411, 37},
                                      {1485, 1628, 212},
                                      {1648, 1762, 192},
                                      {1816, 1944, 445},
                                      {1974, 2080, 281},
                                      {2129, 2282, 78},
                                      {2339, 2472, 101},
                                      {2547, 2824, 30},
                                      {3004, 4356, 8}}));
}

// Distinct values do not bound confidence: one value holds more than half of a group.
TEST(KeAdult, TheGreatestShares) {
  const KeAxis axis = testing::AxisOf(Losses());
  for (const auto& [k, share] : {std::pair{3, 0.727}, std::pair{5, 0.577}, std::pair{10, 0.574}}) {
    EXPECT_NEAR(GreatestShare(axis, CutBySum(axis, {k, 100}).value()).ToDouble(), share, 0.0006) << k;
  }
  const auto guarded =
      LimitShare(axis, CutBySum(axis, {5, 100}).value(), Rational(1, 3), KeAnonymitySpec::Objective::kSum).value();
  EXPECT_LE(GreatestShare(axis, guarded), Rational(1, 3));
}

// Half of the rows, then 142 appended one by one: the sound rule is right every time.
TEST(KeAdult, AppendingTheReportsRows) {
  for (const std::int64_t e : {20, 100, 220}) {
    const KeRequirement requirement{5, e};
    Values list(Losses().begin(), Losses().begin() + 713);
    IncrementalKe incremental(testing::AxisOf(list), requirement);
    for (std::size_t i = 713; i < 713 + 142; ++i) {
      list.push_back(Losses()[i]);
      incremental.Append(Losses()[i]);
      ASSERT_EQ(incremental.least_error(), CutBySum(testing::AxisOf(list), requirement)->sum_error);
    }
  }
}

}  // namespace
}  // namespace cordon::engine
