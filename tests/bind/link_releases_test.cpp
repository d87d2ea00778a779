// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/link_releases.h"

#include <gtest/gtest.h>

#include "cordon/bind/bind.h"
#include "cordon/bind/read_release.h"
#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

constexpr const char* kModel = R"(
[[privacy]]
model = "xy-anonymity"
x = ["job"]
y = "person"
k = 1
)";

class LinkReleases : public ::testing::Test {
 protected:
  LinkReleases() { folder_.Write("job.csv", "Banker;White;ANY\nEngineer;White;ANY\nClerk;Blue;ANY\nDriver;Blue;ANY\n"); }

  Policy PolicyOf(const std::string& attributes, const std::string& more = "") const {
    const std::string job = "[attributes.job]\nrole = \"quasi\"\nhierarchy = \"job.csv\"\n";
    auto policy = ParsePolicy(job + attributes + kModel + more, folder_.path(), "p.toml");
    EXPECT_TRUE(policy.ok()) << Told(policy);
    return std::move(policy).value();
  }
  // A row of the current table and one of the previous release: whether they match, or what is wrong.
  static std::string Match(const Policy& policy, const Table& current, const Table& previous, const UpperEnds& ends = {}) {
    const Result<Microdata> data = Bind(policy, current, {});
    if (!data.ok()) return Told(data);
    const auto made = LinkMicrodata(policy, data.value(), "now.csv", {{"before.csv", "", previous, ends}});
    if (!made.ok()) return Told(made);
    const LinkedTables& linked = made.value().linked;
    for (const auto& [name, axis] : made.value().axes) {
      const auto here = linked.tables[0].Find(name);
      const auto there = linked.tables[1].Find(name);
      if (!here || !there) continue;
      if (!linked.tables[0].columns[*here].extent(0).Overlaps(linked.tables[1].columns[*there].extent(0))) return "no";
    }
    return "yes";
  }

  ScratchFolder folder_;
};

TEST_F(LinkReleases, LabelsMatchIfOneIsAboveTheOther) {
  const Policy policy = PolicyOf("");
  const auto match = [&](const std::string& before) {
    return Match(policy, TableOf({{"job", {"Banker"}}}), TableOf({{"job", {before}}, {"zip", {"1"}}}));
  };
  EXPECT_EQ(match("Banker"), "yes");
  EXPECT_EQ(match("White"), "yes");
  EXPECT_EQ(match("ANY"), "yes");
  EXPECT_EQ(match("*"), "yes");
  EXPECT_EQ(match("Engineer"), "no");
  EXPECT_EQ(match("Blue"), "no");
  EXPECT_EQ(match("Pilot").substr(0, 60), "before.csv: row 1: the cell of column 'job' is not a value, ");
}

TEST_F(LinkReleases, RangesOfBothNotationsMatchIfTheyOverlap) {
  const Policy policy = PolicyOf("[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\n");
  const auto match = [&](const std::string& before) {
    return Match(policy, TableOf({{"job", {"Banker"}}, {"age", {"37"}}}), TableOf({{"age", {before}}}));
  };
  EXPECT_EQ(match("37"), "yes");
  EXPECT_EQ(match("[30,37]"), "yes");
  EXPECT_EQ(match("[30,37)"), "no");
  EXPECT_EQ(match("[37,40)"), "yes");
  EXPECT_EQ(match("[38,40]"), "no");
  EXPECT_EQ(match("*"), "yes");
  EXPECT_NE(match("old").find("before.csv: row 1"), std::string::npos);
}

TEST_F(LinkReleases, DatesAreMatchedByDay) {
  const Policy policy = PolicyOf("[attributes.born]\nrole = \"quasi\"\ntype = \"date\"\n");
  const auto match = [&](const std::string& before) {
    return Match(policy, TableOf({{"job", {"Banker"}}, {"born", {"1980-05-01"}}}), TableOf({{"born", {before}}}));
  };
  EXPECT_EQ(match("1980-05-01"), "yes");
  EXPECT_EQ(match("[1980-01-01,1980-05-01]"), "yes");
  EXPECT_EQ(match("[1980-01-01,1980-05-01)"), "no");
  EXPECT_EQ(match("1980-05-02"), "no");
}

