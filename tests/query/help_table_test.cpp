// SPDX-License-Identifier: Apache-2.0
#include "cordon/query/help_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

using Values = std::vector<std::int64_t>;

// The report's salaries in thousands: nine rows, three groups.
const Values kSalaries = {14, 15, 16, 25, 35, 30, 40, 35, 45};
const Values kGroups = {1, 1, 1, 2, 2, 2, 3, 3, 3};

TEST(HelpTable, Table29) {
  const HelpTable help = MakeHelpTables(kGroups, kSalaries).value().help;
  EXPECT_EQ(help.group, kGroups);
  EXPECT_EQ(help.hits, (Values{1, 2, 3, 1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(help.sum_lo, (Values{14, 29, 45, 25, 55, 90, 35, 75, 120}));
  EXPECT_EQ(help.sum_hi, (Values{16, 31, 45, 35, 65, 90, 45, 85, 120}));
  EXPECT_EQ(help.min_lo, (Values{14, 14, 14, 25, 25, 25, 35, 35, 35}));
  EXPECT_EQ(help.min_hi, (Values{16, 15, 14, 35, 30, 25, 45, 40, 35}));
  EXPECT_EQ(help.max_lo, (Values{14, 15, 16, 25, 30, 35, 35, 40, 45}));
  EXPECT_EQ(help.max_hi, (Values{16, 16, 16, 35, 35, 35, 45, 45, 45}));
}

TEST(HelpTable, AnswersOfTheReportsQueries) {
  const HelpTables tables = MakeHelpTables(kGroups, kSalaries).value();
  const auto ask = [&](std::array<std::int64_t, 3> rows) {
    std::vector<Hits> hits;
    for (std::size_t g = 0; g < 3; ++g) {
      if (rows[g] > 0) hits.push_back({g, rows[g]});
    }
    return Combine(tables, hits).value();
  };
  const Bounds age = ask({1, 3, 0});  // age 40 to 48
  EXPECT_TRUE(age.count == 4 && age.sum_lo == 104 && age.sum_hi == 106);
  EXPECT_TRUE(age.min_lo == 14 && age.min_hi == 16 && age.max_lo == 35 && age.max_hi == 35);
  EXPECT_DOUBLE_EQ(age.estimate, 105);
  const Bounds women = ask({0, 2, 1});
  EXPECT_TRUE(women.sum_lo == 90 && women.sum_hi == 110 && women.max_lo == 35 && women.max_hi == 45);
  EXPECT_TRUE(women.min_lo == 25 && women.min_hi == 30);  // the report has 35 for the upper one
  EXPECT_DOUBLE_EQ(women.estimate, 100);
  const Bounds men = ask({3, 1, 2});
  EXPECT_TRUE(men.sum_lo == 145 && men.sum_hi == 165 && men.min_lo == 14 && men.min_hi == 14);
  EXPECT_TRUE(men.max_lo == 40 && men.max_hi == 45);
  const Bounds old = ask({0, 0, 3});
  EXPECT_TRUE(old.sum_lo == 120 && old.sum_hi == 120);
  const Bounds postcode = ask({0, 1, 1});
  EXPECT_TRUE(postcode.sum_lo == 60 && postcode.sum_hi == 80 && postcode.min_lo == 25 && postcode.min_hi == 35);
  EXPECT_TRUE(postcode.max_lo == 35 && postcode.max_hi == 45);
  EXPECT_FALSE(Combine(tables, {}).has_value());
}

// Over all shuffles of all groups the bounds are reached, and never passed; the estimate is the mean.
TEST(HelpTable, BoundsAreTightOverAllShuffles) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::size_t first = 1 + random.Below(4);
    const std::size_t second = 1 + random.Below(4);
    Values groups;
    Values values;
    std::vector<bool> hit;
    for (std::size_t row = 0; row < first + second; ++row) {
      groups.push_back(row < first ? 5 : 9);
      values.push_back(static_cast<std::int64_t>(random.Below(20)) - 10);
      hit.push_back(random.Below(2) == 0);
    }
    const HelpTables tables = MakeHelpTables(groups, values).value();
    std::vector<Hits> hits;
    for (std::size_t g = 0; g < 2; ++g) {
      const std::int64_t rows = std::count(hit.begin() + (g == 0 ? 0 : static_cast<std::ptrdiff_t>(first)),
                                           g == 0 ? hit.begin() + static_cast<std::ptrdiff_t>(first) : hit.end(), true);
      if (rows > 0) hits.push_back({g, rows});
    }
    const auto bounds = Combine(tables, hits);
    ASSERT_EQ(bounds.has_value(), !hits.empty());
    if (!bounds) continue;
    std::int64_t sum_lo = 1000, sum_hi = -1000, min_lo = 1000, min_hi = -1000, max_lo = 1000, max_hi = -1000;
    double total = 0;
    double shuffles = 0;
    Values left(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first));
    Values right(values.begin() + static_cast<std::ptrdiff_t>(first), values.end());
    std::vector<std::size_t> a(first), b(second);
    for (std::size_t i = 0; i < first; ++i) a[i] = i;
    do {
      for (std::size_t i = 0; i < second; ++i) b[i] = i;
      do {
        std::int64_t sum = 0, min = 1000, max = -1000;
        for (std::size_t row = 0; row < hit.size(); ++row) {
          if (!hit[row]) continue;
          const std::int64_t value = row < first ? left[a[row]] : right[b[row - first]];
          sum += value;
          min = std::min(min, value);
          max = std::max(max, value);
        }
        sum_lo = std::min(sum_lo, sum), sum_hi = std::max(sum_hi, sum);
        min_lo = std::min(min_lo, min), min_hi = std::max(min_hi, min);
        max_lo = std::min(max_lo, max), max_hi = std::max(max_hi, max);
        total += static_cast<double>(sum);
        shuffles += 1;
      } while (std::next_permutation(b.begin(), b.end()));
    } while (std::next_permutation(a.begin(), a.end()));
    EXPECT_TRUE(bounds->sum_lo == sum_lo && bounds->sum_hi == sum_hi);
    EXPECT_EQ(bounds->min_lo, min_lo);
    EXPECT_EQ(bounds->min_hi, min_hi);
    EXPECT_EQ(bounds->max_lo, max_lo);
    EXPECT_EQ(bounds->max_hi, max_hi);
    EXPECT_NEAR(bounds->estimate, total / shuffles, 1e-9);
  }
}

TEST(HelpTable, SumsBeyondEighteenDigitsAreRefused) {
  const std::int64_t large = 900'000'000'000'000'000;
  EXPECT_FALSE(MakeHelpTables(Values{1, 1}, Values{large, large}).ok());
  EXPECT_TRUE(MakeHelpTables(Values{1, 2}, Values{large, large}).ok());
}

}  // namespace
}  // namespace cordon::engine
