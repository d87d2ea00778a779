// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/metrics/small_release.h"

namespace cordon::engine {
namespace {

// Rows i = 0..19: age i (0..100), pay 2 i + 1 or so, and a place. The release is given by its texts.
struct BeforeAfter {
  Microdata original;
  Release release;
};

std::shared_ptr<const Domain> Numbers(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  const std::int64_t lo = values.front();
  const std::int64_t hi = values.back();
  return std::make_shared<const Domain>(Domain::Numeric({.values = values, .range_lo = lo, .range_hi = hi, .missing = "?"}));
}

void AddNumbers(BeforeAfter& both, const std::string& name, Role role, const std::vector<std::int64_t>& values,
                const std::vector<std::string>& published) {
  const auto domain = Numbers(values);
  CodesBuilder codes;
  for (const std::int64_t value : values) codes.Add(*domain->Encode(std::to_string(value)));
  both.original.num_rows = both.original.num_persons = values.size();
  both.original.columns.push_back({{name, role, domain, 1}, codes.Finish(), {}});
  both.release.num_rows = published.size();
  both.release.columns.push_back({{name, role, domain, 1}, testing::TextColumn(name, published)});
}

TEST(Statistics, AnExactReleaseHasTheFiguresOfTheOriginal) {
  BeforeAfter both;
  std::vector<std::int64_t> ages;
  std::vector<std::int64_t> pays;
  std::vector<std::string> age_texts;
  std::vector<std::string> pay_texts;
  for (std::int64_t i = 0; i < 40; ++i) {
    ages.push_back(i);
    pays.push_back(3 * i + 7 + (i % 2 == 0 ? 1 : -1));
    age_texts.push_back(std::to_string(ages.back()));
    pay_texts.push_back(std::to_string(pays.back()));
  }
  AddNumbers(both, "age", Role::kQuasi, ages, age_texts);
  AddNumbers(both, "pay", Role::kSensitive, pays, pay_texts);
  const Statistics made = MeasureStatistics(both.original, both.release, {}).value();
  ASSERT_EQ(made.numbers.size(), 2u);
  const NumberStatistics& age = made.numbers[0];
  EXPECT_DOUBLE_EQ(age.original.mean, 19.5);
  EXPECT_DOUBLE_EQ(age.release.mean, 19.5);
  EXPECT_NEAR(age.original.variance, 40.0 * 41 / 12, 1e-9);  // of 0..n-1: n (n + 1) / 12
  EXPECT_DOUBLE_EQ(age.release.variance, age.original.variance);
  ASSERT_EQ(age.original.quantiles.size(), 5u);
  EXPECT_NEAR(age.original.quantiles[2], 19.5, 1e-9);
  EXPECT_NEAR(age.original.quantiles[0], 4.5, 1e-9);  // the mean of the lowest 10, which is not a cell
  EXPECT_EQ(age.release.quantiles, age.original.quantiles);
  ASSERT_EQ(made.correlations.size(), 1u);
  EXPECT_GT(made.correlations[0].original, 0.99);
  EXPECT_DOUBLE_EQ(made.correlations[0].original, made.correlations[0].release);
  ASSERT_EQ(made.regressions.size(), 1u);
  EXPECT_EQ(made.regressions[0].target, "pay");
  EXPECT_NEAR(made.regressions[0].terms[1].original.value, 3, 0.02);
  EXPECT_NEAR(made.regressions[0].terms[0].original.value, 7, 0.4);
  EXPECT_GT(made.regressions[0].terms[1].original.error, 0);
  EXPECT_LT(made.regressions[0].terms[1].original.error, 0.1);
}

TEST(Statistics, AnIntervalIsReadAsUniform) {
  BeforeAfter both;
  std::vector<std::int64_t> values(20, 0);
  values.back() = 12;
  AddNumbers(both, "age", Role::kQuasi, values, std::vector<std::string>(20, "[0,12]"));
  const Statistics made = MeasureStatistics(both.original, both.release, {}).value();
  EXPECT_DOUBLE_EQ(made.numbers[0].release.mean, 6);
  EXPECT_NEAR(made.numbers[0].release.variance, 20.0 / 19 * 12, 1e-9);  // 12^2 / 12
  EXPECT_NEAR(made.numbers[0].release.quantiles[2], 6, 1e-9);
}

TEST(Statistics, AStarIsTheRangeAndMissingCellsAreLeftOut) {
  BeforeAfter both;
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 20; ++i) values.push_back(i % 2 == 0 ? 10 : 30);
  std::vector<std::string> texts(20, "*");
  texts[0] = "?";
  AddNumbers(both, "age", Role::kQuasi, values, texts);
  const Statistics made = MeasureStatistics(both.original, both.release, {}).value();
  EXPECT_EQ(made.numbers[0].release.values, 19u);
  EXPECT_DOUBLE_EQ(made.numbers[0].release.mean, 20);
}

TEST(Statistics, FewRowsHaveNoneAndPeopleWithSeveralRowsNoQuantiles) {
  BeforeAfter few;
  AddNumbers(few, "age", Role::kQuasi, {1, 2, 3}, {"1", "2", "3"});
  EXPECT_TRUE(MeasureStatistics(few.original, few.release, {}).value().numbers.empty());

  BeforeAfter both;
  std::vector<std::int64_t> values;
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < 40; ++i) values.push_back(i), texts.push_back(std::to_string(i));
  AddNumbers(both, "age", Role::kQuasi, values, texts);
  both.original.num_persons = 20;
  EXPECT_TRUE(MeasureStatistics(both.original, both.release, {}).value().numbers[0].original.quantiles.empty());
}

