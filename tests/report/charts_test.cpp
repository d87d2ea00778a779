// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/charts.h"

#include <gtest/gtest.h>

#include <limits>

namespace cordon::engine {
namespace {

TEST(Charts, NumbersAreShort) {
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(0.21734), "0.2173");
  EXPECT_EQ(ShortNumber(999), "999");
  EXPECT_EQ(ShortNumber(1000), "1,000");
  EXPECT_EQ(ShortNumber(-1234567), "-1,234,567");
  EXPECT_EQ(ShortNumber(-999999), "-999,999");
  EXPECT_EQ(ShortNumber(1.5e-7), "1.5e-07");
  EXPECT_EQ(ShortNumber(std::numeric_limits<double>::infinity()), "infinite");
  EXPECT_EQ(Percent(0), "0 %");
  EXPECT_EQ(Percent(0.0004), "< 0.1 %");
  EXPECT_EQ(Percent(0.125), "12.5 %");
  EXPECT_EQ(Percent(1), "100 %");
}

TEST(Charts, TicksAreRoundFewAndReachTheTop) {
  for (const double most : {1e-9, 0.003, 0.21, 1.0, 7.0, 10.0, 99.0, 123456.0, 5e12}) {
    for (const int count : {2, 4, 12}) {
      const std::vector<double> ticks = NiceTicks(most, count);
      ASSERT_GE(ticks.size(), 2u);
      EXPECT_LE(ticks.size(), static_cast<std::size_t>(count) + 1) << most;
      EXPECT_EQ(ticks.front(), 0);
      EXPECT_GE(ticks.back(), most * (1 - 1e-9));
      EXPECT_LE(ticks.back() - ticks[1], most);
    }
  }
  EXPECT_EQ(NiceTicks(0.4, 4), (std::vector<double>{0, 0.1, 0.2, 0.1 * 3, 0.4}));
  EXPECT_EQ(NiceTicks(0, 4), (std::vector<double>{0, 1}));
  EXPECT_EQ(NiceTicks(std::numeric_limits<double>::infinity(), 4), (std::vector<double>{0, 1}));
}

TEST(Charts, TextIsEscaped) {
  EXPECT_EQ(EscapeXml("a<b>&\"'\x01\n"), "a&lt;b&gt;&amp;&quot;&#39; ");
  const std::string svg = DrawBars({"t<", {{"<script>", {1}, "\"1\""}}, 1});
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
}

TEST(Charts, LongLabelsLoseTheirMiddleNotHalfACharacter) {
  std::string label;
  for (int i = 0; i < 200; ++i) label += "\u00e4";
  const std::string svg = DrawBars({"title", {{label, {0.5}, "0.5"}}, 1});
  EXPECT_NE(svg.find("\u2026"), std::string::npos);
  for (std::size_t i = 0; i + 1 < svg.size(); ++i) {
    if (static_cast<unsigned char>(svg[i]) == 0xC3) {
      ASSERT_EQ(static_cast<unsigned char>(svg[i + 1]), 0xA4);
    }
  }
}

TEST(Charts, NothingToDrawIsNoNumberThatIsNone) {
  for (const std::string& svg :
       {DrawBars({"t", {{"a", {0, 0}, ""}}, 0}), DrawColumns({.title = "t", .x_name = "", .columns = {}}),
        DrawColumns({.title = "t", .x_name = "", .columns = {{"a", {0}}}}),
        DrawLines({.title = "t", .x_name = "", .y_name = "", .places = {"1"}, .lines = {{"a", {std::nullopt}}}}, 360, 240)}) {
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
  }
}

}  // namespace
}  // namespace cordon::engine
