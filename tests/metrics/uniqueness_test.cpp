// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/uniqueness.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cordon/base/random.h"

namespace cordon {
namespace {

Codes CodesOf(const std::vector<Code>& values) {
  CodesBuilder builder;
  for (const Code value : values) builder.Add(value);
  return builder.Finish();
}

// From the definition: every pair of rows is looked at.
Separation Oracle(const std::vector<std::vector<Code>>& columns, const std::vector<std::size_t>& chosen, std::size_t num_rows) {
  const auto key = [&](std::size_t row) {
    std::vector<Code> cells;
    for (const std::size_t column : chosen) cells.push_back(columns[column][row]);
    return cells;
  };
  std::map<std::vector<Code>, std::uint64_t> count;
  std::uint64_t differing = 0;
  for (std::size_t row = 0; row < num_rows; ++row) {
    ++count[key(row)];
    for (std::size_t other = 0; other < row; ++other) differing += key(row) != key(other);
  }
  Separation found{chosen, count.size(), 0, 0, 0};
  for (const auto& [cells, rows] : count) found.unique_rows += rows == 1;
  if (num_rows > 0) found.distinction = static_cast<double>(count.size()) / static_cast<double>(num_rows);
  if (num_rows > 1) {
    found.separation = static_cast<double>(differing) / (static_cast<double>(num_rows) * static_cast<double>(num_rows - 1) / 2);
  }
  return found;
}

void ExpectSame(const Separation& a, const Separation& b) {
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.combinations, b.combinations);
  EXPECT_EQ(a.unique_rows, b.unique_rows);
  EXPECT_NEAR(a.distinction, b.distinction, 1e-12);
  EXPECT_NEAR(a.separation, b.separation, 1e-12);
}

TEST(Uniqueness, OfSixPeopleByHand) {
  // age 20 30 40 20 50 50, sex F F M M F F: the example of Motwani and Xu's kind, small enough to count.
  const Codes age = CodesOf({0, 1, 2, 0, 3, 3});
  const Codes sex = CodesOf({0, 0, 1, 1, 0, 0});
  const std::vector<CodedColumn> columns = {{&age, 4}, {&sex, 2}};
  const std::vector<Separation> all = SeparationOfSubsets(columns, 6, {.max_columns = 2}, {});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].columns, (std::vector<std::size_t>{0, 1}));
  EXPECT_NEAR(all[0].separation, 14.0 / 15, 1e-12);
  EXPECT_NEAR(all[0].distinction, 5.0 / 6, 1e-12);
  EXPECT_EQ(all[0].unique_rows, 4u);
  EXPECT_NEAR(all[1].separation, 13.0 / 15, 1e-12);
  EXPECT_NEAR(all[2].separation, 8.0 / 15, 1e-12);
  EXPECT_NEAR(all[2].distinction, 2.0 / 6, 1e-12);
  ExpectSame(MeasureSeparation(columns, 6, {}), all[0]);
}

TEST(Uniqueness, AgreesWithEveryPairLookedAt) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::size_t rows = random.Below(60);
    const std::size_t width = 1 + random.Below(5);
    std::vector<std::vector<Code>> cells(width);
    std::vector<Codes> codes;
    std::vector<CodedColumn> columns;
    for (auto& column : cells) {
      const std::uint64_t size = 1 + random.Below(seed % 2 == 0 ? 4 : 40000);
      for (std::size_t row = 0; row < rows; ++row) column.push_back(static_cast<Code>(random.Below(size + 1)) - 1);
      codes.push_back(CodesOf(column));
      columns.push_back({nullptr, size});
    }
    for (std::size_t i = 0; i < width; ++i) columns[i].codes = &codes[i];
    std::set<std::vector<std::size_t>> seen;
    double last = 2;
    for (const Separation& found :
         SeparationOfSubsets(columns, rows, {.max_columns = 3}, {.threads = 1 + static_cast<int>(seed % 3)})) {
      ExpectSame(found, Oracle(cells, found.columns, rows));
      EXPECT_TRUE(seen.insert(found.columns).second);
      EXPECT_LE(found.separation, last + 1e-15);
      last = found.separation;
    }
    const std::size_t expected[] = {0, 1, 3, 7, 14, 25};  // subsets of 1 to 3 of so many columns
    EXPECT_EQ(seen.size(), expected[width]);
  }
}

TEST(Uniqueness, TooManySubsetsMakesThemSmaller) {
  const Codes codes = CodesOf({0, 1, 1});
  const std::vector<CodedColumn> columns(30, CodedColumn{&codes, 2});
  EXPECT_EQ(SeparationOfSubsets(columns, 3, {.max_columns = 3, .max_subsets = 1000}, {}).size(), 30u + 435u);
  EXPECT_EQ(SeparationOfSubsets(columns, 3, {.max_columns = 3, .max_subsets = 10}, {}).size(), 30u);
  EXPECT_EQ(SeparationOfSubsets(columns, 3, {.max_columns = 1}, {}).size(), 30u);
  EXPECT_TRUE(SeparationOfSubsets({}, 3, {}, {}).empty());
}

TEST(Uniqueness, NumbersOfRowsFollowFirstAppearance) {
  std::vector<Code> values;
  for (Code i = 0; i < 5000; ++i) values.push_back(i % 1700);
  const Codes codes = CodesOf(values);
  const RowGroups groups = NumberRows(std::vector<CodedColumn>{{&codes, 1700}}, values.size(), {});
  ASSERT_EQ(groups.size(), 1700u);
  for (std::size_t row = 0; row < values.size(); ++row) {
    ASSERT_EQ(groups.of_row[row], static_cast<std::uint32_t>(values[row]));
  }
  EXPECT_EQ(groups.first_row[1699], 1699u);
}

}  // namespace
}  // namespace cordon