// What anonymize --bounds writes. Left as two columns, they would match nothing, and the join would look safer than it is.
TEST_F(LinkReleases, TwoColumnsOfBoundsAreOneOfRanges) {
  const Policy policy = PolicyOf("[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\n");
  const auto match = [&](const Policy& by, const std::string& lo, const std::string& hi,
                         const UpperEnds& ends = {{"age", {}}}) {
    return Match(by, TableOf({{"job", {"Banker"}}, {"age", {"37"}}}),
                 TableOf({{"age_lo", {lo}}, {"age_hi", {hi}}, {"zip", {"1"}}}), ends);
  };
  EXPECT_EQ(match(policy, "30", "37"), "yes");
  EXPECT_EQ(match(policy, "38", "40"), "no");
  EXPECT_EQ(match(policy, "37", "37"), "yes");
  EXPECT_EQ(match(policy, "*", "*"), "yes");
  EXPECT_EQ(match(policy, "", ""), "no");  // missing
  EXPECT_NE(match(policy, "30", "*").find("only one of age_lo and age_hi is a bound"), std::string::npos);
  // Whether the upper end belongs is what the manifest of the previous release says; the policy of this one says nothing of it.
  const UpperEnds half_open = {{"age", {.open = true, .closed = {}}}};
  EXPECT_EQ(match(policy, "30", "37", half_open), "no");
  EXPECT_EQ(match(policy, "30", "37", {{"age", {.open = true, .closed = {{"30", "37"}}}}}), "yes");
  EXPECT_EQ(match(policy, "30.0", "37.0", {{"age", {.open = true, .closed = {{"30", "37"}}}}}), "yes");
  EXPECT_EQ(match(policy, "37", "37", half_open), "yes");
  const Policy grid = PolicyOf("[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\nrange = [0, 100]\ngrid = 5\n");
  EXPECT_EQ(match(grid, "35", "40", half_open), "yes");  // 37 is shown as [35,40)
  EXPECT_EQ(match(grid, "30", "35", half_open), "no");
  EXPECT_EQ(match(grid, "40", "45", half_open), "no");
  // If nothing says so, more rows might match or fewer.
  EXPECT_NE(match(policy, "30", "37", {}).find("whether the end in 'age_hi' belongs to its range is not known"),
            std::string::npos);
  EXPECT_EQ(match(policy, "37", "37", {}), "yes");
  const Policy other = PolicyOf("[attributes.name]\nrole = \"insensitive\"\n");
  const auto no_number = Bind(other, TableOf({{"job", {"Banker"}}, {"name", {"x"}}}), {}).value();
  EXPECT_FALSE(
      LinkMicrodata(other, no_number, "now.csv", {{"b.csv", "", TableOf({{"age_lo", {"1"}}, {"age_hi", {"2"}}})}}).ok());
}

TEST_F(LinkReleases, MissingCellsMatchEachOtherAndTheStar) {
  const Policy policy = PolicyOf("[attributes.age]\nrole = \"quasi\"\ntype = \"numeric\"\n");
  const Table missing = TableOf({{"job", {"Banker", "Banker"}}, {"age", {"", "37"}}});
  EXPECT_EQ(Match(policy, missing, TableOf({{"age", {""}}})), "yes");
  EXPECT_EQ(Match(policy, missing, TableOf({{"age", {"<null>"}}})), "yes");
  EXPECT_EQ(Match(policy, missing, TableOf({{"age", {"*"}}})), "yes");
  EXPECT_EQ(Match(policy, missing, TableOf({{"age", {"37"}}})), "no");
}

TEST_F(LinkReleases, CategoriesWithoutAHierarchyMatchThemselves) {
  const Policy policy = PolicyOf("[attributes.sex]\nrole = \"quasi\"\n");
  const auto match = [&](const std::string& before) {
    const Microdata data = Bind(policy, TableOf({{"job", {"Banker"}}, {"sex", {"F"}}}), {}).value();
    const LinkedTables linked =
        LinkMicrodata(policy, data, "now.csv", {{"b.csv", "", TableOf({{"sex", {before}}})}}).value().linked;
    return linked.tables[0].columns[1].extent(0).Overlaps(linked.tables[1].columns[0].extent(0));
  };
  EXPECT_TRUE(match("F"));
  EXPECT_TRUE(match("*"));
  EXPECT_FALSE(match("M"));
}

TEST_F(LinkReleases, WhatCannotBeJoinedIsRefused) {
  const Policy policy = PolicyOf("");
  const Table now = TableOf({{"job", {"Banker"}}});
  EXPECT_NE(Match(policy, now, TableOf({{"work", {"Banker"}}})).find("have no column in common"), std::string::npos);
  EXPECT_NE(Match(policy, now, TableOf({{"job", {}}})).find("before.csv has no rows"), std::string::npos);
  const Policy prefix = PolicyOf("[attributes.zip]\nrole = \"quasi\"\nhierarchy = { prefix = 3 }\n");
  EXPECT_NE(Match(prefix, TableOf({{"job", {"Banker"}}, {"zip", {"101"}}}), TableOf({{"zip", {"10*"}}}))
                .find("made from the values of one"),
            std::string::npos);
  const Policy pairs = PolicyOf("", "[[impossible]]\ncurrent = \"job\"\nprevious = \"ill\"\npairs = [[\"Banker\", \"a\"]]\n");
  EXPECT_NE(Match(pairs, now, TableOf({{"job", {"Banker"}}})).find("[[impossible]] names 'ill'"), std::string::npos);
}

TEST_F(LinkReleases, AReleaseIsReadAsItIsPublished) {
  const Policy policy = PolicyOf("");
  const Release release = ReadRelease(policy, TableOf({{"job", {"White"}}}), nullptr, {}).value();
  const LinkedTables linked =
      LinkRelease(policy, release, "out.csv", {{"b.csv", "", TableOf({{"job", {"Engineer", "Blue"}}})}}).value().linked;
  EXPECT_EQ(linked.tables[0].name, "out.csv");
  EXPECT_TRUE(linked.tables[0].columns[0].extent(0).Overlaps(linked.tables[1].columns[0].extent(0)));
  EXPECT_FALSE(linked.tables[0].columns[0].extent(0).Overlaps(linked.tables[1].columns[0].extent(1)));
}

}  // namespace
}  // namespace cordon::engine
