// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/recode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace cordon::engine {
namespace {

// age 20 20 30 40 (quasi), disease f g f h (sensitive)
Microdata Patients() {
  Microdata data;
  data.num_rows = data.num_persons = 4;
  MicrodataColumn age;
  age.attribute = {"age", Role::kQuasi,
                   std::make_shared<const Domain>(Domain::Numeric({.values = {20, 30, 40}, .range_lo = 20, .range_hi = 40})),
                   1};
  const std::vector<Code> ages = {0, 0, 1, 2};
  age.codes = Codes::Generate(4, 1, [&](std::size_t row) { return ages[row]; });
  data.columns.push_back(age);
  MicrodataColumn disease;
  disease.attribute = {"disease", Role::kSensitive, nullptr, 1};
  auto dictionary = std::make_shared<Dictionary>();
  std::vector<Code> diseases;
  for (const char* name : {"f", "g", "f", "h"}) diseases.push_back(dictionary->Intern(name));
  disease.text = {"disease", dictionary, Codes::Generate(4, 1, [&](std::size_t row) { return diseases[row]; })};
  data.columns.push_back(disease);
  return data;
}

std::vector<std::string> Rows(const Release& release) {
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < release.num_rows; ++row) {
    std::string text;
    for (const ReleaseColumn& column : release.columns) text += std::string(column.text.cell(row).bytes()) + "|";
    rows.push_back(text);
  }
  return rows;
}

Groups TwoGroups() {
  Groups groups;
  groups.Add(std::vector<RowId>{3, 2});
  groups.Add(std::vector<RowId>{0, 1});
  return groups;
}

TEST(Recode, EveryRowShowsTheBoxOfItsGroupAndItsOwnOtherCells) {
  const Microdata data = Patients();
  Random random = Random::FromSeed(1);
  const Release release = Recode(View::All(data), TwoGroups(), {.order = RowOrder::kInput}, random, {});
  EXPECT_EQ(Rows(release), (std::vector<std::string>{"20|f|", "20|g|", "[30,40]|f|", "[30,40]|h|"}));
  EXPECT_EQ(release.input_rows, (std::vector<std::uint64_t>{0, 1, 2, 3}));
}

TEST(Recode, ShuffledAndSortedOrdersPublishTheSameRows) {
  const Microdata data = Patients();
  Random random = Random::FromSeed(1);
  const auto expected = Rows(Recode(View::All(data), TwoGroups(), {.order = RowOrder::kInput}, random, {}));
  bool moved = false;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random other = Random::FromSeed(seed);
    const Release shuffled = Recode(View::All(data), TwoGroups(), {.order = RowOrder::kShuffled}, other, {});
    auto rows = Rows(shuffled);
    moved |= rows != expected;
    for (std::size_t row = 0; row < rows.size(); ++row) EXPECT_EQ(rows[row], expected[shuffled.input_rows[row]]);
    std::sort(rows.begin(), rows.end());
    auto sorted = expected;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(rows, sorted);
  }
  EXPECT_TRUE(moved);
  const Release sorted = Recode(View::All(data), TwoGroups(), {.order = RowOrder::kSorted}, random, {});
  EXPECT_EQ(Rows(sorted), (std::vector<std::string>{"20|f|", "20|g|", "[30,40]|f|", "[30,40]|h|"}));
}

TEST(Recode, RandomOrderIsAUniformPermutationForAnyThreads) {
  const Random random = Random::FromSeed(3);
  const std::vector<RowId> order = RandomOrder(200'000, random, 1);
  EXPECT_EQ(order, RandomOrder(200'000, random, 3));
  std::vector<bool> seen(order.size());
  for (const RowId row : order) seen[row] = true;
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 200'000);
  // Of three rows, each of the six orders comes up about as often.
  std::map<std::vector<RowId>, int> counts;
  for (std::uint64_t i = 0; i < 6000; ++i) ++counts[RandomOrder(3, random.Substream("trial", i), 1)];
  EXPECT_EQ(counts.size(), 6u);
  for (const auto& [permutation, count] : counts) EXPECT_NEAR(count, 1000, 150);
  // If rows spread over several buckets, a row is as likely to end in the first half as in the second.
  int first_half = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::vector<RowId> spread = RandomOrder(40'000, random.Substream("spread", i), 2);
    first_half += std::find(spread.begin(), spread.end(), RowId{0}) - spread.begin() < 20'000;
  }
  EXPECT_NEAR(first_half, 100, 35);
  EXPECT_TRUE(RandomOrder(0, random, 2).empty());
}

TEST(Recode, SuppressedRowsAreDroppedOrStarred) {
  const Microdata data = Patients();
  Groups groups;
  groups.Add(std::vector<RowId>{0, 1});
  groups.suppressed = {3, 2};
  Random random = Random::FromSeed(1);
  const Release dropped = Recode(View::All(data), groups, {.order = RowOrder::kInput}, random, {});
  EXPECT_EQ(Rows(dropped), (std::vector<std::string>{"20|f|", "20|g|"}));
  EXPECT_EQ(dropped.suppressed, 2u);
  EXPECT_EQ(dropped.input_size, 4u);
  const Release starred =
      Recode(View::All(data), groups, {.order = RowOrder::kInput, .suppressed = SuppressedRows::kStar}, random, {});
  EXPECT_EQ(Rows(starred), (std::vector<std::string>{"20|f|", "20|g|", "*|f|", "*|h|"}));
}

TEST(Recode, TheGroupColumnTellsGroupsApartAndNothingElse) {
  const Microdata data = Patients();
  Random random = Random::FromSeed(1);
  const Release release = Recode(View::All(data), TwoGroups(), {.order = RowOrder::kInput, .group_column = true}, random, {});
  const ReleaseColumn* group = release.Find("group");
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->text.codes[0], group->text.codes[1]);
  EXPECT_EQ(group->text.codes[2], group->text.codes[3]);
  EXPECT_NE(group->text.codes[0], group->text.codes[2]);
  EXPECT_EQ(group->text.cell(0).bytes().size(), 12u);
}

}  // namespace
}  // namespace cordon::engine
