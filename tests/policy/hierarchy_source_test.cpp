// SPDX-License-Identifier: Apache-2.0
#include "cordon/policy/hierarchy_source.h"

#include <gtest/gtest.h>

#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

// The labels from a leaf up to the root, one per level of the source.
std::vector<std::string> PathOf(const Hierarchy& hierarchy, std::string_view leaf) {
  std::vector<std::string> path;
  const Code code = hierarchy.FindLeaf(leaf).value();
  for (int level = 0; level < hierarchy.num_levels(); ++level)
    path.emplace_back(hierarchy.label(hierarchy.node_at_level(code, level)));
  return path;
}
using Path = std::vector<std::string>;

TEST(ParseHierarchy, TakesTheDelimiterOfTheFirstLine) {
  for (const char* text : {"a;x;*\nb;x;*\n", "a,x,*\nb,x,*\n", "a\tx\t*\nb\tx\t*\n", "\"a\",x,*\n\"b\",x,*"}) {
    const auto hierarchy = ParseHierarchy(text, "h.csv");
    ASSERT_TRUE(hierarchy.ok()) << Told(hierarchy);
    EXPECT_EQ(PathOf(hierarchy.value(), "b"), (Path{"b", "x", "*"}));
  }
  // A semicolon in quotes does not make it the delimiter; a comma next to semicolons is part of a label.
  EXPECT_EQ(PathOf(ParseHierarchy("\"a;b\",x,*\n", "h").value(), "a;b"), (Path{"a;b", "x", "*"}));
  EXPECT_EQ(PathOf(ParseHierarchy("a, or b;x;*\n", "h").value(), "a, or b"), (Path{"a, or b", "x", "*"}));
}

TEST(ParseHierarchy, ReadsMarksLineEndsQuotesAndBlankEnds) {
  const auto hierarchy = ParseHierarchy("\xEF\xBB\xBF\"say \"\"a\"\"\";x;*\r\nb;x;*\r\n\r\n\n", "h.csv");
  ASSERT_TRUE(hierarchy.ok()) << Told(hierarchy);
  EXPECT_EQ(hierarchy.value().num_leaves(), 2);
  EXPECT_EQ(PathOf(hierarchy.value(), "say \"a\""), (Path{"say \"a\"", "x", "*"}));
}

TEST(ParseHierarchy, ErrorsNameFileAndLine) {
  EXPECT_EQ(Told(ParseHierarchy("", "h.csv")), "h.csv: the hierarchy is empty / write one line per leaf: leaf;level1;...;root");
  EXPECT_EQ(Told(ParseHierarchy("a;x;*\nb;*\n", "h.csv")),
            "h.csv: line 2 has 2 levels, line 1 has 3 / repeat a label to fill a short path");
  EXPECT_EQ(Told(ParseHierarchy("a\nb\n", "h.csv")), "h.csv: line 1 has one label only / a line is leaf;level1;...;root");
  EXPECT_EQ(Told(ParseHierarchy("a;*\n\nb;*\n", "h.csv")),
            "h.csv:2: the line is empty / write one line per leaf: leaf;level1;...;root");
  EXPECT_EQ(Told(ParseHierarchy("a;*\n\"b;*\n", "h.csv")),
            "h.csv:2: a quoted label does not end where the cell ends / a quote inside a quoted label is doubled");
  EXPECT_EQ(Told(ParseHierarchy("a;*\n\"b\"c;*\n", "h.csv")),
            "h.csv:2: a quoted label does not end where the cell ends / a quote inside a quoted label is doubled");
  EXPECT_EQ(Told(ParseHierarchy("a;*\n\xff;*\n", "h.csv")),
            "h.csv:2: the line is not UTF-8 / convert the file, for instance with iconv");
  EXPECT_EQ(Told(ParseHierarchy("a;*\na;*\n", "h.csv")), "h.csv: line 2: the leaf 'a' is in line 1 already");
  EXPECT_EQ(Told(ParseHierarchy("*;*\n", "h.csv")), "h.csv:1: * cannot be a leaf: it is published for everything");
  EXPECT_EQ(Told(ParseHierarchy("a;*;all\n", "h.csv")), "h.csv:1: * stands below another label: it can only be the root");
}

TEST(ParseHierarchy, StarMayStandOnSeveralLevels) {
  const auto hierarchy = ParseHierarchy("a;x;*;*\nb;x;*;*\n", "h.csv");
  ASSERT_TRUE(hierarchy.ok()) << Told(hierarchy);
  EXPECT_EQ(hierarchy.value().num_levels(), 4);
}

TEST(ParseHierarchy, RefusesBrokenUtf8) {
  for (const char* bad : {"\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80",
                          "\xE2\x82", "\xF0\x80\x80\x80"}) {
    EXPECT_FALSE(ParseHierarchy(std::string(bad) + ";*\n", "h").ok());
  }
  for (const char* good : {"é", "€", "𝄞", "\xED\x9F\xBF"}) EXPECT_TRUE(ParseHierarchy(std::string(good) + ";*\n", "h").ok());
}

TEST(ReadHierarchy, ReadsAFile) {
  const ScratchFolder folder;
  folder.Write("h.csv", "a;*\nb;*\n");
  EXPECT_EQ(ReadHierarchy((folder.path() / "h.csv").string()).value().num_leaves(), 2);
  EXPECT_EQ(ReadHierarchy((folder.path() / "none.csv").string()).error().kind(), ErrorKind::kIo);
}

