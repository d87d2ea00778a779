// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/domain.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

std::shared_ptr<const Hierarchy> Share(Result<Hierarchy> made) {
  return std::make_shared<const Hierarchy>(std::move(made).value());
}

std::shared_ptr<const Hierarchy> Jobs() {
  const std::vector<std::vector<std::string>> paths = {
      {"nurse", "care", "any"}, {"doctor", "care", "any"}, {"clerk", "office", "any"}};
  return Share(Hierarchy::FromPaths(paths));
}

Domain Ages(std::optional<std::string> missing = std::nullopt) {
  return Domain::Numeric({.values = {20, 25, 40}, .range_lo = 0, .range_hi = 100, .missing = std::move(missing)});
}

TEST(Domain, PublishesARunOfNumbersAsItsInterval) {
  const Domain ages = Ages();
  EXPECT_EQ(ages.size(), 3);
  EXPECT_EQ(ages.Publish(1, 1), "25");
  EXPECT_EQ(ages.Publish(0, 2), "[20,40]");
  EXPECT_DOUBLE_EQ(ages.Loss(0, 0), 0);
  EXPECT_DOUBLE_EQ(ages.Loss(0, 2), 0.2);
}

TEST(Domain, MissingNumbersAloneAreTheMarkerAndMixedAStar) {
  const Domain ages = Ages("?");
  EXPECT_EQ(ages.size(), 4);
  EXPECT_EQ(ages.missing(), 3);
  EXPECT_EQ(ages.Publish(3, 3), "?");
  EXPECT_EQ(ages.Publish(2, 3), "*");
  EXPECT_DOUBLE_EQ(ages.Loss(3, 3), 0);
  EXPECT_DOUBLE_EQ(ages.Loss(2, 3), 1);
  EXPECT_EQ(ages.Read("?")->kind, Meaning::Kind::kMissing);
  EXPECT_TRUE(ages.Covers(*ages.Read("?"), 3));
  EXPECT_FALSE(ages.Covers(*ages.Read("[0,100]"), 3)) << "an interval does not cover a missing value";
  EXPECT_TRUE(ages.Covers(*ages.Read("*"), 3));
}

TEST(Domain, ADecimalColumnKeepsItsDigits) {
  const Domain prices = Domain::Numeric({.scale = 2, .values = {150, 1225}, .range_lo = 0, .range_hi = 10000});
  EXPECT_EQ(prices.Publish(0, 1), "[1.5,12.25]");
  EXPECT_EQ(prices.Encode("1.50"), 0);
  EXPECT_EQ(prices.Encode("1.505"), std::nullopt);
}

TEST(Domain, AGridPublishesWholeCells) {
  const Domain ages = Domain::Numeric({.values = {20, 40}, .cell = 10, .range_lo = 0, .range_hi = 100});
  EXPECT_EQ(ages.Publish(0, 0), "[20,30)");
  EXPECT_EQ(ages.Publish(0, 1), "[20,50)");
  EXPECT_DOUBLE_EQ(ages.Loss(0, 0), 0.1);
  EXPECT_EQ(ages.Encode("29"), 0);
  EXPECT_EQ(ages.Encode("30"), std::nullopt);
  EXPECT_TRUE(ages.Covers(*ages.Read("[20,30)"), 0));
  EXPECT_FALSE(ages.Covers(*ages.Read("[20,29)"), 0)) << "a cell must be covered whole";
}

TEST(Domain, DatesAreIntervalsOfDays) {
  const Domain days = Domain::Numeric({.kind = Domain::Kind::kDate, .values = {0, 31}, .range_lo = 0, .range_hi = 365});
  EXPECT_EQ(days.Publish(0, 1), "[1970-01-01,1970-02-01]");
  EXPECT_EQ(days.Read("[1970-01-01,1970-02-01)")->open_above, true);
  EXPECT_EQ(days.Encode("1970-02-01"), 1);
}

