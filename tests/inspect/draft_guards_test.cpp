// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/draft_guards.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cordon/base/random.h"
#include "cordon/bind/bind.h"
#include "cordon/data/view.h"
#include "cordon/inspect/draft_policy.h"
#include "cordon/inspect/unknown_codes.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/plan/suggest_suppression.h"
#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"
#include "tests/scratch_folder.h"

namespace cordon::engine {
namespace {

Draft DraftOf(const Table& table) {
  return DraftPolicy(table, ProfileTable(table, {}), {.text = {}, .k = 2, .hierarchies = "", .policy_folder = ""}, {}).value();
}

// People with one row or with very many, and sensitive columns of every shape.
Table Stays(std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  const std::uint64_t people = 20 + random.Below(60);
  const std::uint64_t heavy = random.Below(3) * 100;  // rows of the first person
  const std::uint64_t dominating = random.Below(3);
  std::vector<NamedCells> columns = {{"patient", {}}, {"age", {}}, {"disease", {}}, {"result", {}}, {"cost", {}}};
  for (std::uint64_t i = 0; i < 3 * people + heavy; ++i) {
    const std::uint64_t person = i < heavy ? 0 : random.Below(people);
    columns[0].second.push_back("p" + std::to_string(person));
    columns[1].second.push_back(std::to_string(20 + person % 40));
    columns[2].second.push_back("d" + std::to_string(random.Below(6)));
    columns[3].second.push_back(random.Below(10) < 5 + 2 * dominating ? "neg" : "pos");
    columns[4].second.push_back(random.Below(20) == 0 ? "" : std::to_string(person == 0 ? 9000 + i : random.Below(5000)));
  }
  return TableOf(columns);
}

// The table as one group is the most that any search can fall back to.
TEST(DraftGuards, TheWholeTableSatisfiesTheDraft) {
  std::size_t by_person = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Table table = Stays(seed);
    const Draft draft = DraftOf(table);
    const cordon::test::ScratchFolder folder;
    for (const auto& [name, text] : draft.hierarchies) std::ofstream(folder.path() / name) << text;
    std::ofstream(folder.path() / "draft.toml") << draft.policy;
    const auto policy = ReadPolicy((folder.path() / "draft.toml").string());
    ASSERT_TRUE(policy.ok()) << policy.error().message() << "\n" << draft.policy;
    const auto bound = Bind(policy.value(), table, {});
    ASSERT_TRUE(bound.ok()) << bound.error().message();
    const View view = View::All(bound.value());
    const auto verdicts = Verifier(policy.value().models).Judge(AsOneGroup(view, {}), {});
    ASSERT_TRUE(verdicts.ok()) << verdicts.error().message();
    for (const Verdict& verdict : verdicts.value()) {
      EXPECT_TRUE(verdict.holds) << Explain(verdict) << "\n" << draft.policy;
      by_person += CountsPersons(verdict.spec) ? 1 : 0;
    }
  }
  EXPECT_GT(by_person, 150);  // three columns each
}

TEST(DraftGuards, RowsAreCountedIfEverybodyHasOne) {
  std::vector<NamedCells> columns = {{"patient", {}}, {"age", {}}, {"disease", {}}};
  for (int i = 0; i < 60; ++i) {
    columns[0].second.push_back("p" + std::to_string(i));
    columns[1].second.push_back(std::to_string(20 + i % 30));
    columns[2].second.push_back("d" + std::to_string(i % 4));
  }
  const Draft draft = DraftOf(TableOf(columns));
  EXPECT_FALSE(draft.counts_persons);
  EXPECT_EQ(draft.policy.find("counts"), std::string::npos);
}

// An income of few values and a disease: neither is unique alone, and together they are, until the income is rounded.
TEST(DraftGuards, SensitiveColumnsAreRoundedTogether) {
  std::vector<NamedCells> columns = {{"age", {}}, {"disease", {}}, {"income", {}}};
  Random random = Random::FromSeed(1);
  for (int i = 0; i < 600; ++i) {
    columns[0].second.push_back(std::to_string(20 + i % 30));
    columns[1].second.push_back("d" + std::to_string(random.Below(8)));
    columns[2].second.push_back(std::to_string(1000 + random.Below(400)));
  }
  const Table table = TableOf(columns);
  const Profile profile = ProfileTable(table, {});
  const SensitiveRounding rounding = RoundSensitive(table, profile, {});
  EXPECT_FALSE(SinglesOutMany(profile.columns[2].unique_rows, profile.rows) && rounding.columns.empty());
  ASSERT_TRUE(rounding.columns.contains(2));
  EXPECT_LT(rounding.unique_rows * 5, profile.rows);
}

std::vector<std::int64_t> CodesIn(const std::vector<std::pair<std::int64_t, int>>& values) {
  std::vector<std::string> cells;
  for (const auto& [value, rows] : values) cells.insert(cells.end(), static_cast<std::size_t>(rows), std::to_string(value));
  const Table table = TableOf({{"n", cells}});
  std::vector<std::int64_t> codes;
  for (const auto& [code, rows] : CodesForUnknown(table.columns[0], {""})) codes.push_back(code);
  return codes;
}

TEST(CodesForUnknown, StandOut) {
  using Values = std::vector<std::pair<std::int64_t, int>>;
  Values ages;
  for (std::int64_t age = 0; age < 98; ++age) ages.emplace_back(age, age < 80 ? 20 : 3);
  EXPECT_EQ(CodesIn(ages), (std::vector<std::int64_t>{}));
  ages.emplace_back(99, 2);  // people of 99
  EXPECT_EQ(CodesIn(ages), (std::vector<std::int64_t>{}));
  ages.back().second = 60;
  EXPECT_EQ(CodesIn(ages), (std::vector<std::int64_t>{99}));
  ages.back() = {999, 2};  // far from the rest
  EXPECT_EQ(CodesIn(ages), (std::vector<std::int64_t>{999}));
  EXPECT_EQ(CodesIn({{0, 500}, {1, 10}, {2, 11}, {3, 9}, {4, 10}, {99, 30}}), (std::vector<std::int64_t>{0, 99}));
  EXPECT_EQ(CodesIn({{0, 500}, {1, 10}, {2, 11}, {3, 9}, {4, 10}}), (std::vector<std::int64_t>{}));  // a count
  EXPECT_EQ(CodesIn({{-9, 4}, {-1, 3}, {0, 50}, {1, 40}, {2, 30}}), (std::vector<std::int64_t>{-9, -1}));
  EXPECT_EQ(CodesIn({{7, 5}, {8, 5}, {9, 5}, {10, 5}}), (std::vector<std::int64_t>{}));
  EXPECT_EQ(CodesIn({{8, 5}, {9, 5}}), (std::vector<std::int64_t>{}));
}

TEST(Placeholders, HaveTheRowsOfMany) {
  std::vector<std::string> cells;
  for (int i = 0; i < 300; ++i) cells.push_back(std::to_string(100000123 + i % 100 * 7919));
  EXPECT_TRUE(Placeholders(TableOf({{"insured", cells}}).columns[0], {""}).empty());
  cells.insert(cells.end(), 3, "222222222");  // as many as others
  cells.insert(cells.end(), 30, "111");       // may be somebody's number, which a draft does not show
  EXPECT_TRUE(Placeholders(TableOf({{"insured", cells}}).columns[0], {""}).empty());
  const std::vector<std::string> placeholders = {"000000000", "999999999", "999999998", "0", "000-00-0000", "Unknown", "-"};
  for (const std::string& placeholder : placeholders) cells.insert(cells.end(), 30, placeholder);
  const auto found = Placeholders(TableOf({{"insured", cells}}).columns[0], {""});
  EXPECT_EQ(found.size(), placeholders.size());
  EXPECT_EQ(Placeholders(TableOf({{"insured", cells}}).columns[0], {"", "-", "Unknown"}).size(), placeholders.size() - 2);
}

}  // namespace
}  // namespace cordon::engine
