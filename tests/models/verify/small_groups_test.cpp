// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/small_groups.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

Release OneColumn(const std::vector<std::string>& texts) {
  auto dictionary = std::make_shared<Dictionary>();
  CodesBuilder codes;
  for (const std::string& text : texts) codes.Add(dictionary->Intern(text));
  Release release;
  release.num_rows = texts.size();
  release.columns.push_back({{"age", Role::kQuasi, nullptr, 1}, {"age", dictionary, codes.Finish()}});
  return release;
}

std::vector<std::uint64_t> RowsOf(const std::vector<SmallGroups>& below) {
  std::vector<std::uint64_t> rows;
  for (const SmallGroups& each : below) rows.push_back(each.rows);
  return rows;
}

TEST(SmallGroups, OfOneTwoFourAndFiveRows) {
  const Release release = OneColumn({"1", "2", "2", "4", "4", "4", "4", "5", "5", "5", "5", "5"});
  const std::vector<SmallGroups> below = CountSmallGroups(release, {}, {}).value();
  EXPECT_EQ(RowsOf(below), (std::vector<std::uint64_t>{1, 3, 7}));
  EXPECT_EQ(below[2].groups, 3u);
  EXPECT_EQ(Describe(below), "rows in groups below k = 2: 1, k = 3: 3, k = 5: 7");
}

TEST(SmallGroups, CountPeopleWhereTheyAreKnown) {
  Release release = OneColumn({"1", "1", "1", "2", "2"});
  Codes persons;
  persons.Append({0, 0, 0, 1, 2});
  release.persons = persons;
  EXPECT_EQ(RowsOf(CountSmallGroups(release, {}, {}).value()), (std::vector<std::uint64_t>{3, 5, 5}));
}

TEST(SmallGroups, SuppressedRowsMayBeExempt) {
  const Release release = OneColumn({"*", "1", "1"});
  EXPECT_EQ(RowsOf(CountSmallGroups(release, {}, {}).value()), (std::vector<std::uint64_t>{1, 3, 3}));
  EXPECT_EQ(RowsOf(CountSmallGroups(release, {.exempt_suppressed = true}, {}).value()), (std::vector<std::uint64_t>{0, 2, 2}));
}

TEST(SmallGroups, AreNotCountedInAPermutedRelease) {
  Release release = OneColumn({"1", "2"});
  release.permuted = "pay";
  EXPECT_TRUE(CountSmallGroups(release, {}, {}).value().empty());
}

}  // namespace
}  // namespace cordon::engine
