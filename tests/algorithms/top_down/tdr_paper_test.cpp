// SPDX-License-Identifier: Apache-2.0
//
// The worked examples of Fung's thesis, chapters 4 and 7, to the end.
#include <gtest/gtest.h>

#include "tests/algorithms/top_down/top_down_table.h"

namespace cordon::engine::testing {
namespace {

using Strings = std::vector<std::string>;
using Sizes = std::map<std::string, std::size_t>;

const Strings kJobTree = {"Janitor Non_Technical Blue_Collar ANY_Job", "Mover Non_Technical Blue_Collar ANY_Job",
                          "Carpenter Technical Blue_Collar ANY_Job",   "Electrician Technical Blue_Collar ANY_Job",
                          "Manager Manager White_Collar ANY_Job",      "Engineer Professional White_Collar ANY_Job",
                          "Lawyer Professional White_Collar ANY_Job"};
const Strings kSexTree = {"M ANY_Sex", "F ANY_Sex"};

// Table 4.1: job, sex, age, disease.
const Strings kTable41 = {"Janitor M 30 Hepatitis 0 3",  "Mover M 32 Hepatitis 0 4", "Carpenter M 35 Cancer 2 3",
                          "Electrician F 37 Cancer 3 1", "Manager F 42 Flu 4 2",     "Manager F 44 Flu 4 0",
                          "Engineer M 44 HIV 4 0",       "Engineer F 44 Flu 3 0",    "Lawyer F 44 HIV 1 0"};

TopDownTable JobSexAge() {
  TopDownTable table(kTable41);
  table.Tree("Job", kJobTree).Tree("Sex", kSexTree).Numeric("Age", 1, 99);
  return table;
}

TEST(TdrPaper, FirstScoresOfTable41) {
  TopDownTable table = JobSexAge();
  const auto search = table.Search({KOn(4, {"Job", "Sex"}), KOn(11, {"Sex", "Age"})});
  ASSERT_NE(search, nullptr);
  EXPECT_NEAR(GainOf(*search, Find(*search, "Job:ANY_Job")), 0.271591, 1e-6);
  EXPECT_NEAR(ScoreOf(*search, Find(*search, "Job:ANY_Job")), 0.014294, 1e-6);
  EXPECT_NEAR(ScoreOf(*search, Find(*search, "Sex:ANY_Sex")), 0.008759, 1e-6);
  EXPECT_NEAR(ScoreOf(*search, Find(*search, "Age:[1,99]")), 0.015585, 1e-6);
  const Refinement age = Find(*search, "Age:[1,99]");
  EXPECT_EQ(search->attribute(2).attribute().domain->value(search->attribute(2).split(age.node)), 37);
}

TEST(TdrPaper, OneTemplateGivesTable42) {
  TopDownTable table(kTable41);
  table.Tree("Job", kJobTree).Tree("Sex", kSexTree).Skip().Sensitive("Disease");
  const auto search = table.Search({KOn(4, {"Job", "Sex"})});
  ASSERT_NE(search, nullptr);
  const Strings winners = {"Job:ANY_Job", "Job:Blue_Collar", "Job:White_Collar", "Sex:ANY_Sex", "Job:Technical"};
  const std::vector<double> scores = {0.014294, 0.033856, 0.102187, 0.041603, 0.091091};
  const std::vector<std::int64_t> reached = {16, 7, 7, 4, 4};
  for (std::size_t step = 0; step < winners.size(); ++step) {
    const auto best = search->Best();
    ASSERT_TRUE(best);
    EXPECT_EQ(NameOf(*search, *best), winners[step]);
    EXPECT_NEAR(ScoreOf(*search, *best), scores[step], 1e-6);
    search->Apply(*best);
    EXPECT_EQ(search->reached(0).above, reached[step]);
  }
  EXPECT_FALSE(search->Best());
  EXPECT_EQ(LeafSizes(*search), (Sizes{{"Non_Technical/M", 7},
                                       {"Carpenter/M", 5},
                                       {"Electrician/F", 4},
                                       {"Manager/F", 10},
                                       {"Professional/M", 4},
                                       {"Professional/F", 4}}));
}

TEST(TdrPaper, TwoTemplatesToTheEnd) {
  TopDownTable table = JobSexAge();
  const auto search = table.Search({KOn(4, {"Job", "Sex"}), KOn(11, {"Sex", "Age"})});
  ASSERT_NE(search, nullptr);
  search->Apply(*search->Best());  // Age at 37
  EXPECT_EQ(search->reached(0).above, 34);
  EXPECT_EQ(search->reached(1).above, 12);
  EXPECT_EQ(LeafSizes(*search), (Sizes{{"ANY_Job/ANY_Sex/[1,37)", 12}, {"ANY_Job/ANY_Sex/[37,99]", 22}}));
  EXPECT_FALSE(search->StandingOf(Find(*search, "Sex:ANY_Sex")).alive);
  EXPECT_FALSE(search->StandingOf(Find(*search, "Age:[1,37)")).alive);
  EXPECT_FALSE(search->StandingOf(Find(*search, "Age:[37,99]")).alive);
  ASSERT_EQ(NameOf(*search, *search->Best()), "Job:ANY_Job");
  search->Apply(*search->Best());
  EXPECT_EQ(
      LeafSizes(*search),
      (Sizes{{"Blue_Collar/ANY_Sex/[1,37)", 12}, {"Blue_Collar/ANY_Sex/[37,99]", 4}, {"White_Collar/ANY_Sex/[37,99]", 18}}));
  EXPECT_EQ(search->reached(0).above, 16);
  EXPECT_EQ(RunToTheEnd(*search), (Strings{"Job:Blue_Collar", "Job:White_Collar", "Job:Technical"}));
  EXPECT_EQ(search->reached(0).above, 4);
  EXPECT_EQ(search->reached(1).above, 12);
  EXPECT_EQ(LeafSizes(*search), (Sizes{{"Carpenter/ANY_Sex/[1,37)", 5},
                                       {"Non_Technical/ANY_Sex/[1,37)", 7},
                                       {"Electrician/ANY_Sex/[37,99]", 4},
                                       {"Manager/ANY_Sex/[37,99]", 10},
                                       {"Professional/ANY_Sex/[37,99]", 8}}));
}

TEST(TdrPaper, OneTemplateOverTheUnionStopsEarlier) {
  TopDownTable table = JobSexAge();
  const auto search = table.Search({KOn(11, {"Job", "Sex", "Age"})});
  ASSERT_NE(search, nullptr);
  EXPECT_EQ(RunToTheEnd(*search), (Strings{"Age:[1,99]"}));
  EXPECT_EQ(search->reached(0).above, 12);
}

// Both templates hold and the female lawyer is alone again for someone who knows all three.
TEST(TdrPaper, SeveralTemplatesDoNotProtectTheirUnion) {
  TopDownTable table(kTable41);
  table.Suppressed("Job").Suppressed("Sex").Numeric("Age", 1, 99);
  const auto search = table.Search({KOn(4, {"Job", "Sex"}), KOn(11, {"Sex", "Age"})});
  ASSERT_NE(search, nullptr);
  const std::vector<double> scores = {.015585, .005941, .141876, .043807, .110360, .018311};
  const Strings winners = {"Age:[1,99]", "Job:Engineer", "Job:Manager", "Job:Mover", "Job:Electrician", "Job:Carpenter"};
  for (std::size_t step = 0; step < winners.size(); ++step) {
    const auto best = search->Best();
    ASSERT_TRUE(best);
    EXPECT_EQ(NameOf(*search, *best), winners[step]);
    EXPECT_NEAR(ScoreOf(*search, *best), scores[step], 1e-6);
    search->Apply(*best);
  }
  EXPECT_FALSE(search->Best());
  EXPECT_EQ(search->reached(0).above, 4);
  EXPECT_EQ(search->reached(1).above, 12);
  EXPECT_EQ(LeafSizes(*search).at("*/*/[1,37)"), 3u);
  EXPECT_EQ(LeafSizes(*search).at("*/*/[37,99]"), 1u);
}

TEST(TdrPaper, AFixedSplitMayBlockAValidOne) {
  Strings lines;
  for (int value = 1; value <= 10; ++value) lines.push_back(std::to_string(value) + (value <= 3 ? " 0 1" : " 1 0"));
  TopDownTable table(lines);
  table.Numeric("V", 1, 10);
  const auto search = table.Search({KOn(4, {"V"})});
  ASSERT_NE(search, nullptr);
  EXPECT_NEAR(GainOf(*search, {0, 0}), .8813, 1e-4);
  EXPECT_FALSE(search->Best());
}

const Strings kEducation = {"10th M 40 20 0", "10th M 30 0 4", "9th M 30 0 2", "9th F 30 0 4",
                            "9th F 40 0 6",   "8th F 30 0 2",  "8th F 40 0 2"};

TEST(TdrPaper, ScoreAgainstGainAlone) {
  TopDownTable table(kEducation);
  table.Tree("Education", {"8th ANY_Edu", "9th ANY_Edu", "10th ANY_Edu"}).Tree("Sex", kSexTree).Numeric("Hours", 1, 99);
  const auto search = table.Search({KOn(4, {"Education", "Sex", "Hours"})});
  ASSERT_NE(search, nullptr);
  EXPECT_NEAR(ScoreOf(*search, Find(*search, "Education:ANY_Edu")), .0165, 1e-4);
  EXPECT_NEAR(ScoreOf(*search, Find(*search, "Sex:ANY_Sex")), .0183, 1e-4);
  EXPECT_NEAR(ScoreOf(*search, Find(*search, "Hours:[1,99]")), .0136, 1e-4);
  EXPECT_EQ(RunToTheEnd(*search), (Strings{"Sex:ANY_Sex", "Hours:[1,99]"}));
  EXPECT_EQ(LeafSizes(*search),
            (Sizes{{"ANY_Edu/M/[40,99]", 20}, {"ANY_Edu/M/[1,40)", 6}, {"ANY_Edu/F/[40,99]", 8}, {"ANY_Edu/F/[1,40)", 6}}));
  const auto by_gain = table.Search({KOn(4, {"Education", "Sex", "Hours"})}, {.choice = TopDownOptions::Choice::kGain});
  EXPECT_EQ(RunToTheEnd(*by_gain), (Strings{"Education:ANY_Edu"}));
  EXPECT_EQ(by_gain->reached(0).above, 4);
}

TEST(TdrPaper, ScoreWithSuppressedColumns) {
  TopDownTable table(kEducation);
  table.Suppressed("Education").Suppressed("Sex").Numeric("Hours", 1, 99);
  const auto search = table.Search({KOn(4, {"Education", "Sex", "Hours"})});
  ASSERT_NE(search, nullptr);
  EXPECT_EQ(NameOf(*search, *search->Best()), "Education:10th");
  EXPECT_NEAR(ScoreOf(*search, *search->Best()), .024399, 1e-6);
  search->Apply(*search->Best());
  EXPECT_NEAR(ScoreOf(*search, *search->Best()), .030447, 1e-6);
  EXPECT_EQ(RunToTheEnd(*search), (Strings{"Hours:[1,99]"}));
  EXPECT_EQ(LeafSizes(*search), (Sizes{{"10th/*/[1,40)", 4}, {"10th/*/[40,99]", 20}, {"*/*/[1,40)", 8}, {"*/*/[40,99]", 8}}));
}

// Chapter 7's table, with the whole numbers that two parties must agree on.
const Strings kTable7 = {"M Janitor 30 0 3", "M Mover 32 0 4",   "M Carpenter 35 2 3",  "F Technician 37 3 1",
                         "F Manager 42 4 2", "F Manager 44 3 0", "M Accountant 44 3 0", "F Accountant 44 3 0",
                         "M Lawyer 44 2 0",  "F Lawyer 44 1 0"};
const Strings kJobTree7 = {"Janitor Non_Technical Blue_Collar ANY_Job", "Mover Non_Technical Blue_Collar ANY_Job",
                           "Carpenter Technical Blue_Collar ANY_Job",   "Technician Technical Blue_Collar ANY_Job",
                           "Manager Manager White_Collar ANY_Job",      "Accountant Professional White_Collar ANY_Job",
                           "Lawyer Professional White_Collar ANY_Job"};

TEST(TdrPaper, WholeNumberScoresAndChildNumbers) {
  TopDownTable table(kTable7);
  table.Tree("Sex", kSexTree).Tree("Job", kJobTree7).Numeric("Salary", 1, 99);
  const auto search = table.Search({KOn(4, {"Sex", "Job"}), KOn(11, {"Sex", "Salary"})});
  ASSERT_NE(search, nullptr);
  const auto score = [&](const std::string& name) {
    return static_cast<std::uint64_t>(search->StandingOf(Find(*search, name)).score);
  };
  EXPECT_EQ(score("Sex:ANY_Sex"), 33734607438252u);
  EXPECT_EQ(score("Job:ANY_Job"), 64375628753358u);
  EXPECT_EQ(score("Salary:[1,99]"), 70186469209939u);
  const std::vector<std::uint32_t> numbers = search->Tell(Find(*search, "Salary:[1,99]")).child_numbers;
  EXPECT_EQ(numbers.size(), 34u);
  EXPECT_EQ(std::count(numbers.begin(), numbers.begin() + 12, 0u), 12);
  EXPECT_EQ(std::count(numbers.begin() + 12, numbers.end(), 1u), 22);
  search->Apply(*search->Best());
  search->Apply(*search->Best());
  EXPECT_EQ(score("Job:Blue_Collar"), 152472945354342u);
  EXPECT_EQ(score("Job:White_Collar"), 68204810360149u);
  search->Apply(*search->Best());
  EXPECT_EQ(score("Job:White_Collar"), 545638482881194u);
  EXPECT_EQ(score("Job:Technical"), 102559356609422u);
  EXPECT_EQ(RunToTheEnd(*search), (Strings{"Job:White_Collar", "Job:Technical"}));
  EXPECT_EQ(LeafSizes(*search), (Sizes{{"ANY_Sex/Non_Technical/[1,37)", 7},
                                       {"ANY_Sex/Carpenter/[1,37)", 5},
                                       {"ANY_Sex/Technician/[37,99]", 4},
                                       {"ANY_Sex/Manager/[37,99]", 9},
                                       {"ANY_Sex/Professional/[37,99]", 9}}));
}

TEST(TdrPaper, BothPartiesRefine) {
  TopDownTable table(kTable7);
  table.Tree("Sex", kSexTree).Tree("Job", kJobTree7);
  const auto search = table.Search({KOn(4, {"Sex", "Job"})});
  ASSERT_NE(search, nullptr);
  for (int step = 0; step < 3; ++step) search->Apply(*search->Best());
  EXPECT_EQ(static_cast<std::uint64_t>(search->StandingOf(Find(*search, "Sex:ANY_Sex")).score), 151805733472135u);
  EXPECT_EQ(RunToTheEnd(*search), (Strings{"Sex:ANY_Sex", "Job:Technical"}));
  EXPECT_EQ(LeafSizes(*search).at("M/Professional"), 5u);
}

TEST(TdrPaper, RedundantTemplatesTheRightWayRound) {
  TopDownTable table = JobSexAge();
  // The printed theorem would drop the first, which is the stronger one.
  const std::vector<ModelSpec> strong = {KOn(20, {"Sex"}), KOn(3, {"Sex", "Age"})};
  EXPECT_EQ(WithoutImplied(strong, table.data()), (std::vector<std::size_t>{0, 1}));
  const std::vector<ModelSpec> implied = {KOn(3, {"Sex"}), KOn(3, {"Sex", "Age"}), KOn(3, {"Age", "Sex"}), KOn(4, {"Job"})};
  EXPECT_EQ(WithoutImplied(implied, table.data()), (std::vector<std::size_t>{1, 3}));
}

TEST(TdrPaper, FixedPointLogarithms) {
  EXPECT_EQ(FixedLog2(1), 0u);
  EXPECT_EQ(FixedLog2(2), 4294967296u);
  EXPECT_EQ(FixedLog2(3), 6807362105u);
  EXPECT_EQ(FixedLog2(7), 12057497578u);
  EXPECT_EQ(FixedLog2(34), 21850486522u);
  EXPECT_EQ(FixedLog2(45222), 66420540420u);
  for (std::uint64_t n = 2; n < 5000; ++n) EXPECT_GT(FixedLog2(n), FixedLog2(n - 1)) << n;
}

}  // namespace
}  // namespace cordon::engine::testing
