// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/group_counts.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/models/random_cases.h"

namespace cordon::engine::test {
namespace {

// From the definition: looks at every row again.
void ExpectRecount(const GroupCounts& counts, const Microdata& data, const std::vector<RowId>& rows) {
  EXPECT_EQ(counts.rows(), static_cast<std::int64_t>(rows.size()));
  std::set<Code> persons;
  std::vector<std::int64_t> histogram(static_cast<std::size_t>(data.columns[2].attribute.domain->size()));
  for (const RowId row : rows) {
    ++histogram[data.columns[2].codes[row]];
    persons.insert(data.persons.empty() ? static_cast<Code>(row) : data.persons[row]);
  }
  EXPECT_EQ(counts.persons(), static_cast<std::int64_t>(persons.size()));
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    EXPECT_EQ(counts.histogram(0)[static_cast<Code>(value)], histogram[value]);
  }
}

TEST(GroupCounts, AddRemoveMergeSplitEqualARecount) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, SensitiveKind::kNumericWithMissing, seed % 2 == 0);
    Random random = Random::FromSeed(seed).Substream("moves");
    const CountedColumns columns(table.data, {2}, true, seed % 4 < 2 ? CountedColumns::kMaxCounted : 0);
    std::vector<RowId> left;
    std::vector<RowId> right;
    GroupCounts left_counts(columns);
    GroupCounts right_counts(columns);
    for (RowId row = 0; row < table.data.num_rows; ++row) {
      const bool goes_left = random.Below(2) == 0;
      (goes_left ? left : right).push_back(row);
      (goes_left ? left_counts : right_counts).Add(row);
    }
    ExpectRecount(left_counts, table.data, left);

    GroupCounts at_once(columns);
    at_once.Add(right);
    ExpectRecount(at_once, table.data, right);

    GroupCounts all = left_counts;  // shards of one whole
    all.Merge(right_counts);
    std::vector<RowId> both = left;
    both.insert(both.end(), right.begin(), right.end());
    ExpectRecount(all, table.data, both);

    all.Split(right_counts);
    ExpectRecount(all, table.data, left);

    while (!left.empty()) {
      all.Remove(left.back());
      left.pop_back();
      ExpectRecount(all, table.data, left);
    }
    at_once.Clear();
    ExpectRecount(at_once, table.data, {});
  }
}

TEST(GroupCounts, PersonsAreRowsWhereNobodyAsksForThem) {
  const RandomTable table = MakeRandomTable(2, SensitiveKind::kNumeric, true);
  const CountedColumns columns(table.data, {}, false);
  GroupCounts counts(columns);
  counts.Add(table.groups[0]);
  EXPECT_EQ(counts.persons(), counts.rows());
}

}  // namespace
}  // namespace cordon::engine::test
