// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/buckets/sabre.h"

#include <gtest/gtest.h>

#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::K;
using testing::Numbers;
using testing::SmallTable;

struct Patients {
  SmallTable table;
  View view;
  Reference reference;
  CountedColumns counted;

  Patients(const std::vector<Code>& ages, Code values, const std::vector<Code>& salaries, const std::vector<Code>& persons = {})
      : table(Make(ages, values, salaries, persons)),
        view(View::All(table.data)),
        reference(ReferenceOf(table.data, view.rows())),
        counted(table.data, table.data.ColumnsOf(Role::kSensitive), true) {}

  static SmallTable Make(const std::vector<Code>& ages, Code values, const std::vector<Code>& salaries,
                         const std::vector<Code>& persons) {
    SmallTable table(ages.size());
    table.Add("age", Role::kQuasi, Numbers(100), ages).Add("salary", Role::kSensitive, Numbers(values), salaries);
    if (!persons.empty()) table.Persons(persons);
    return table;
  }

  Result<Groups> Run(const Rational& t, const std::vector<ModelSpec>& others, SabreOptions options = {}) const {
    const AllOf rest = AllOf::Make(others, reference).value();
    Random random = Random::FromSeed(1);
    return Sabre(view, {"salary", t, Distance::kOrdered}, rest, reference, counted, options, random, {});
  }
};

const std::vector<Code> kAges = {20, 21, 22, 23, 60, 61, 62, 63};

TEST(Sabre, NothingLessThanTheWholeDistributionIsZeroClose) {
  // Two of each salary: halves with one of each are the table in small.
  const Patients even(kAges, 4, {0, 1, 2, 3, 0, 1, 2, 3});
  EXPECT_EQ(even.Run(0, {K(2)}).value().size(), 2u);
  // Three and five have no common part: one group.
  const Patients odd(kAges, 2, {0, 0, 0, 1, 1, 1, 1, 1});
  EXPECT_EQ(odd.Run(0, {K(2)}).value().size(), 1u);
}

TEST(Sabre, OneValueLeavesTheSizeOfGroupsToK) {
  const Patients same(kAges, 1, std::vector<Code>(8, 0));
  EXPECT_EQ(same.Run(Rational(1, 10), {K(2)}).value().size(), 4u);
  EXPECT_EQ(same.Run(0, {K(3)}).value().size(), 2u);
}

TEST(Sabre, ATThatBoundsNothingNeedsAK) {
  const Patients patients(kAges, 4, {0, 1, 2, 3, 0, 1, 2, 3});
  const auto alone = patients.Run(1, {});
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().kind(), ErrorKind::kInvalidPolicy);
  EXPECT_NE(alone.error().hint().find("k-anonymity"), std::string::npos);
  EXPECT_EQ(patients.Run(1, {K(2)}).value().size(), 4u);
}

TEST(Sabre, FewerRowsThanK) {
  const Patients patients(kAges, 4, {0, 1, 2, 3, 0, 1, 2, 3});
  const auto groups = patients.Run(Rational(1, 2), {K(9)});
  ASSERT_FALSE(groups.ok());
  EXPECT_EQ(groups.error().kind(), ErrorKind::kUnsatisfiable);
}

TEST(Sabre, SkewMayLeaveOneGroup) {
  std::vector<Code> ages;
  std::vector<Code> salaries;
  for (Code row = 0; row < 90; ++row) {
    ages.push_back(row);
    salaries.push_back(row == 40 ? 9 : 0);  // one of ninety earns more
  }
  const Patients patients(ages, 10, salaries);
  EXPECT_EQ(patients.Run(Rational(1, 1000), {K(2)}).value().size(), 1u);
  EXPECT_GT(patients.Run(Rational(1, 10), {K(2)}).value().size(), 1u);
}

TEST(Sabre, PeopleAreCountedNotRows) {
  // Four people with two rows each, side by side.
  const Patients patients(kAges, 4, {0, 1, 2, 3, 0, 1, 2, 3}, {0, 0, 1, 1, 2, 2, 3, 3});
  const Groups groups = patients.Run(Rational(9, 10), {K(2)}).value();
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::set<Code> people;
    for (const RowId row : groups[group]) people.insert(patients.table.data.persons[row]);
    EXPECT_GE(people.size(), 2u);
  }
}

TEST(Sabre, ADeclaredSalaryThatNobodyHasTakesUpRanks) {
  // 0 and 1 of two declared values are 1 apart, of eleven 0.1.
  const std::vector<Code> salaries = {0, 1, 0, 1, 0, 0, 0, 1};
  const Patients two(kAges, 2, salaries);
  const Patients eleven(kAges, 11, salaries);
  EXPECT_EQ(two.Run(Rational(1, 50), {K(2)}).value().size(), 1u);
  EXPECT_EQ(eleven.Run(Rational(1, 50), {K(2)}).value().size(), 3u);
}

TEST(Sabre, RowsWithoutQuasiColumnsAreStillGrouped) {
  SmallTable table(4);
  table.Add("salary", Role::kSensitive, Numbers(2), {0, 1, 0, 1});
  const View view = View::All(table.data);
  const Reference reference = ReferenceOf(table.data, view.rows());
  const CountedColumns counted(table.data, table.data.ColumnsOf(Role::kSensitive), true);
  const AllOf rest = AllOf::Make(std::vector<ModelSpec>{K(2)}, reference).value();
  for (const Neighbours neighbours : {Neighbours::kHilbert, Neighbours::kExact}) {
    Random random = Random::FromSeed(1);
    const auto groups = Sabre(view, {"salary", Rational(1, 10), Distance::kEqual}, rest, reference, counted,
                              {.neighbours = neighbours}, random, {});
    EXPECT_EQ(groups.value().size(), 2u);
  }
}

TEST(Sabre, AnUnknownSensitiveColumnIsNamed) {
  const Patients patients(kAges, 4, {0, 1, 2, 3, 0, 1, 2, 3});
  const AllOf rest = AllOf::Make(std::vector<ModelSpec>{K(2)}, patients.reference).value();
  Random random = Random::FromSeed(1);
  const auto groups = Sabre(patients.view, {"salry", Rational(1, 2), Distance::kOrdered}, rest, patients.reference,
                            patients.counted, {}, random, {});
  ASSERT_FALSE(groups.ok());
  EXPECT_NE(groups.error().hint().find("'salary'"), std::string::npos);
}

}  // namespace
}  // namespace cordon::engine
