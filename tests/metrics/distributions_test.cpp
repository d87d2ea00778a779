// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/distributions.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/models/build_microdata.h"

namespace cordon::engine {
namespace {

// `cells` of one quasi column, published as they are.
Distribution Of(const test::DomainPtr& domain, const test::Texts& cells, const test::Texts& published,
                const std::vector<Code>& persons = {}) {
  const Microdata data = test::BuildMicrodata({{"a", Role::kQuasi, domain, cells}}, persons);
  const Release release = test::BuildRelease({{"a", Role::kQuasi, domain, published}});
  return MeasureDistributions(data, release, {}).value().at(0);
}

test::Texts Repeat(const std::vector<std::pair<std::string, int>>& counts) {
  test::Texts cells;
  for (const auto& [text, count] : counts) cells.insert(cells.end(), static_cast<std::size_t>(count), text);
  return cells;
}

TEST(Distributions, NumbersFallIntoRoundIntervalsOfEnoughPeople) {
  const auto cells = Repeat({{"17", 1}, {"23", 40}, {"41", 12}, {"62", 30}, {"97", 2}});
  const Distribution found = Of(test::Numbers(17, 97), cells, cells);
  EXPECT_TRUE(found.ordered);
  double sum = 0;
  for (const DistributionBin& bin : found.bins) {
    EXPECT_TRUE(bin.original == 0 || bin.original * 85 > 9.999) << bin.label;  // nobody is alone in an interval
    EXPECT_NEAR(bin.original, bin.released, 1e-12);
    sum += bin.original;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(found.bins.front().label, "15\u201324");  // 17, the least, has company
  EXPECT_EQ(found.bins.back().label.substr(0, 2), "60");
}

TEST(Distributions, RangesAreSpreadEvenly) {
  const auto cells = Repeat({{"0", 10}, {"1", 10}, {"2", 10}, {"3", 10}});
  const auto published = Repeat({{"[0,1]", 20}, {"[0,3]", 20}});
  const Distribution found = Of(test::Numbers(0, 3), cells, published);
  ASSERT_EQ(found.bins.size(), 4u);
  EXPECT_NEAR(found.bins[0].released, 0.375, 1e-12);
  EXPECT_NEAR(found.bins[3].released, 0.125, 1e-12);
  EXPECT_NEAR(found.bins[3].original, 0.25, 1e-12);
}

TEST(Distributions, RareCategoriesHaveNoName) {
  const auto cells = Repeat({{"oak", 50}, {"elm", 9}, {"yew", 1}, {"fir", 10}});
  const Distribution found = Of(test::Flat({"oak", "elm", "yew", "fir"}), cells, cells);
  ASSERT_EQ(found.bins.size(), 3u);
  EXPECT_EQ(found.bins[0].label, "oak");
  EXPECT_EQ(found.bins[1].label, "fir");
  EXPECT_EQ(found.bins[2].label, "2 other values");
  EXPECT_NEAR(found.bins[2].original, 10.0 / 70, 1e-12);
}

TEST(Distributions, PeopleAreCountedNotRows) {
  const auto cells = Repeat({{"oak", 30}, {"elm", 30}});
  std::vector<Code> persons(60);
  std::iota(persons.begin(), persons.begin() + 30, Code{0});
  std::fill(persons.begin() + 30, persons.end(), 30);  // one person with 30 rows
  const Distribution found = Of(test::Flat({"oak", "elm"}), cells, cells, persons);
  ASSERT_EQ(found.bins.size(), 2u);
  EXPECT_EQ(found.bins[0].label, "oak");
  EXPECT_EQ(found.bins[1].label, "1 other value");
  const auto numbers = Repeat({{"1", 30}, {"2", 30}});
  EXPECT_EQ(Of(test::Numbers(1, 2), numbers, numbers, persons).bins.size(), 1u);
}

TEST(Distributions, ManyValuesAreShownByAHigherLevel) {
  std::vector<test::Texts> paths;
  std::vector<std::pair<std::string, int>> counts;
  for (int i = 0; i < 40; ++i) {
    paths.push_back({std::to_string(i), i < 20 ? "low" : "high", "*"});
    counts.emplace_back(std::to_string(i), 3);
  }
  const Distribution found = Of(test::Tree(paths), Repeat(counts), Repeat(counts));
  ASSERT_EQ(found.bins.size(), 2u);
  EXPECT_EQ(found.bins[0].label, "low");
  EXPECT_NEAR(found.bins[1].original, 0.5, 1e-12);
}

TEST(Distributions, MissingCellsAreABinOfTheirOwn) {
  const auto cells = Repeat({{"1", 36}, {"?", 12}});
  const Distribution found = Of(test::Numbers(1, 1, "?"), cells, cells);
  ASSERT_EQ(found.bins.size(), 2u);
  EXPECT_EQ(found.bins[1].label, "missing");
  EXPECT_NEAR(found.bins[1].original, 0.25, 1e-12);
}

TEST(Distributions, MissingCellsOfFewPeopleAreNotShown) {
  const auto cells = Repeat({{"1", 12}, {"?", 4}});
  const Distribution found = Of(test::Numbers(1, 1, "?"), cells, cells);
  EXPECT_EQ(found.bins.size(), 1u);
}

TEST(Distributions, DatesFallIntoMonthsOrYears) {
  Domain::NumericSpec spec;
  spec.kind = Domain::Kind::kDate;
  for (std::int64_t day = 19000; day < 19100; ++day) spec.values.push_back(day);
  spec.range_lo = 19000;
  spec.range_hi = 19099;
  const auto domain = std::make_shared<const Domain>(Domain::Numeric(spec));
  test::Texts cells;
  for (std::int64_t day = 19000; day < 19100; ++day) cells.push_back(domain->FormatValue(day));
  const Distribution found = Of(domain, cells, cells);
  ASSERT_EQ(found.bins.size(), 4u);  // 2022-01-08 to 2022-04-17
  EXPECT_EQ(found.bins[0].label, "2022-01");
  EXPECT_EQ(found.bins[3].label, "2022-04");
}

TEST(Distributions, WideNumbersDoNotOverflow) {
  Domain::NumericSpec spec;
  spec.values = {-900'000'000'000'000'000, 0, 900'000'000'000'000'000};
  spec.range_lo = spec.values.front();
  spec.range_hi = spec.values.back();
  const auto domain = std::make_shared<const Domain>(Domain::Numeric(spec));
  const auto cells = Repeat({{"-900000000000000000", 20}, {"0", 20}, {"900000000000000000", 20}});
  const Distribution found = Of(domain, cells, cells);
  EXPECT_GE(found.bins.size(), 2u);
}

}  // namespace
}  // namespace cordon::engine
