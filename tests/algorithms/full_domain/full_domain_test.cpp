// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/full_domain/full_domain.h"

#include <gtest/gtest.h>

#include "cordon/algorithms/full_domain/lattice_levels.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::K;
using testing::Numbers;
using testing::SmallTable;

std::vector<std::string> Shown(const Attribute& attribute, std::size_t level) {
  const std::vector<Level> levels = LevelsOf(attribute).value();
  std::vector<std::string> texts;
  for (const Code bin : levels.at(level).bin_of) texts.push_back(attribute.domain->Publish(levels[level].shown[bin]));
  return texts;
}

Attribute Quasi(std::shared_ptr<const Domain> domain) { return {"q", Role::kQuasi, std::move(domain), 1}; }

TEST(LatticeLevels, CategoriesFollowTheirHierarchy) {
  const Attribute attribute = Quasi(Categories(4, 2, true));
  EXPECT_EQ(Shown(attribute, 0), (std::vector<std::string>{"0", "1", "2", "3", "?"}));
  EXPECT_EQ(Shown(attribute, 1), (std::vector<std::string>{"n0", "n0", "n1", "n1", "?"}));
  EXPECT_EQ(Shown(attribute, 2), (std::vector<std::string>{"*", "*", "*", "*", "*"}));
}

TEST(LatticeLevels, NumbersWithoutLabelsFallIntoRunsOfTheRange) {
  // Range 0..31: runs of 31/16 + 1 = 2, then 4, 8, 16.
  const Attribute attribute = Quasi(Numbers(32, true));
  const std::vector<Level> levels = LevelsOf(attribute).value();
  ASSERT_EQ(levels.size(), 6U);
  EXPECT_EQ(Shown(attribute, 1)[3], "[2,3]");
  EXPECT_EQ(Shown(attribute, 2)[3], "[0,3]");
  EXPECT_EQ(Shown(attribute, 4)[31], "[16,31]");
  EXPECT_EQ(Shown(attribute, 4)[32], "?");
  EXPECT_EQ(Shown(attribute, 5)[32], "*");
  EXPECT_DOUBLE_EQ(levels[1].loss[0], 1.0 / 31);
}

TEST(LatticeLevels, GridCellsArePaired) {
  Domain::NumericSpec spec;
  for (std::int64_t value = 0; value < 100; value += 10) spec.values.push_back(value);
  spec.cell = 10;
  spec.range_hi = 100;
  const Attribute attribute = Quasi(std::make_shared<const Domain>(Domain::Numeric(std::move(spec))));
  EXPECT_EQ(Shown(attribute, 0)[9], "[90,100)");
  EXPECT_EQ(Shown(attribute, 1)[9], "[80,100)");
  EXPECT_EQ(Shown(attribute, 3)[9], "[80,100)");  // clipped at the end of the range
  EXPECT_EQ(Shown(attribute, 3)[0], "[0,80)");
}

std::shared_ptr<const Domain> Labelled(const std::vector<std::vector<std::string>>& paths, std::vector<std::int64_t> values) {
  Domain::NumericSpec spec;
  spec.values = std::move(values);
  spec.range_hi = 100;
  spec.labels = std::make_shared<const Hierarchy>(Hierarchy::FromPaths(paths).value());
  return std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
}

TEST(LatticeLevels, LabelsOfNumbersAreReadAsIntervals) {
  const std::vector<std::vector<std::string>> paths = {
      {"1", "young", "*"}, {"2", "young", "*"}, {"3", "old", "*"}, {"9", "old", "*"}};
  const Attribute attribute = Quasi(Labelled(paths, {1, 2, 5}));  // 5 is not a leaf, yet inside "old"
  EXPECT_EQ(Shown(attribute, 1), (std::vector<std::string>{"[1,2]", "[1,2]", "[3,9]"}));
  EXPECT_EQ(Shown(attribute, 2), (std::vector<std::string>{"*", "*", "*"}));

  const auto refused = LevelsOf(Quasi(Labelled(paths, {1, 50})));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(), "column q: level 1 of its hierarchy has no label for some value of the data");
}

TEST(FullDomain, TakesTheLevelsThatLoseLeast) {
  // Pairs share a node in "place" and nothing else; two rows a group are reached by level 1 of place and * in age.
  SmallTable table(4);
  table.Add("place", Role::kQuasi, Categories(4, 2), {0, 1, 2, 3}).Add("age", Role::kQuasi, Numbers(2), {0, 1, 0, 1});
  const auto found = FullDomain(View::All(table.data), std::vector{K(2)}, {}, {}, {}).value();
  EXPECT_EQ(found.levels, (std::vector<int>{2, 0}));  // place * and age exact: 1 + 0 < 1/3 + 1
  EXPECT_EQ(found.groups.size(), 2U);
  EXPECT_DOUBLE_EQ(found.loss, 0.5);
  EXPECT_EQ(Describe(found, table.data),
            "levels place 2, age 0; the best of 6 choices (" + std::to_string(found.checked) + " looked at)");
}