TEST(PrefixHierarchy, LosesOneCharacterALevel) {
  const Hierarchy hierarchy = PrefixHierarchy({"53710", "53711", "53702", "60601"}, 5).value();
  EXPECT_EQ(PathOf(hierarchy, "53710"), (Path{"53710", "5371*", "537*", "53*", "5*", "*"}));
  const NodeId node = hierarchy.Lca(hierarchy.FindLeaf("53702").value(), hierarchy.FindLeaf("53711").value());
  EXPECT_EQ(hierarchy.label(node), "537*");
  EXPECT_EQ(hierarchy.leaves_under(node), 3);
}

TEST(PrefixHierarchy, ShorterCodesJoinAtTheirLength) {
  const Hierarchy hierarchy = PrefixHierarchy({"537", "53710", ""}, 5).value();
  EXPECT_EQ(PathOf(hierarchy, "537"), (Path{"537", "537", "537*", "53*", "5*", "*"}));
  EXPECT_EQ(PathOf(hierarchy, ""), (Path{"", "", "", "", "", "*"}));
  const NodeId common = hierarchy.Lca(hierarchy.FindLeaf("537").value(), hierarchy.FindLeaf("53710").value());
  EXPECT_EQ(hierarchy.label(common), "537*");
}

TEST(PrefixHierarchy, CutsBetweenCharactersNotBytes) {
  EXPECT_EQ(PathOf(PrefixHierarchy({"é€a"}, 3).value(), "é€a"), (Path{"é€a", "é€*", "é*", "*"}));
}

TEST(PrefixHierarchy, RefusalNamesNoValue) {
  const auto result = PrefixHierarchy({"537", "53*"}, 3);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(Told(result), "a value looks like a generalized one: it ends in * / use a hierarchy file for this column");
}

TEST(IntervalHierarchy, AlignsToTheOrigin) {
  const std::vector<std::int64_t> values = {-3, 1, 20, 27, 30, 41};
  const Hierarchy zero = IntervalHierarchy(values, 0, 0, std::vector<std::int64_t>{10, 20, 40}, 0).value();
  EXPECT_EQ(PathOf(zero, "27"), (Path{"27", "[20,30)", "[20,40)", "[0,40)", "*"}));
  EXPECT_EQ(PathOf(zero, "-3"), (Path{"-3", "[-10,0)", "[-20,0)", "[-40,0)", "*"}));
  const Hierarchy one = IntervalHierarchy(values, 0, 0, std::vector<std::int64_t>{10}, 1).value();
  EXPECT_EQ(PathOf(one, "20"), (Path{"20", "[11,21)", "*"}));
  EXPECT_EQ(PathOf(IntervalHierarchy(std::vector<std::int64_t>{25}, 1, 0, std::vector<std::int64_t>{5}, 0).value(), "2.5"),
            (Path{"2.5", "[2.5,3)", "*"}));
}

TEST(IntervalHierarchy, LeavesAreInTheOrderOfTheValues) {
  const std::vector<std::int64_t> values = {1, 5, 19, 20, 21, 40, 79, 80};
  const Hierarchy hierarchy = IntervalHierarchy(values, 0, 0, std::vector<std::int64_t>{10, 20, 40}, 0).value();
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(hierarchy.FindLeaf(std::to_string(values[i])), static_cast<Code>(i));
}

TEST(DateHierarchy, NamesMonthsQuartersAndYears) {
  const std::vector<DateUnit> units = {DateUnit::kMonth, DateUnit::kQuarter, DateUnit::kYear};
  const Hierarchy hierarchy = DateHierarchy(*ParseDate("2024-03-15"), *ParseDate("2024-04-02"), units).value();
  EXPECT_EQ(PathOf(hierarchy, "2024-03-15"), (Path{"2024-03-15", "2024-03", "2024-Q1", "2024", "*"}));
  EXPECT_EQ(hierarchy.num_leaves(), 366);  // whole units: a label means all its days
  EXPECT_EQ(hierarchy.leaves_under(hierarchy.FindNode("2024-02").value()), 29);
}

TEST(DateHierarchy, RefusesSpansThatOnlyASentinelMakes) {
  const auto result = DateHierarchy(*ParseDate("1990-01-01"), *ParseDate("9999-12-31"), std::vector{DateUnit::kYear});
  EXPECT_EQ(Told(result),
            "the dates span more than 400 years / set bottom and top, or list the marker of unknown dates in data.missing");
}

TEST(DateLabel, ReadsWhatItWrites) {
  for (const char* day : {"2024-02-29", "1999-12-31", "2000-01-01", "0001-05-05"}) {
    for (const DateUnit unit : {DateUnit::kMonth, DateUnit::kQuarter, DateUnit::kYear}) {
      const std::int64_t number = *ParseDate(day);
      const auto span = ParseDateLabel(DateLabel(number, unit));
      ASSERT_TRUE(span.has_value()) << day;
      EXPECT_LE(span->first, number);
      EXPECT_GE(span->last, number);
      EXPECT_EQ(DateLabel(span->first, unit), DateLabel(span->last, unit));
      EXPECT_NE(DateLabel(span->first, unit), DateLabel(span->last + 1, unit));
    }
  }
  EXPECT_EQ(ParseDateLabel("2024-Q3")->first, *ParseDate("2024-07-01"));
  EXPECT_EQ(ParseDateLabel("2024-Q3")->last, *ParseDate("2024-09-30"));
  for (const char* bad : {"", "2024-13", "2024-Q5", "24", "2024-1", "2024-03-01", "abcd", "0000"})
    EXPECT_FALSE(ParseDateLabel(bad)) << bad;
}

}  // namespace
}  // namespace cordon::engine
