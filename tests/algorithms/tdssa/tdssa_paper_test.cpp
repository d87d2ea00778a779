// SPDX-License-Identifier: Apache-2.0
//
// The worked examples W2, W3 and W5, step by step.
#include <gtest/gtest.h>

#include "tests/algorithms/tdssa/sequential_table.h"

namespace cordon::engine::testing {
namespace {

using Names = std::vector<std::string>;

SequentialTable Diseases(Rational h, const std::string& x) {
  SequentialTable table("name job", {"Alice Banker", "Alice Banker", "Bob Clerk", "Bob Driver", "Cathy Engineer"});
  table.Tree("job", {"Banker White ANY", "Engineer White ANY", "Clerk Blue ANY", "Driver Blue ANY"});
  table.Previous("job disease", {"Banker Cancer", "Banker Cancer", "Clerk HIV", "Driver Cancer", "Engineer HIV"});
  table.Ask(Share(x, "previous.disease", {"HIV", "Cancer"}, h));
  return table;
}

TEST(Tdssa, W2LinkingHidesWhoHasWhat) {
  SequentialTable two_thirds = Diseases(Rational(2, 3), "name");
  auto search = two_thirds.Search();
  ASSERT_TRUE(search.ok());
  EXPECT_EQ(search.value()->state_reached(0).bound.above * 5, search.value()->state_reached(0).bound.below * 3);
  EXPECT_EQ(RunToTheEnd(*search.value()), (Names{"job:ANY", "job:Blue"}));
  EXPECT_EQ(LeafSizes(*search.value()), (std::map<std::string, std::size_t>{{"White", 3}, {"Clerk", 1}, {"Driver", 1}}));
  SequentialTable three_fifths = Diseases(Rational(3, 5), "name");
  EXPECT_FALSE(three_fifths.Search().value()->Best());
}

TEST(Tdssa, W2ClosedNothingHelps) {
  SequentialTable table = Diseases(Rational(2, 3), "name job");
  const auto search = table.Search();
  ASSERT_FALSE(search.ok());
  EXPECT_NE(search.error().message().find("no release satisfies"), std::string::npos);
}

const std::vector<std::string> kPob = {"UK Europe ANY_PoB", "FR Europe ANY_PoB", "US US ANY_PoB"};
const std::vector<std::string> kFlatJob = {"Banker ANY_Job", "Clerk ANY_Job", "Driver ANY_Job", "Engineer ANY_Job"};
const std::vector<std::string> kTwoLevelJob = {"Banker Admin ANY_Job", "Clerk Admin ANY_Job", "Driver Field ANY_Job",
                                               "Engineer Field ANY_Job"};

// Classes: 0 yes, 1 no.
SequentialTable Running(const std::vector<std::string>& jobs) {
  SequentialTable table("test job pob sex",
                        {"HIV Banker UK M", "HIV Banker UK M", "Eye Banker UK F", "Eye Clerk FR F", "Allergy Driver US M",
                         "Allergy Engineer US M", "Allergy Engineer FR M", "Allergy Engineer FR M"},
                        {0, 0, 0, 0, 1, 1, 0, 0});
  table.Tree("job", jobs).Tree("pob", kPob).Tree("sex", {"M ANY_Sex", "F ANY_Sex"});
  table.Previous("pob sex zip", {"UK M Z3", "UK M Z3", "UK F Z5", "FR F Z5", "FR M Z3", "FR M Z3", "FR M Z3", "US M Z3"});
  return table;
}

Fraction Of(const Bound& bound) { return {bound.above, bound.below}; }

TEST(Tdssa, W3TheRunningExampleStepByStep) {
  for (const Rational h : {Rational(9, 10), Rational(1, 2)}) {
    for (const auto& jobs : {kFlatJob, kTwoLevelJob}) {
      SequentialTable table = Running(jobs);
      table.OnlyX().Ask(Share("job pob previous.zip", "test", {"HIV"}, h));
      auto made = table.Search();
      ASSERT_TRUE(made.ok());
      TopDown& search = *made.value();
      EXPECT_TRUE(Of(search.state_reached(0).bound) == (Fraction{1, 3}));
      const Refinement pob = Find(search, "pob:ANY_PoB");
      EXPECT_NEAR(GainOf(search, pob), 0.8113, 5e-5);
      EXPECT_NEAR(ScoreOf(search, pob), 0.6954, 5e-5);
      EXPECT_TRUE(Of(search.StandingOf(pob).bounds.back()) == (Fraction{1, 2}));
      const Refinement job = Find(search, "job:ANY_Job");
      EXPECT_NEAR(GainOf(search, job), jobs == kFlatJob ? 0.4669 : 0.3113, 5e-5);
      EXPECT_TRUE(Of(search.StandingOf(job).bounds.back()) == (Fraction{1, 1}));
      EXPECT_FALSE(search.StandingOf(job).alive);
      EXPECT_EQ(RunToTheEnd(search), (Names{"pob:ANY_PoB"}));
      EXPECT_TRUE(Of(search.state_reached(0).bound) == (Fraction{1, 2}));
      EXPECT_TRUE(Of(search.StandingOf(Find(search, "pob:Europe")).bounds.back()) == (Fraction{1, 1}));
      EXPECT_EQ(search.num_shown(0), 1u);  // ANY_Job
      EXPECT_EQ(search.num_shown(1), 2u);  // Europe, US
    }
  }
  SequentialTable strict = Running(kFlatJob);
  EXPECT_FALSE(strict.OnlyX().Ask(Share("job pob previous.zip", "test", {"HIV"}, Rational(1, 3))).Search().value()->Best());
}

TEST(Tdssa, W3ClosedEqualsTheTableAlone) {
  // Closed; and linking with our default of what is generalized: the same scores, winners and table.
  for (const std::string x : {"job pob sex previous.zip", "job pob previous.zip"}) {
    SequentialTable table = Running(kFlatJob);
    table.Ask(Share(x, "test", {"HIV"}, Rational(9, 10)));
    auto made = table.Search();
    ASSERT_TRUE(made.ok());
    TopDown& search = *made.value();
    EXPECT_TRUE(Of(search.state_reached(0).bound) == (Fraction{1, 4}));
    EXPECT_NEAR(ScoreOf(search, Find(search, "pob:ANY_PoB")), 0.7489, 5e-5);
    EXPECT_NEAR(ScoreOf(search, Find(search, "job:ANY_Job")), 0.3296, 5e-5);
    EXPECT_NEAR(ScoreOf(search, Find(search, "sex:ANY_Sex")), 0.1131, 5e-5);
    search.Apply(*search.Best());
    EXPECT_NEAR(ScoreOf(search, Find(search, "job:ANY_Job")), 0.3502, 5e-5);
    EXPECT_NEAR(ScoreOf(search, Find(search, "sex:ANY_Sex")), 0.1050, 5e-5);
    EXPECT_NEAR(ScoreOf(search, Find(search, "pob:Europe")), 0, 5e-5);
    EXPECT_EQ(RunToTheEnd(search), (Names{"job:ANY_Job", "pob:Europe"}));
    EXPECT_TRUE(Of(search.state_reached(0).bound) == (Fraction{2, 3}));
    EXPECT_EQ(search.num_shown(2), 1u);  // ANY_Sex
  }
}

TEST(Tdssa, W5Anonymity) {
  SequentialTable closed = Running(kTwoLevelJob);
  closed.Ask(Persons("job pob sex previous.zip", 2));
  auto made = closed.Search();
  ASSERT_TRUE(made.ok());
  TopDown& search = *made.value();
  EXPECT_EQ(search.state_reached(0).bound.above, 8);
  EXPECT_NEAR(ScoreOf(search, Find(search, "pob:ANY_PoB")), 0.1159, 5e-5);
  EXPECT_NEAR(ScoreOf(search, Find(search, "job:ANY_Job")), 0.0623, 5e-5);
  EXPECT_NEAR(ScoreOf(search, Find(search, "sex:ANY_Sex")), 0.0175, 5e-5);
  EXPECT_EQ(RunToTheEnd(search), (Names{"pob:ANY_PoB", "job:ANY_Job", "sex:ANY_Sex"}));
  EXPECT_EQ(LeafSizes(search), (std::map<std::string, std::size_t>{
                                   {"Admin/Europe/M", 2}, {"Admin/Europe/F", 2}, {"Field/US/M", 2}, {"Field/Europe/M", 2}}));

  SequentialTable linking = Running(kTwoLevelJob);
  auto linked = linking.OnlyX().Ask(Persons("job pob previous.zip", 2)).Search();
  ASSERT_TRUE(linked.ok());
  EXPECT_EQ(linked.value()->state_reached(0).bound.above, 2);
  EXPECT_EQ(RunToTheEnd(*linked.value()), (Names{"pob:ANY_PoB", "job:ANY_Job"}));

  SequentialTable previous = Running(kTwoLevelJob);
  const auto refused = previous.Ask(PreviousRows("job pob sex previous.zip", 2)).Search();
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("no release satisfies"), std::string::npos);
}

TEST(Tdssa, E4TheTableAloneRefusesWhatTheJoinAllows) {
  std::vector<std::string> current = {"c2 F HIV", "c2 M no"};
  std::vector<std::string> previous = {"F Z", "M Z"};
  for (int i = 0; i < 8; ++i) {
    current.emplace_back("c9 M no");
    previous.emplace_back("M Z");
  }
  SequentialTable table("job s test", current);
  table.Tree("job", {"c2 ANY", "c9 ANY"}).Previous("s zip", previous);
  auto made = table.Ask(Share("job previous.zip", "test", {"HIV"}, Rational(1, 5))).Search();
  ASSERT_TRUE(made.ok());
  EXPECT_FALSE(made.value()->Best());  // 1/10 on the join, 1/2 in the table
  EXPECT_TRUE(Of(made.value()->StandingOf({0, 0}).bounds.back()) == (Fraction{1, 10}));
}

}  // namespace
}  // namespace cordon::engine::testing
