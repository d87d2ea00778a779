// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/build_hierarchy.h"

#include <gtest/gtest.h>

#include "cordon/base/random.h"
#include "cordon/policy/hierarchy_source.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

TEST(FrequencyHierarchy, RareValuesAreJoinedFirst) {
  const Hierarchy made =
      FrequencyHierarchy({{"rare", 1}, {"often", 70}, {"some", 20}, {"seldom", 2}, {"few", 7}}, "other").value();
  EXPECT_EQ(HierarchyText(made),
            "often;often;often;often;*\n"
            "some;some;some;{some|few|seldom|+1};*\n"
            "few;few;{few|seldom|rare};{some|few|seldom|+1};*\n"
            "seldom;{seldom|rare};{few|seldom|rare};{some|few|seldom|+1};*\n"
            "rare;{seldom|rare};{few|seldom|rare};{some|few|seldom|+1};*\n"
            "other;other;other;other;*\n");
}

TEST(FoldRare, CountsPeopleNotRows) {
  std::vector<std::string> jobs, people;
  const auto add = [&](const char* job, int rows, int persons) {
    for (int i = 0; i < rows; ++i) jobs.push_back(job), people.push_back(std::string(job) + std::to_string(i % persons));
  };
  add("cook", 9, 9);
  add("nurse", 9, 2);
  add("pilot", 2, 2);
  add("?", 7, 7);
  const Table table = TableOf({{"job", jobs}, {"person", people}});
  const std::vector<std::string> missing = {"", "?"};
  EXPECT_EQ(FoldRare(table.columns[0], nullptr, missing, 3, "other"),
            (std::vector<Counted>{{"cook", 9}, {"nurse", 9}, {"other", 2}}));
  EXPECT_EQ(FoldRare(table.columns[0], &table.columns[1], missing, 3, "other"),
            (std::vector<Counted>{{"cook", 9}, {"other", 11}}));
  EXPECT_EQ(FoldRare(table.columns[0], nullptr, missing, 2, "other"), CountValues(table.columns[0], missing));
}

TEST(FrequencyHierarchy, FewValuesStayFlat) {
  EXPECT_EQ(HierarchyText(FrequencyHierarchy({{"a", 5}, {"b", 5}}, std::nullopt).value()), "a;*\nb;*\n");
  EXPECT_EQ(HierarchyText(FrequencyHierarchy({{"a", 5}}, std::nullopt).value()), "a;*\n");
}

// Whatever the values and counts: every value is a leaf, labels are unambiguous, and the text reads back the same.
TEST(FrequencyHierarchy, ReadsBackWhateverTheValues) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    std::vector<Counted> values;
    const std::size_t count = 1 + random.Below(60);
    for (std::size_t i = 0; i < count; ++i) {
      const char* odd[] = {"", "{v1|v2}", "a;b", "say \"hi\"", "{v3|v4|v5|+2}", "tab\t"};
      const std::string text = random.Below(10) == 0 ? odd[random.Below(6)] + std::to_string(i) : "v" + std::to_string(i);
      values.emplace_back(text, 1 + (random.Below(2) == 0 ? random.Below(5) : random.Below(1000)));
    }
    values.emplace_back("{v1|v2}", 1);
    values.emplace_back("{v2|v1}", 2);
    const Hierarchy made = FrequencyHierarchy(values, "other").value();
    EXPECT_EQ(made.num_leaves(), static_cast<Code>(values.size() + 1));
    for (const Counted& value : values) EXPECT_TRUE(made.FindLeaf(value.first));
    const auto back = ParseHierarchy(HierarchyText(made), "h");
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_EQ(back.value().Digest(), made.Digest());
  }
}

TEST(NiceWidths, AreMultiplesAndCoverTheRange) {
  EXPECT_EQ(NiceWidths(17, 90), (std::vector<std::int64_t>{5, 10, 20, 40}));
  EXPECT_EQ(NiceWidths(0, 1), (std::vector<std::int64_t>{1}));
  for (const std::int64_t range : {1LL, 9LL, 100LL, 12'345LL, 999'999'999'999LL, 1'900'000'000'000'000'000LL}) {
    const auto widths = NiceWidths(0, range);
    ASSERT_FALSE(widths.empty());
    EXPECT_LE(widths.size(), std::size_t{5});
    for (std::size_t i = 1; i < widths.size(); ++i) EXPECT_EQ(widths[i] % widths[i - 1], 0);
    EXPECT_GE(static_cast<long double>(widths[0]) * 16, static_cast<long double>(range));
  }
}

TEST(HierarchyTree, IsIndentedAndCutOff) {
  const Hierarchy made = ParseHierarchy("a;x;*\nb;x;*\nc;c;*\n", "h").value();
  EXPECT_EQ(HierarchyTree(made, 10), "* (3 leaves)\n  x (2 leaves)\n    a\n    b\n  c\n");
  EXPECT_EQ(HierarchyTree(made, 2), "* (3 leaves)\n  x (2 leaves)\n... 3 more\n");
}

}  // namespace
}  // namespace cordon::engine
