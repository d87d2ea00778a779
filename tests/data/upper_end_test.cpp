// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/upper_end.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

ReleaseColumn ColumnOf(const std::vector<std::string>& cells) {
  auto texts = std::make_shared<Dictionary>();
  texts->Intern("[98,99)");  // in no row: decides nothing
  CodesBuilder codes;
  for (const std::string& cell : cells) codes.Add(cell == "absent" ? kNull : texts->Intern(cell));
  Domain::NumericSpec spec;
  spec.scale = 1;
  spec.range_hi = 1000;
  spec.missing = "?";
  auto domain = std::make_shared<const Domain>(Domain::Numeric(std::move(spec)));
  return {{"age", Role::kQuasi, std::move(domain), 1}, {"age", std::move(texts), codes.Finish()}};
}

TEST(UpperEnd, IsWhatThePublishedRangesSay) {
  const UpperEnd closed = UpperEndOf(ColumnOf({"[0,4]", "5", "*", "?", "absent"})).value();
  EXPECT_FALSE(closed.open);
  EXPECT_TRUE(closed.closed.empty());
  const UpperEnd open = UpperEndOf(ColumnOf({"[0,4)", "[4,8)", "8"})).value();
  EXPECT_TRUE(open.open);
  EXPECT_TRUE(open.closed.empty());
  EXPECT_EQ(open.Bracket("0", "4"), ')');
}

TEST(UpperEnd, ExceptionsAreListedByTheirEnds) {
  const UpperEnd mixed = UpperEndOf(ColumnOf({"[0,4)", "[4,8)", "[8,11.0]"})).value();
  EXPECT_TRUE(mixed.open);
  EXPECT_EQ(mixed.closed, (std::set<std::pair<std::string, std::string>>{{"8", "11"}}));
  EXPECT_EQ(mixed.Bracket("8.0", "11"), ']');
  EXPECT_EQ(mixed.Bracket("0", "11"), ')');
}

TEST(UpperEnd, TheSameEndsCannotMeanBoth) { EXPECT_FALSE(UpperEndOf(ColumnOf({"[0,4)", "[0,4.0]"}))); }

TEST(UpperEnd, EqualEndsHaveOneText) {
  EXPECT_EQ(PlainEnd("4.50"), PlainEnd("4.5"));
  EXPECT_EQ(PlainEnd("2024-05-01T00:00:00"), "2024-05-01");
  EXPECT_EQ(PlainEnd("x"), "x");
}

}  // namespace
}  // namespace cordon::engine