TEST(FullDomain, WeightsSteerTheChoice) {
  SmallTable table(4);
  table.Add("place", Role::kQuasi, Categories(4, 2), {0, 1, 2, 3}).Add("age", Role::kQuasi, Numbers(2), {0, 1, 0, 1});
  table.data.columns[0].attribute.weight = 3;
  const auto found = FullDomain(View::All(table.data), std::vector{K(2)}, {}, {}, {}).value();
  EXPECT_EQ(found.levels, (std::vector<int>{1, 1}));  // 3/3 + 1 < 3 + 0
}

TEST(FullDomain, SuppressesAnOutlierWhereItMay) {
  SmallTable table(5);
  table.Add("age", Role::kQuasi, Numbers(100), {10, 10, 20, 20, 99});
  FullDomainOptions options{.max_suppressed = 1};
  const auto drop = FullDomain(View::All(table.data), std::vector{K(2)}, {}, options, {}).value();
  EXPECT_EQ(drop.groups.suppressed, std::vector<RowId>{4});
  EXPECT_EQ(drop.groups.size(), 2U);
  EXPECT_DOUBLE_EQ(drop.loss, 0.2);
  // A starred row alone would be a group of one: two more rows would have to go with it.
  options.suppressed = SuppressedRows::kStar;
  EXPECT_TRUE(FullDomain(View::All(table.data), std::vector{K(2)}, {}, options, {}).value().groups.suppressed.empty());
  options.max_suppressed = 3;
  EXPECT_EQ(FullDomain(View::All(table.data), std::vector{K(2)}, {}, options, {}).value().groups.suppressed.size(), 3U);
}

TEST(FullDomain, TemplatesAreJudgedOnTheirOwnColumns) {
  // Alone every column is fine; together every row is unique.
  SmallTable table(4);
  table.Add("a", Role::kQuasi, Categories(2, 1), {0, 0, 1, 1}).Add("b", Role::kQuasi, Categories(2, 1), {0, 1, 0, 1});
  const std::vector<ModelSpec> templates = {KAnonymitySpec{2, {"a"}}, KAnonymitySpec{2, {"b"}}};
  EXPECT_EQ(FullDomain(View::All(table.data), templates, {}, {}, {}).value().loss, 0);
  EXPECT_EQ(FullDomain(View::All(table.data), std::vector{K(2)}, {}, {}, {}).value().loss, 0.5);
}

TEST(FullDomain, NothingSatisfies) {
  SmallTable table(3);
  table.Add("age", Role::kQuasi, Numbers(3), {0, 1, 2});
  const auto none = FullDomain(View::All(table.data), std::vector{K(4)}, {}, {.max_suppressed = 3}, {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind(), ErrorKind::kUnsatisfiable);
}

// Beta with suppression bounds nothing: to the end, all nodes that lose less than the best are looked at.
TEST(FullDomain, ASearchBesideOthersEndsWhenItsWorkIsDone) {
  SmallTable table(12);
  std::vector<std::size_t> sensitive = {4};
  for (const char* name : {"a", "b", "c", "d"}) {
    std::vector<Code> codes;
    for (Code row = 0; row < 12; ++row) codes.push_back((row * (7 + static_cast<Code>(name[0]))) % 31);
    table.Add(name, Role::kQuasi, Numbers(32), codes);
  }
  table.Add("s", Role::kSensitive, Categories(4, 1), {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
  const std::vector<ModelSpec> models = {BetaLikenessSpec{"s", Rational(1, 10), BetaLikenessSpec::Kind::kBasic, {}, {}}};
  FullDomainOptions options{.max_suppressed = 12};
  const auto to_the_end = FullDomain(View::All(table.data), models, sensitive, options, {}).value();
  EXPECT_TRUE(to_the_end.optimal);
  EXPECT_GT(to_the_end.checked, 500U);
  options.exact_work = 100 * (12 + FullDomainOptions::kLookCost);
  const auto cut = FullDomain(View::All(table.data), models, sensitive, options, {}).value();
  EXPECT_FALSE(cut.optimal);
  EXPECT_LE(cut.checked, 110U);
  EXPECT_GE(cut.loss, to_the_end.loss);
  options.exact_work = std::uint64_t{1} << 40;
  EXPECT_EQ(FullDomain(View::All(table.data), models, sensitive, options, {}).value().checked, to_the_end.checked);
}

}  // namespace
}  // namespace cordon::engine
