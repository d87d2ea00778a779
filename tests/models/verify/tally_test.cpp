// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/tally.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cordon/models/verify/group_table_internal.h"
#include "tests/models/random_cases.h"

namespace cordon::engine::test {
namespace {

// Rows with a few quasi columns, a sensitive column and persons; many columns make keys of several words.
Release RandomRelease(std::uint64_t seed, std::size_t num_rows, std::size_t num_quasi) {
  Random random = Random::FromSeed(seed);
  std::vector<TestColumn> columns(num_quasi + 1);
  for (std::size_t i = 0; i <= num_quasi; ++i)
    columns[i] = {"c" + std::to_string(i), i < num_quasi ? Role::kQuasi : Role::kSensitive, nullptr, {}};
  std::vector<Code> persons;
  const std::uint64_t kinds = 1 + random.Below(60);
  for (std::size_t row = 0; row < num_rows; ++row) {
    const std::uint64_t kind = random.Below(kinds);
    for (std::size_t i = 0; i < num_quasi; ++i) {
      columns[i].cells.push_back(kind == 0 ? "*" : std::to_string((kind * (i + 3)) % (i + 2) + (kind >> i) * 100));
    }
    columns[num_quasi].cells.push_back(std::to_string(random.Below(7)));
    persons.push_back(static_cast<Code>(random.Below(num_rows)));
  }
  return BuildRelease(columns, persons);
}

struct Group {
  std::uint64_t rows = 0;
  std::map<Code, std::uint32_t> values;
  std::map<Code, std::uint32_t> persons;
  friend bool operator==(const Group&, const Group&) = default;
};
using Listing = std::map<std::uint64_t, Group>;  // by first row

Listing List(const Tally& tally) {
  Listing listing;
  for (std::size_t group = 0; group < tally.num_groups(); ++group) {
    Group each{tally.rows(group), {}, {}};
    for (const Tally::Entry& entry : tally.histogram(0, group)) each.values[entry.value] = entry.count;
    for (const Tally::Entry& entry : tally.histogram(1, group)) each.persons[entry.value] = entry.count;
    EXPECT_EQ(each.values.size(), tally.histogram(0, group).size());
    if (group > 0) {
      EXPECT_LT(tally.first_row(group - 1), tally.first_row(group));
    }
    listing[tally.first_row(group)] = std::move(each);
  }
  return listing;
}

// From the definition, by the texts themselves.
Listing Recount(const Release& release, std::size_t num_quasi, bool exempt) {
  std::map<std::vector<std::string>, std::uint64_t> first;
  Listing listing;
  for (std::size_t row = 0; row < release.num_rows; ++row) {
    std::vector<std::string> key;
    for (std::size_t i = 0; i < num_quasi; ++i) key.emplace_back(release.columns[i].text.cell(row).bytes());
    if (exempt && std::all_of(key.begin(), key.end(), [](const std::string& cell) { return cell == "*"; })) continue;
    Group& group = listing[first.try_emplace(key, row).first->second];
    ++group.rows;
    ++group.values[release.columns[num_quasi].text.codes[row]];
    ++group.persons[release.persons[row]];
  }
  return listing;
}

TallyPlan PlanOf(const Release& release, std::size_t num_quasi, bool exempt) {
  std::vector<std::size_t> grouping;
  for (std::size_t i = 0; i < num_quasi; ++i) grouping.push_back(i);
  TallyPlan plan(release, grouping);
  std::vector<Code> same = {kNull};
  const Column& sensitive = release.columns[num_quasi].text;
  for (std::size_t code = 0; code < sensitive.dictionary->size(); ++code) same.push_back(static_cast<Code>(code));
  plan.AddHistogram(sensitive.codes, same, static_cast<Code>(sensitive.dictionary->size()));
  plan.AddHistogram(release.persons, {}, 0);
  if (exempt) plan.ExemptStars(release, grouping);
  return plan;
}

TEST(Tally, EqualsARecountHoweverTheRowsAreCutAndMerged) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed).Substream("cuts");
    const std::size_t num_quasi = 1 + seed % 30;  // up to several words a key
    const bool exempt = seed % 3 == 0;
    const Release release = RandomRelease(seed, 1 + random.Below(800), num_quasi);
    const TallyPlan plan = PlanOf(release, num_quasi, exempt);
    const Listing expected = Recount(release, num_quasi, exempt);
    EXPECT_EQ(List(Tally::Count(plan, 0, release.num_rows, cordon::engine::Run{})), expected);

    std::vector<Tally> parts;
    for (std::size_t begin = 0; begin < release.num_rows;) {
      const std::size_t end = begin + 1 + random.Below(release.num_rows - begin);
      parts.push_back(Tally::Count(plan, begin, end, cordon::engine::Run{}));
      begin = end;
    }
    random.Shuffle(std::span(parts));  // merged in any order
    for (std::size_t i = 1; i < parts.size(); ++i) parts[0].Merge(parts[i]);
    EXPECT_EQ(List(parts[0]), expected);
  }
}

TEST(Tally, IsTheSameForAnyNumberOfThreads) {
  const Release release = RandomRelease(7, 5 * kChunkRows + 1234, 3);
  const TallyPlan plan = PlanOf(release, 3, true);
  const Listing one = List(Tally::CountAll(plan, cordon::engine::Run{.threads = 1}).value());
  for (const int threads : {2, 3, 8})
    EXPECT_EQ(List(Tally::CountAll(plan, cordon::engine::Run{.threads = threads}).value()), one);
}

TEST(Tally, AStoppedRunIsCancelled) {
  const Release release = RandomRelease(7, 1000, 2);
  std::stop_source source;
  source.request_stop();
  const auto tally = Tally::CountAll(PlanOf(release, 2, false), cordon::engine::Run{.threads = 1, .stop = source.get_token()});
  ASSERT_FALSE(tally.ok());
  EXPECT_EQ(tally.error().kind(), ErrorKind::kCancelled);
}

TEST(GroupTable, KeysWithTheSameHashStayApart) {
  GroupTable table(2);
  for (std::uint64_t i = 0; i < 400; ++i) {
    const std::uint64_t key[2] = {i % 20, i / 20 % 10};
    const std::uint32_t group = table.Add(key, 42, 1, static_cast<std::uint32_t>(i));
    EXPECT_EQ(group, i % 200);
  }
  ASSERT_EQ(table.size(), 200u);
  EXPECT_EQ(table.rows(7), 2u);
  EXPECT_EQ(table.first_row(7), 7u);
}

TEST(Tally, WithoutGroupingColumnsAllRowsAreOneGroup) {
  const Release release = RandomRelease(3, 50, 2);
  const Tally tally = Tally::CountAll(TallyPlan(release, {}), cordon::engine::Run{}).value();
  ASSERT_EQ(tally.num_groups(), 1u);
  EXPECT_EQ(tally.rows(0), 50u);
}

TEST(Tally, AbsentCellsAndEmptyTextsAreDifferentCells) {
  Release release = BuildRelease({{"q", Role::kQuasi, nullptr, {"", "a"}}});
  release.columns[0].text.codes = CodesOf({0, kNull});
  EXPECT_EQ(Tally::CountAll(TallyPlan(release, std::vector<std::size_t>{0}), cordon::engine::Run{}).value().num_groups(), 2u);
}

}  // namespace
}  // namespace cordon::engine::test
