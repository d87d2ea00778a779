// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/check_against_original.h"

#include <gtest/gtest.h>

#include "cordon/data/recode.h"
#include "tests/models/random_cases.h"

namespace cordon::engine::test {
namespace {

std::vector<TestColumn> Patients() {
  return {{"age", Role::kQuasi, Numbers(20, 49, "?"), {"21", "25", "31", "39", "?"}},
          {"job",
           Role::kQuasi,
           Tree({{"nurse", "care", "*"}, {"doctor", "care", "*"}, {"cook", "food", "*"}}),
           {"nurse", "doctor", "cook", "cook", "nurse"}},
          {"disease", Role::kSensitive, Flat({"flu", "cold"}), {"flu", "cold", "flu", "flu", "cold"}},
          {"note", Role::kInsensitive, nullptr, {"a", "b", "c", "d", "e"}}};
}

std::vector<TestColumn> Published() {
  return {{"age", Role::kQuasi, Numbers(20, 49, "?"), {"[20,30)", "[21,25]", "[31,39]", "[31,39]", "*"}},
          {"job",
           Role::kQuasi,
           Tree({{"nurse", "care", "*"}, {"doctor", "care", "*"}, {"cook", "food", "*"}}),
           {"care", "care", "food", "cook", "*"}},
          {"disease", Role::kSensitive, Flat({"flu", "cold"}), {"flu", "cold", "flu", "flu", "cold"}},
          {"note", Role::kInsensitive, nullptr, {"a", "b", "c", "d", "e"}}};
}

const std::vector<RowId> kSameOrder = {0, 1, 2, 3, 4};

Truth Check(const std::vector<TestColumn>& published, bool mapped = true) {
  const Release release = BuildRelease(published);
  const Microdata original = BuildMicrodata(Patients());
  std::optional<std::span<const RowId>> rows;
  if (mapped) rows = std::span(kSameOrder).first(release.num_rows);
  return CheckAgainstOriginal(release, original, rows, cordon::engine::Run{}).value();
}

TEST(Truth, HoldsWhereEveryCellCoversTheTrueValue) {
  EXPECT_EQ(Check(Published()).Explain(), "truth: holds");
  EXPECT_EQ(Check(Published(), false).Explain(), "truth: passed every check that is possible without a row map");
}

TEST(Truth, NamesTheFirstWrongCellWithoutShowingIt) {
  const auto explain = [](std::size_t column, std::size_t row, const std::string& cell, bool mapped = true) {
    std::vector<TestColumn> published = Published();
    published[column].cells[row] = cell;
    return Check(published, mapped).Explain();
  };
  EXPECT_EQ(explain(0, 1, "[26,30]"), "truth: does not hold: row 2, column 'age': the cell does not cover the true value");
  EXPECT_EQ(explain(0, 4, "[20,49]"),
            "truth: does not hold: row 5, column 'age': the cell does not cover the true value");  // missing
  EXPECT_EQ(explain(0, 0, "[22,21]"),
            "truth: does not hold: row 1, column 'age': the cell cannot be read on the column's domain");
  EXPECT_EQ(explain(1, 3, "care"), "truth: does not hold: row 4, column 'job': the cell does not cover the true value");
  EXPECT_EQ(explain(2, 2, "cold"), "truth: does not hold: row 3, column 'disease': the cell differs from the original");
  EXPECT_EQ(explain(3, 4, "z"), "truth: does not hold: row 5, column 'note': the cell differs from the original");
  // Without a mapping a wrong cell is found only if no row could have it.
  EXPECT_EQ(explain(0, 1, "[26,30]", false),
            "truth: does not hold: row 2, column 'age': the cell covers no value that occurs in the "
            "original");
  EXPECT_EQ(explain(0, 1, "[20,49]", false), "truth: passed every check that is possible without a row map");
  EXPECT_EQ(explain(2, 4, "flu", false),
            "truth: does not hold: row 5, column 'disease': the cell occurs more often than in the "
            "original");
}

TEST(Truth, TheFirstWrongRowWinsOverTheFirstColumn) {
  std::vector<TestColumn> published = Published();
  published[0].cells[3] = "20";
  published[3].cells[1] = "z";
  const Truth truth = Check(published);
  EXPECT_EQ(truth.bad_row, 2u);
  EXPECT_EQ(truth.bad_column, "note");
}

TEST(Truth, MoreRowsThanTheOriginalIsWrong) {
  std::vector<TestColumn> published = Published();
  for (TestColumn& column : published) column.cells.push_back(column.cells[0]);
  EXPECT_EQ(Check(published, false).Explain(), "truth: does not hold: the release has 6 rows, the original has 5");
}

TEST(Truth, AMappingMustFit) {
  const Release release = BuildRelease(Published());
  const Microdata original = BuildMicrodata(Patients());
  const auto check = [&](std::vector<RowId> rows) {
    return CheckAgainstOriginal(release, original, std::span<const RowId>(rows), cordon::engine::Run{});
  };
  EXPECT_EQ(check({0, 1}).error().message(), "the row map has 2 rows, the release has 5");
  EXPECT_EQ(check({0, 1, 2, 3, 9}).error().message(), "row 5 of the row map points to row 10, the original has 5");
  EXPECT_EQ(check({0, 1, 2, 2, 4}).error().message(), "row 4 of the row map points to a row that is used already");
}

TEST(Truth, AColumnTheOriginalLacksIsAnError) {
  std::vector<TestColumn> published = Published();
  published[3].name = "remark";
  const auto truth =
      CheckAgainstOriginal(BuildRelease(published), BuildMicrodata(Patients()), std::nullopt, cordon::engine::Run{});
  ASSERT_FALSE(truth.ok());
  EXPECT_EQ(truth.error().message(), "the original has no column 'remark'");
}

TEST(TruthProperty, WhatRecodePublishesIsTrue) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, static_cast<SensitiveKind>(seed % 3), false);
    Random random = Random::FromSeed(seed);
    const Release release =
        Recode(View::All(table.data), table.groups, {.group_column = seed % 2 == 0}, random, cordon::engine::Run{});
    std::vector<RowId> rows(release.input_rows.begin(), release.input_rows.end());
    EXPECT_TRUE(CheckAgainstOriginal(release, table.data, std::span<const RowId>(rows), cordon::engine::Run{}).value().holds);
    EXPECT_TRUE(CheckAgainstOriginal(release, table.data, std::nullopt, cordon::engine::Run{.threads = 2}).value().holds);
  }
}

}  // namespace
}  // namespace cordon::engine::test
