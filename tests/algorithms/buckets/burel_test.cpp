// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/buckets/burel.h"

#include <gtest/gtest.h>

#include "cordon/algorithms/grouping/group_merge.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::K;
using testing::Numbers;
using testing::SmallTable;

Result<Groups> RunBurel(const std::vector<Code>& illness, Code values, const BetaLikenessSpec& spec,
                        const std::vector<ModelSpec>& others, const BurelOptions& options = {}) {
  SmallTable table(illness.size());
  std::vector<Code> ages(illness.size());
  std::iota(ages.begin(), ages.end(), Code{0});
  table.Add("age", Role::kQuasi, Numbers(static_cast<Code>(illness.size()) + 1), ages);
  table.Add("illness", Role::kSensitive, Numbers(values), illness);
  const View view = View::All(table.data);
  const Reference reference = ReferenceOf(table.data, view.rows());
  const CountedColumns counted(table.data, table.data.ColumnsOf(Role::kSensitive), true);
  CORDON_TRY(const AllOf rest, AllOf::Make(others, reference));
  Random random = Random::FromSeed(1);
  return Burel(view, spec, rest, reference, counted, options, random, {});
}

const BetaLikenessSpec kTwo{"illness", 2, BetaLikenessSpec::Kind::kEnhanced};

TEST(Burel, OneValueLeavesTheSizeOfGroupsToK) {
  const std::vector<Code> same(12, 0);
  const auto alone = RunBurel(same, 1, kTwo, {});
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().kind(), ErrorKind::kInvalidPolicy);
  EXPECT_EQ(RunBurel(same, 1, kTwo, {K(3)}).value().size(), 4u);
}

TEST(Burel, ARowOfEachValueIsOneGroup) { EXPECT_EQ(RunBurel({0, 1, 2}, 3, kTwo, {}).value().size(), 1u); }

TEST(Burel, MarginsOutsideTheirRangeAreRefused) {
  for (const Rational& margin : {Rational(1), Rational(-1, 10), Rational(3, 2)}) {
    const auto groups = RunBurel({0, 1, 2}, 3, kTwo, {}, {.margin = margin});
    ASSERT_FALSE(groups.ok());
    EXPECT_EQ(groups.error().kind(), ErrorKind::kInvalidPolicy);
  }
}

TEST(Burel, MorePeopleThanThereAre) {
  const auto groups = RunBurel({0, 1, 0, 1}, 2, kTwo, {K(5)});
  ASSERT_FALSE(groups.ok());
  EXPECT_EQ(groups.error().kind(), ErrorKind::kUnsatisfiable);
}

TEST(Burel, ABasicBoundAboveOneLetsAFrequentValueFillAGroup) {
  // 9 of 10 have it: (1 + 1) 9/10 > 1. Enhanced it may not.
  const std::vector<Code> illness = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  const BetaLikenessSpec basic{"illness", 1, BetaLikenessSpec::Kind::kBasic};
  const BetaLikenessSpec enhanced{"illness", 1, BetaLikenessSpec::Kind::kEnhanced};
  EXPECT_GT(RunBurel(illness, 2, basic, {K(2)}).value().size(), 1u);
  EXPECT_EQ(RunBurel(illness, 2, enhanced, {K(2)}).value().size(), 1u);
}

TEST(MergeUntilAdmitted, JoinsTheGroupThatCostsLeast) {
  SmallTable table(6);
  table.Add("age", Role::kQuasi, Numbers(100), {10, 12, 50, 52, 58, 90});
  const View view = View::All(table.data);
  const Reference reference = ReferenceOf(table.data, view.rows());
  const AllOf model = AllOf::Make(std::vector<ModelSpec>{K(2)}, reference).value();
  const CountedColumns counted(table.data, {}, true);
  Groups groups;
  for (const std::vector<RowId>& rows : {std::vector<RowId>{0, 1}, {2}, {3, 4}, {5}}) groups.Add(rows);
  const Groups merged = MergeUntilAdmitted(view, groups, model, counted, {}).value();
  // 50 joins [52, 58]; 90 joins [50, 58].
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(std::vector<RowId>(merged[0].begin(), merged[0].end()), (std::vector<RowId>{0, 1}));
  EXPECT_EQ(std::vector<RowId>(merged[1].begin(), merged[1].end()), (std::vector<RowId>{5, 2, 3, 4}));
}

TEST(MergeUntilAdmitted, LeavesAdmittedGroupsAlone) {
  SmallTable table(4);
  table.Add("age", Role::kQuasi, Numbers(100), {10, 12, 50, 52});
  const View view = View::All(table.data);
  const AllOf model = AllOf::Make(std::vector<ModelSpec>{K(2)}, ReferenceOf(table.data, view.rows())).value();
  const CountedColumns counted(table.data, {}, true);
  Groups groups;
  groups.Add(std::vector<RowId>{0, 1});
  groups.Add(std::vector<RowId>{2, 3});
  EXPECT_EQ(MergeUntilAdmitted(view, groups, model, counted, {}).value().starts, groups.starts);
}

}  // namespace
}  // namespace cordon::engine
