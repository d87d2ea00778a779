// SPDX-License-Identifier: Apache-2.0
//
// The worked examples of the (k,e) report, with its numbers if they are right, otherwise with the right ones.
#include <gtest/gtest.h>

#include "tests/algorithms/ke/ke_baselines.h"
#include "tests/algorithms/ke/ke_incremental.h"
#include "tests/algorithms/ke/ke_oracle.h"

namespace cordon::engine {
namespace {

using testing::AxisOf;
using testing::BruteForce;
using testing::GroupsOfCut;
using testing::kTable35;
using testing::kThreeTwo;
using testing::Values;

constexpr std::int64_t kInf = KeTable::kInfinite;

Values From1(const std::vector<std::int64_t>& entries) { return {entries.begin() + 1, entries.end()}; }
std::vector<int> From1(const std::vector<std::uint32_t>& entries) { return {entries.begin() + 1, entries.end()}; }

TEST(KePaper, Table35And36TheRecurrence) {
  const KeTable table = FillKeTable(kTable35, kThreeTwo);
  EXPECT_EQ(From1(table.latest), (std::vector<int>{0, 0, 1, 2, 3, 4, 4, 5, 7}));
  EXPECT_EQ(From1(table.cost), (Values{kInf, kInf, 2, 11, 16, 12, 12, 17, 22}));
  EXPECT_EQ(From1(table.start), (std::vector<int>{0, 0, 1, 1, 1, 4, 4, 4, 7}));
  const KeCut cut = CutBySum(AxisOf(kTable35), kThreeTwo).value();
  EXPECT_EQ(cut.sum_error, 22);
  EXPECT_EQ(GroupsOfCut(kTable35, cut), (std::vector<Values>{{54, 55, 56}, {65, 70, 75}, {75, 80, 85}}));
}

// On distinct values the cost is the same with one group less.
TEST(KePaper, DistinctValuesCostTheSame) {
  const KeCut cut = CutBySum(AxisOf({54, 55, 56, 65, 70, 75, 80, 85}), kThreeTwo).value();
  EXPECT_EQ(cut.sum_error, 22);
  EXPECT_EQ(cut.size(), 2u);
}

struct AppendCase {
  Values list;
  std::int64_t value;
  std::size_t place;        // from 1, of the new value
  Values costs;             // from there on
  std::vector<int> starts;  // from there on

