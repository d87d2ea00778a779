// SPDX-License-Identifier: Apache-2.0
//
// The worked examples of Fung's thesis, chapter 5.
#include <gtest/gtest.h>

#include "cordon/algorithms/top_down/tdd.h"
#include "tests/algorithms/top_down/top_down_table.h"

namespace cordon::engine::testing {
namespace {

using Strings = std::vector<std::string>;
using Sizes = std::map<std::string, std::size_t>;

// Table 5.1: job, country, child, bankruptcy; good and bad credit.
const Strings kTable51 = {"Cook US No Current 0 4",      "Artist France No Current 1 3",  "Doctor US Yes Never 4 2",
                          "Trader UK No Discharged 4 0", "Trader UK No Never 1 0",        "Trader Canada No Never 1 0",
                          "Clerk Canada No Never 3 0",   "Clerk Canada No Discharged 1 0"};

ModelSpec Discharged(std::vector<std::string> on, Rational h) {
  return ConfidenceSpec{.on = std::move(on), .values = {{"Bankruptcy", {"Discharged"}}}, .h = h};
}

TopDownTable Table51() {
  TopDownTable table(kTable51);
  table.Suppressed("Job").Suppressed("Country").Suppressed("Child").Sensitive("Bankruptcy");
  return table;
}

TEST(TddPaper, OneTemplateGivesTable52) {
  TopDownTable table = Table51();
  const auto search = table.Search({Discharged({"Job", "Country"}, Rational(3, 4))});
  ASSERT_NE(search, nullptr);
  EXPECT_FALSE(search->StandingOf(Find(*search, "Country:UK")).alive);
  EXPECT_NEAR(ScoreOf(*search, Find(*search, "Country:Canada")), 0.163990, 1e-6);
  const Strings winners = {"Job:Cook", "Job:Artist", "Job:Doctor", "Country:US", "Country:France"};
  const std::vector<double> scores = {0.267234, 0.201573, 0.167750, 0.112607, 0.517802};
  const std::vector<double> after = {1 / 4.0, 5 / 16.0, 1 / 2.0, 1 / 2.0, 1 / 2.0};
  for (std::size_t step = 0; step < winners.size(); ++step) {
    const auto best = search->Best();
    ASSERT_TRUE(best);
    EXPECT_EQ(NameOf(*search, *best), winners[step]);
    EXPECT_NEAR(ScoreOf(*search, *best), scores[step], 1e-6);
    search->Apply(*best);
    EXPECT_DOUBLE_EQ(static_cast<double>(search->reached(0).above) / static_cast<double>(search->reached(0).below),
                     after[step]);
  }
  EXPECT_FALSE(search->Best());
  EXPECT_EQ(LeafSizes(*search), (Sizes{{"Cook/US", 4}, {"Artist/France", 4}, {"Doctor/US", 6}, {"*/*", 10}}));
}

// Trader and Clerk stay hidden though showing them is valid at 75 %: the hidden rows are all of one class.
TEST(TddPaper, ValidIsNotEnough) {
  TopDownTable table = Table51();
  const auto search = table.Search({Discharged({"Job", "Country"}, Rational(3, 4))}, {.prune = false});
  ASSERT_NE(search, nullptr);
  RunToTheEnd(*search);
  const auto trader = search->StandingOf(Find(*search, "Job:Trader"));
  EXPECT_FALSE(trader.alive);
  EXPECT_EQ(trader.bounds[0].above * 3, trader.bounds[0].below * 2);
  EXPECT_FALSE(search->attribute(0).beneficial(Find(*search, "Job:Trader").node));
}

TEST(TddPaper, TwoTemplatesToTheEnd) {
  TopDownTable table = Table51();
  const auto search =
      table.Search({Discharged({"Job", "Country"}, Rational(1, 2)), Discharged({"Job", "Child"}, Rational(1, 2))});
  ASSERT_NE(search, nullptr);
  EXPECT_FALSE(search->StandingOf(Find(*search, "Job:Trader")).alive);
  EXPECT_EQ(RunToTheEnd(*search),
            (Strings{"Job:Cook", "Job:Artist", "Job:Doctor", "Country:US", "Country:France", "Child:No", "Child:Yes"}));
}

TEST(TddPaper, ForcedOrderOfTheRunningExample) {
  TopDownTable table = Table51();
  const auto search =
      table.Search({Discharged({"Job", "Country"}, Rational(1, 2)), Discharged({"Job", "Child"}, Rational(1, 2))});
  ASSERT_NE(search, nullptr);
  const auto reached = [&](std::size_t i) { return Rational(search->reached(i).above, search->reached(i).below); };
  EXPECT_EQ(reached(0), Rational(5, 24));
  search->Apply(Find(*search, "Job:Clerk"));
  EXPECT_EQ(LeafSizes(*search), (Sizes{{"*/*/*", 20}, {"Clerk/*/*", 4}}));
  EXPECT_EQ(reached(0), Rational(1, 4));
  EXPECT_EQ(reached(1), Rational(1, 4));
  search->Apply(Find(*search, "Country:Canada"));
  EXPECT_EQ(LeafSizes(*search), (Sizes{{"*/*/*", 19}, {"*/Canada/*", 1}, {"Clerk/Canada/*", 4}}));
  EXPECT_EQ(reached(0), Rational(1, 4));
  EXPECT_FALSE(search->StandingOf(Find(*search, "Job:Trader")).alive);
}

TEST(TddPaper, FeasibleExactlyFromTheOverallShare) {
  TopDownTable table = Table51();
  EXPECT_EQ(table.Search({Discharged({"Job", "Country"}, Rational(1, 5))}), nullptr);
  EXPECT_NE(table.error().find("confidence(Job+Country -> Bankruptcy=Discharged, h=0.2)"), std::string::npos);
  const auto exact = table.Search({Discharged({"Job", "Country"}, Rational(5, 24))});
  ASSERT_NE(exact, nullptr);
  EXPECT_FALSE(exact->Best());
}

// Each template alone allows everything; together the pair tells.
TEST(TddPaper, TheUnionOfTemplatesIsNotBounded) {
  TopDownTable table({"a1 b1 y 1 1", "a1 b2 n 1 1", "a2 b1 n 1 1", "a2 b2 y 1 1"});
  table.Suppressed("A").Suppressed("B").Sensitive("S");
  const auto spec = [](const char* on) { return ConfidenceSpec{.on = {on}, .values = {{"S", {"y"}}}, .h = Rational(1, 2)}; };
  const auto search = table.Search({spec("A"), spec("B")});
  ASSERT_NE(search, nullptr);
  EXPECT_EQ(RunToTheEnd(*search).size(), 4u);
  EXPECT_EQ(LeafSizes(*search).size(), 4u);
}

TEST(TddPaper, RedundantTemplates) {
  TopDownTable table = Table51();
  const std::vector<ModelSpec> specs = {Discharged({"Job"}, Rational(1, 2)), Discharged({"Job", "Country"}, Rational(1, 2)),
                                        Discharged({"Job", "Country", "Child"}, Rational(3, 4)),
                                        ConfidenceSpec{.on = {"Job"}, .values = {{"Bankruptcy", {}}}, .h = Rational(3, 4)}};
  EXPECT_EQ(WithoutImplied(specs, table.data()), (std::vector<std::size_t>{1, 2, 3}));
}

TEST(TddPaper, BothKindsOfTemplatesInOneRun) {
  TopDownTable table = Table51();
  const auto search = table.Search({Discharged({"Job", "Country"}, Rational(3, 4)), KOn(5, {"Job", "Country"})});
  ASSERT_NE(search, nullptr);
  EXPECT_FALSE(search->StandingOf(Find(*search, "Job:Cook")).alive);  // four cooks
  RunToTheEnd(*search);
  for (const auto& [key, rows] : LeafSizes(*search)) EXPECT_GE(rows, 5u) << key;
  EXPECT_GE(search->reached(1).above, 5);
}

}  // namespace
}  // namespace cordon::engine::testing