TEST(Statistics, AColumnThatFewPeopleHaveValuesOfHasNone) {
  BeforeAfter both;
  std::vector<std::int64_t> values;
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < 40; ++i) values.push_back(i), texts.push_back(std::to_string(i));
  AddNumbers(both, "age", Role::kQuasi, values, texts);
  CodesBuilder one_person;  // of all rows that have a value
  CodesBuilder codes;
  const Code missing = *both.original.columns[0].attribute.domain->missing();
  for (Code i = 0; i < 40; ++i) {
    one_person.Add(i < 20 ? 0 : i);
    codes.Add(i < 20 ? i : missing);
  }
  both.original.columns[0].codes = codes.Finish();
  both.original.num_persons = 21;
  EXPECT_EQ(MeasureStatistics(both.original, both.release, {}).value().numbers.size(), 1u);
  both.original.persons = one_person.Finish();
  EXPECT_TRUE(MeasureStatistics(both.original, both.release, {}).value().numbers.empty());
}

TEST(Statistics, TwoWayTables) {
  const std::vector<std::vector<std::string>> paths = {{"a", "*"}, {"b", "*"}};
  const auto tree = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
  const auto domain = std::make_shared<const Domain>(Domain::Categorical(tree, std::nullopt));
  BeforeAfter both;
  both.original.num_rows = both.original.num_persons = both.release.num_rows = 20;
  for (const std::string& name : {std::string("x"), std::string("y")}) {
    CodesBuilder codes;
    std::vector<std::string> texts;
    for (int i = 0; i < 20; ++i) {
      codes.Add(i % 2);
      texts.push_back(name == "x" ? "*" : (i % 2 == 0 ? "a" : "b"));
    }
    both.original.columns.push_back({{name, Role::kQuasi, domain, 1}, codes.Finish(), {}});
    both.release.columns.push_back({{name, Role::kQuasi, domain, 1}, testing::TextColumn(name, texts)});
  }
  const Statistics made = MeasureStatistics(both.original, both.release, {}).value();
  ASSERT_EQ(made.tables.size(), 1u);
  EXPECT_NEAR(made.tables[0].cramers_v.original, 1, 1e-12);
  EXPECT_NEAR(made.tables[0].cramers_v.release, 0, 1e-12);
  EXPECT_NEAR(made.tables[0].distance, 0.5, 1e-12);  // half of each row's mass is in the wrong cell
}

}  // namespace
}  // namespace cordon::engine
