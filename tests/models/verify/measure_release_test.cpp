// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/measure_release.h"

#include <gtest/gtest.h>

#include "tests/models/build_microdata.h"

namespace cordon::engine::test {
namespace {

TEST(Measure, TellsWhatATableHas) {
  const Release release = BuildRelease({
      {"q", Role::kQuasi, nullptr, {"x", "x", "x", "x", "y", "y", "y", "y"}},
      {"salary", Role::kSensitive, Numbers(1, 3), {"1", "1", "2", "3", "3", "3", "3", "1"}},
      {"illness",
       Role::kSensitive,
       Tree({{"flu", "lung", "*"}, {"sars", "lung", "*"}, {"ulcer", "gut", "*"}}),
       {"flu", "sars", "ulcer", "flu", "flu", "sars", "ulcer", "flu"}},
      {"note", Role::kInsensitive, nullptr, {"1", "2", "3", "4", "5", "6", "7", "8"}},
  });
  const Measured measured = MeasureRelease(release, {}, cordon::engine::Run{}).value();
  EXPECT_EQ(measured.k.text, "4");
  EXPECT_EQ(measured.groups, 2u);
  ASSERT_EQ(measured.columns.size(), 2u);

  const MeasuredColumn& salary = measured.columns[0];  // whole 3/8, 1/8, 4/8; y has 1/4, 0, 3/4
  EXPECT_EQ(salary.sensitive, "salary");
  EXPECT_EQ(salary.distinct_l.text, "2");
  EXPECT_EQ(salary.distinct_l.witness->first_row, 5u);
  EXPECT_EQ(salary.entropy_l.text, "1.75477");
  EXPECT_EQ(salary.recursive_c.text, "3");
  EXPECT_EQ(salary.t_equal.text, "1/4");
  ASSERT_TRUE(salary.t_ordered.has_value());
  EXPECT_EQ(salary.t_ordered->text, "3/16");
  EXPECT_FALSE(salary.t_hierarchical.has_value());
  EXPECT_EQ(salary.beta.text, "1");  // x: 1/4 of value 2 against 1/8
  EXPECT_EQ(salary.beta.witness->first_row, 1u);
  EXPECT_EQ(salary.delta.text, "infinite");

  const MeasuredColumn& illness = measured.columns[1];  // the same in both groups
  EXPECT_EQ(illness.distinct_l.text, "3");
  ASSERT_TRUE(illness.t_hierarchical.has_value());
  EXPECT_EQ(illness.t_hierarchical->text, "0");
  EXPECT_FALSE(illness.t_ordered.has_value());
  EXPECT_EQ(illness.delta.text, "0");
}

TEST(Measure, ATableWithoutSensitiveColumnsHasAK) {
  const Measured measured =
      MeasureRelease(BuildRelease({{"q", Role::kQuasi, nullptr, {"x", "x", "y"}}}), {}, cordon::engine::Run{}).value();
  EXPECT_EQ(measured.k.value, 1);
  EXPECT_EQ(measured.k.witness->first_row, 3u);
  EXPECT_TRUE(measured.columns.empty());
}

}  // namespace
}  // namespace cordon::engine::test