TEST(Domain, CategoriesArePublishedAsTheirCommonAncestor) {
  const Domain jobs = Domain::Categorical(Jobs(), std::nullopt);
  EXPECT_EQ(jobs.Publish(0, 0), "nurse");
  EXPECT_EQ(jobs.Publish(0, 1), "care");
  EXPECT_EQ(jobs.Publish(1, 2), "any");
  EXPECT_DOUBLE_EQ(jobs.Loss(0, 1), 0.5);
  EXPECT_TRUE(jobs.Covers(*jobs.Read("care"), 1));
  EXPECT_FALSE(jobs.Covers(*jobs.Read("care"), 2));
  EXPECT_TRUE(jobs.Covers(*jobs.Read("*"), 2)) << "a star is readable whatever the root is called";
  EXPECT_EQ(jobs.Read("pilot"), std::nullopt);
  EXPECT_DOUBLE_EQ(jobs.LossThesis(*jobs.Read("care")), 2.0 / 3);
  EXPECT_DOUBLE_EQ(jobs.LossThesis(*jobs.Read("clerk")), 0);
}

TEST(Domain, ReadsForeignIntervalsAndLabels) {
  const std::vector<std::vector<std::string>> paths = {{"20", "20-24", "*"}, {"24", "20-24", "*"}, {"25", "25-29", "*"}};
  const Domain ages =
      Domain::Numeric({.values = {20, 25, 40}, .range_lo = 1, .range_hi = 100, .labels = Share(Hierarchy::FromPaths(paths))});
  EXPECT_DOUBLE_EQ(ages.Loss(*ages.Read("[20,39]")), 19.0 / 99);
  EXPECT_DOUBLE_EQ(ages.Loss(*ages.Read("20-24")), 4.0 / 99);
  EXPECT_TRUE(ages.Covers(*ages.Read("20-24"), 0));
  EXPECT_FALSE(ages.Covers(*ages.Read("20-24"), 1));
  EXPECT_EQ(ages.Read("*")->kind, Meaning::Kind::kEverything);
  for (const char* text : {"[30,20]", "[20,20)", "[20;30]", "20..30", "[a,b]", "[20,30", "", "30-34"}) {
    EXPECT_EQ(ages.Read(text), std::nullopt) << text;
  }
}

TEST(Domain, ASingleValueLosesNothing) {
  const Domain one = Domain::Numeric({.values = {7}, .range_lo = 7, .range_hi = 7});
  EXPECT_DOUBLE_EQ(one.Loss(0, 0), 0);
  const std::vector<std::string> values = {"only"};
  EXPECT_DOUBLE_EQ(Domain::Categorical(Share(Hierarchy::Flat(values)), std::nullopt).Loss(0, 0), 0);
}

TEST(Domain, MoreDigitsReadFinerCellsAndCodesStayTheSame) {
  const Domain ages = Domain::Numeric({.values = {20, 31, 50}, .range_lo = 0, .range_hi = 100, .missing = "?"});
  EXPECT_FALSE(ages.Read("[20.5,31]"));
  const Domain fine = ages.WithDigits(1).value();
  EXPECT_EQ(fine.size(), ages.size());
  EXPECT_EQ(fine.missing(), ages.missing());
  const Meaning cell = fine.Read("[20.5,31]").value();
  EXPECT_EQ(fine.CoveredCodes(cell), (CodeRange{1, 1}));
  EXPECT_DOUBLE_EQ(fine.Loss(cell), 0.105);
  EXPECT_DOUBLE_EQ(fine.Loss(0, 2), ages.Loss(0, 2));
  EXPECT_EQ(fine.Publish(0, 1), "[20,31]");
  EXPECT_FALSE(ages.WithDigits(0));
  EXPECT_FALSE(Domain::Numeric({.values = {100'000'000'000'000'000}, .range_hi = 100'000'000'000'000'000}).WithDigits(9));
}

}  // namespace
}  // namespace cordon::engine