  // Else the name of a test would be the bytes of its case.
  friend void PrintTo(const AppendCase& c, std::ostream* out) { *out << "append_" << c.value << "_to_" << c.list.size(); }
};

class KePaperAppend : public ::testing::TestWithParam<AppendCase> {};

TEST_P(KePaperAppend, GivesTheReportsTable) {
  const AppendCase& c = GetParam();
  const KeTable old = FillKeTable(c.list, kThreeTwo);
  const KeAppended appended = AppendToList(c.list, old, kThreeTwo, c.value, StopRule::kCoupled);
  EXPECT_EQ(appended.inserted, c.place);
  const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(c.place);
  EXPECT_EQ(Values(appended.table.cost.begin() + from, appended.table.cost.end()), c.costs);
  EXPECT_EQ(std::vector<int>(appended.table.start.begin() + from, appended.table.start.end()), c.starts);
  IncrementalKe incremental(AxisOf(c.list), kThreeTwo);
  incremental.Append(c.value);
  EXPECT_EQ(incremental.least_error(), c.costs.back());
}

const Values kTable310 = {54, 55, 57, 65, 70, 75, 75, 80, 85};
const Values kTable312 = {54, 55, 56, 65, 70, 75, 77, 77, 101, 102, 103};
const Values kTable313 = {54, 55, 56, 65, 70, 75, 76, 80, 101, 102, 103, 120, 121, 122};

INSTANTIATE_TEST_SUITE_P(
    Tables, KePaperAppend,
    ::testing::Values(
        AppendCase{kTable35, 67, 5, {13, 7, 12, 12, 17, 17}, {1, 4, 4, 4, 4, 7}},
        AppendCase{kTable35, 55, 3, {kInf, 2, 11, 16, 12, 12, 17, 22}, {0, 1, 1, 1, 5, 5, 5, 8}},
        AppendCase{kTable35, 76, 8, {13, 17, 21}, {4, 7, 8}},
        AppendCase{kTable35, 57, 4, {3, 11, 15, 13, 13, 18, 23}, {1, 1, 4, 5, 5, 5, 8}},
        AppendCase{kTable310, 56, 3, {2, 3, 11, 15, 13, 13, 18, 23}, {1, 1, 1, 4, 5, 5, 5, 8}},
        AppendCase{kTable312, 64, 4, {10, 11, 8, 13, 15, 15, 34, 35, 17}, {1, 1, 4, 4, 4, 4, 7, 7, 10}},
        // The report prints the costs of appending 62, and a wrong start for row 11.
        AppendCase{kTable313, 64, 4, {10, 11, 8, 13, 14, 13, 34, 35, 15, 32, 33, 17}, {1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10, 13}},
        AppendCase{
            kTable313, 62, 4, {8, 11, 10, 15, 16, 15, 36, 37, 17, 34, 35, 19}, {1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10, 13}}));

TEST(KePaper, Tables310To314BeforeTheAppends) {
  const KeTable t310 = FillKeTable(kTable310, kThreeTwo);
  EXPECT_EQ(From1(t310.cost), (Values{kInf, kInf, 3, 11, 16, 13, 13, 18, 23}));
  EXPECT_EQ(From1(t310.start), (std::vector<int>{0, 0, 1, 1, 1, 4, 4, 4, 7}));
  const KeTable t312 = FillKeTable(kTable312, kThreeTwo);
  EXPECT_EQ(From1(t312.cost), (Values{kInf, kInf, 2, 11, 16, 12, 14, 14, 38, 37, 16}));
  EXPECT_EQ(From1(t312.start), (std::vector<int>{0, 0, 1, 1, 1, 4, 4, 4, 4, 7, 9}));
  const KeTable t313 = FillKeTable(kTable313, kThreeTwo);
  EXPECT_EQ(From1(t313.cost), (Values{kInf, kInf, 2, 11, 16, 12, 13, 17, 37, 35, 19, 36, 37, 21}));
  EXPECT_EQ(From1(t313.start), (std::vector<int>{0, 0, 1, 1, 1, 4, 4, 4, 7, 8, 9, 9, 9, 12}));
}

TEST(KePaper, TheSoundRuleStopsEarlyForOneOfTheFourAppends) {
  const KeTable old = FillKeTable(kTable35, kThreeTwo);
  for (const std::int64_t value : {67, 55, 76, 57}) {
    const KeAppended appended = AppendToList(kTable35, old, kThreeTwo, value, StopRule::kCoupled);
    EXPECT_EQ(appended.stopped, value == 55 ? 9u : 10u) << value;
  }
}

// "One unchanged group means that everything after it is unchanged" is false in a forward pass.
TEST(KePaper, CounterexamplesToTheReportsStopRule) {
  struct Case {
    KeRequirement requirement;
    Values list;
    std::int64_t value;
    std::int64_t optimum;
  };
  for (const Case& c : {Case{{2, 1}, {18, 23, 27, 30, 34}, 25, 11}, Case{{2, 0}, {36, 39, 42, 48, 51, 58}, 11, 38},
                        Case{{2, 1}, {30, 32, 34, 36, 40, 43, 54}, 2, 45}}) {
    const KeTable old = FillKeTable(c.list, c.requirement);
    const KeAppended aligned = AppendToList(c.list, old, c.requirement, c.value, StopRule::kAligned);
    EXPECT_GT(aligned.CostOfGroups().value(), c.optimum);
    IncrementalKe incremental(AxisOf(c.list), c.requirement);
    incremental.Append(c.value);
    EXPECT_EQ(incremental.least_error(), c.optimum);
    EXPECT_EQ(CostOfAppendTwoSided(c.list, c.requirement, c.value), c.optimum);
  }
  const KeTable old = FillKeTable(Values{18, 23, 27, 30, 34}, {2, 1});
  EXPECT_EQ(AppendToList(Values{18, 23, 27, 30, 34}, old, {2, 1}, 25, StopRule::kAligned).CostOfGroups(), 14);
}

// A value between two groups may make a third out of parts of both.
TEST(KePaper, ABorderInsertionMayMakeANewGroup) {
  const Values before = {14, 15, 16, 19, 23, 24, 25, 26};
  EXPECT_EQ(CutBySum(AxisOf(before), kThreeTwo)->sum_error, 8);
  IncrementalKe incremental(AxisOf(before), kThreeTwo);
  incremental.Append(21);
  EXPECT_EQ(incremental.least_error(), 8);
  Values after = before;
  after.push_back(21);
  EXPECT_EQ(GroupsOfCut(after, incremental.Cut().value()), (std::vector<Values>{{14, 15, 16}, {19, 21, 23}, {24, 25, 26}}));
}

// Tables 2.7 and 2.8: the least maximum needs interleaved groups; runs of the sorted values reach 7, within twice of 5.
TEST(KePaper, MaxErrorOfRunsIsWithinTwiceTheOptimum) {
  const Values values = {11, 12, 13, 15, 15, 16, 16, 18};
  EXPECT_EQ(BruteForce(values, {4, 5}).max, 5);
  EXPECT_EQ(CutByMax(AxisOf(values), {4, 5})->max_error, 7);
  EXPECT_EQ(CutBySum(AxisOf(values), {4, 5})->sum_error, 7);
}

// Tables 7.1 and 7.2: three rows at once.
TEST(KePaper, BulkAppend) {
  const Values values = {14, 15, 15, 16, 16, 20, 25, 30, 35, 35, 40, 45};
  const KeTable table = FillKeTable(values, kThreeTwo);
  EXPECT_EQ(From1(table.cost), (Values{kInf, kInf, kInf, 2, 2, 6, 11, 12, 16, 16, 21, 22}));
  EXPECT_EQ(From1(table.start), (std::vector<int>{0, 0, 0, 1, 1, 1, 5, 6, 7, 7, 8, 9}));
  IncrementalKe incremental(AxisOf({14, 15, 16, 25, 30, 35, 35, 40, 45}), kThreeTwo);
  for (const std::int64_t value : {16, 20, 15}) {
    incremental.Append(value);
    EXPECT_EQ(incremental.least_error(), 22);
  }
}

// Closing a group as soon as it may be has no constant ratio; the cover has 2.
TEST(KePaper, GreedyIsFarFromTheOptimum) {
  const Values values = {0, 1, 2, 3, 1000, 1001, 1002};
  EXPECT_EQ(CutBySum(AxisOf(values), kThreeTwo)->sum_error, 5);
  EXPECT_EQ(GreedyCost(values, kThreeTwo), 1001);
  EXPECT_LE(CoverCost(values, kThreeTwo).value(), 10);
}

}  // namespace
}  // namespace cordon::engine
