// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/sample_uniques.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

using CodeRows = std::vector<std::vector<Code>>;  // by row

struct Coded {
  std::vector<Codes> codes;
  std::vector<CodedColumn> columns;
};

Coded CodedOf(const CodeRows& rows, std::size_t width) {
  Coded coded;
  coded.codes.reserve(width);
  for (std::size_t column = 0; column < width; ++column) {
    CodesBuilder builder;
    for (const std::vector<Code>& row : rows) builder.Add(row[column]);
    coded.codes.push_back(builder.Finish());
  }
  for (const Codes& codes : coded.codes) coded.columns.push_back({&codes, 16});
  return coded;
}

SampleUniques FindIn(const CodeRows& rows, std::size_t width, const SampleUniqueOptions& options = {}) {
  const Coded coded = CodedOf(rows, width);
  return FindSampleUniques(coded.columns, rows.size(), options, {}).value();
}

// From the definition: every set of columns, every row against all others.
std::vector<std::uint64_t> MinimalSets(const CodeRows& rows, std::size_t row, std::size_t width, std::int64_t below,
                                       std::size_t max_size) {
  const auto is_rare = [&](std::uint64_t set) {
    std::int64_t alike = 0;
    for (const std::vector<Code>& other : rows) {
      bool same = true;
      for (std::size_t i = 0; i < width; ++i) same &= (set >> i & 1) == 0 || other[i] == rows[row][i];
      alike += same ? 1 : 0;
    }
    return alike < below;
  };
  std::vector<std::uint64_t> minimal;
  for (std::uint64_t set = 1; set < (std::uint64_t{1} << width); ++set) {
    if (static_cast<std::size_t>(std::popcount(set)) > max_size || !is_rare(set)) continue;
    bool least = !is_rare(0);
    for (std::uint64_t part = (set - 1) & set; part > 0; part = (part - 1) & set) least &= !is_rare(part);
    if (least) minimal.push_back(set);
  }
  return minimal;
}

TEST(SampleUniques, OfFiveRowsByHand) {
  // Row 0 is alone by column 0; row 3 by columns 0 and 1 together, by neither alone; rows 1 and 2 are twins; row 4 by {0, 1}.
  const CodeRows rows = {{9, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 2, 1}, {2, 2, 1}, {2, 1, 1}};
  const SampleUniques found = FindIn(rows, 3);
  ASSERT_EQ(found.rows.size(), 4u);
  EXPECT_EQ(found.max_size, 3u);
  EXPECT_EQ(found.rows[0].row, 0u);
  EXPECT_EQ(found.rows[0].best, 0b001u);
  EXPECT_EQ(found.rows[0].score, 2);  // (3 - 1) (3 - 2)
  EXPECT_EQ(found.rows[1].row, 3u);
  EXPECT_EQ(found.rows[1].best, 0b011u);
  EXPECT_EQ(found.rows[1].score, 1);
  // Scores 2, 1, 1, 1: all have column 0, three points of five have column 1.
  EXPECT_DOUBLE_EQ(found.contribution[0], 1);
  EXPECT_DOUBLE_EQ(found.contribution[1], 3.0 / 5);
  EXPECT_DOUBLE_EQ(found.contribution[2], 0);
}

TEST(SampleUniques, AreThoseOfTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::size_t width = 1 + random.Below(5);
    const Code values = static_cast<Code>(2 + random.Below(3));
    CodeRows rows(random.Below(30));
    for (std::vector<Code>& row : rows) {
      for (std::size_t i = 0; i < width; ++i) row.push_back(static_cast<Code>(random.Below(values + 1)) - 1);  // kNull too
    }
    const std::int64_t below = static_cast<std::int64_t>(2 + random.Below(3));
    const std::size_t max_size = 1 + random.Below(width);
    double sets = 0;
    double choose = 1;
    for (std::size_t size = 1; size <= max_size; ++size) {
      choose *= static_cast<double>(width - size + 1) / static_cast<double>(size);
      sets += choose;
    }
    const std::uint64_t budget = static_cast<std::uint64_t>(sets) * std::max<std::size_t>(rows.size(), 1);
    const SampleUniques found = FindIn(rows, width, {.below = below, .budget = budget});
    ASSERT_EQ(found.max_size, max_size);
    std::map<RowId, const RiskyRow*> by_row;
    for (const RiskyRow& risky : found.rows) by_row[risky.row] = &risky;
    if (static_cast<std::int64_t>(rows.size()) < below) {
      EXPECT_EQ(by_row.size(), rows.size());  // all of them, by nothing at all
      continue;
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const std::vector<std::uint64_t> sets_of = MinimalSets(rows, row, width, below, max_size);
      const auto it = by_row.find(static_cast<RowId>(row));
      ASSERT_EQ(it != by_row.end(), !sets_of.empty());
      if (sets_of.empty()) continue;
      EXPECT_EQ(it->second->sets, sets_of.size());
      double score = 0;
      for (const std::uint64_t set : sets_of) score += SetScore(static_cast<std::size_t>(std::popcount(set)), width, max_size);
      EXPECT_DOUBLE_EQ(it->second->score, score);
      EXPECT_NE(std::find(sets_of.begin(), sets_of.end(), it->second->best), sets_of.end());
    }
  }
}

TEST(SampleUniques, ATableWithoutRowsHasNone) { EXPECT_TRUE(FindIn({}, 2).rows.empty()); }

TEST(SampleUniques, TheBudgetBoundsTheSets) {
  const CodeRows rows(100, {1, 1, 1, 1});
  EXPECT_EQ(FindIn(rows, 4, {.budget = 1500}).max_size, 4u);
  EXPECT_EQ(FindIn(rows, 4, {.budget = 1499}).max_size, 3u);
  EXPECT_EQ(FindIn(rows, 4, {.budget = 1}).max_size, 1u);  // never less
}

}  // namespace
}  // namespace cordon::engine
