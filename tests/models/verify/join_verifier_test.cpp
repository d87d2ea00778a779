// SPDX-License-Identifier: Apache-2.0
//
// The worked examples of sequential releases, judged by the definition and by counting.
#include "cordon/models/verify/join_verifier.h"

#include <gtest/gtest.h>

#include "cordon/models/verify/forced_links.h"
#include "tests/models/verify/linked_builder.h"

namespace cordon::engine {
namespace {

// Both routes; they must agree in everything but how they came to it.
JoinVerification Judged(const LinkedBuilder& builder, const std::vector<JoinSpec>& specs, bool allow_unequal = false) {
  const LinkedTables linked = builder.Build();
  auto pairs = JudgeJoin(linked, specs, builder.impossible(), {.allow_unequal = allow_unequal}, {});
  auto counted = JudgeJoin(linked, specs, builder.impossible(), {.most_tuples = 0, .allow_unequal = allow_unequal}, {});
  EXPECT_TRUE(pairs.ok());
  EXPECT_TRUE(counted.ok());
  EXPECT_TRUE(pairs.value().by_definition);
  EXPECT_FALSE(counted.value().by_definition);
  for (std::size_t i = 0; i < specs.size(); ++i)
    EXPECT_EQ(Explain(pairs.value().verdicts[i]), Explain(counted.value().verdicts[i]));
  EXPECT_TRUE(pairs.value().tuples == counted.value().tuples);
  return std::move(pairs).value();
}

std::string OnJoin(const LinkedBuilder& builder, const JoinSpec& spec, bool allow_unequal = false) {
  const JoinVerification made = Judged(builder, {spec}, allow_unequal);
  return made.verdicts[0].join ? made.verdicts[0].join->Text() : "nothing";
}

const std::vector<std::string> kJobs = {"Banker White ANY", "Engineer White ANY", "Clerk Blue ANY", "Driver Blue ANY"};
const std::vector<std::string> kDiseases = {"Banker Cancer", "Banker Cancer", "Clerk HIV", "Driver Cancer", "Engineer HIV"};

LinkedBuilder Diseases(const std::vector<std::string>& jobs) {
  const std::vector<std::string> names = {"Alice", "Alice", "Bob", "Bob", "Cathy"};
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < names.size(); ++i) rows.push_back(names[i] + " " + jobs[i]);
  LinkedBuilder builder;
  builder.Tree("job", kJobs).Table("name job", rows).Table("job disease", kDiseases);
  return builder;
}

TEST(JoinVerifier, W1AJoinAttack) {
  const LinkedBuilder raw = Diseases({"Banker", "Banker", "Clerk", "Driver", "Engineer"});
  const JoinVerification made = Judged(raw, {Pairs("name previous.disease", 1), Persons("name previous.disease", 1)});
  EXPECT_TRUE(made.tuples == 7);
  EXPECT_EQ(made.verdicts[0].join->Text(), "1");
  EXPECT_EQ(OnJoin(raw, Share("name", "previous.disease", {"Cancer"}, Rational(1))), "1");
  const LinkedBuilder any = Diseases({"ANY", "ANY", "ANY", "ANY", "ANY"});
  EXPECT_TRUE(Judged(any, {Pairs("name previous.disease", 1)}).tuples == 25);
  EXPECT_EQ(OnJoin(any, Pairs("name previous.disease", 1)), "2");
  EXPECT_EQ(OnJoin(any, Persons("name previous.disease", 1)), "1");  // Cathy is one person
}

TEST(JoinVerifier, W2BothRegimes) {
  const JoinSpec linking = Share("name", "previous.disease", {"HIV", "Cancer"}, Rational(2, 3));
  const JoinSpec closed = Share("name job", "previous.disease", {"HIV", "Cancer"}, Rational(2, 3));
  struct Cut {
    std::vector<std::string> jobs;
    int tuples;
    std::string share;
  };
  for (const Cut& cut :
       {Cut{{"ANY", "ANY", "ANY", "ANY", "ANY"}, 25, "3/5"}, Cut{{"White", "White", "Blue", "Blue", "White"}, 13, "2/3"},
        Cut{{"White", "White", "Clerk", "Driver", "White"}, 11, "2/3"},
        Cut{{"Banker", "Banker", "Blue", "Blue", "Engineer"}, 9, "1"},
        Cut{{"Banker", "Banker", "Clerk", "Driver", "Engineer"}, 7, "1"}}) {
    const LinkedBuilder builder = Diseases(cut.jobs);
    const JoinVerification made = Judged(builder, {linking, closed});
    EXPECT_TRUE(made.tuples == static_cast<UInt128>(cut.tuples));
    EXPECT_EQ(made.verdicts[0].join->Text(), cut.share);
    EXPECT_EQ(made.verdicts[0].holds, cut.share != "1");
    EXPECT_FALSE(made.verdicts[0].closed);
    EXPECT_TRUE(made.verdicts[1].closed);
    EXPECT_EQ(made.verdicts[1].join->Text(), "1");
    EXPECT_EQ(made.audit, JoinVerification::Audit::kNotNeeded);  // cuts on both sides, equal blocks
  }
}

TEST(JoinVerifier, W3TheRunningExample) {
  const auto table = [](const std::vector<std::string>& pob) {
    LinkedBuilder builder;
    builder.Tree("pob", {"UK Europe ANY", "FR Europe ANY", "US US ANY"}).Tree("sex", {"M ANY", "F ANY"});
    builder.Table("test job pob sex",
                  {"HIV Banker " + pob[0] + " M", "HIV Banker " + pob[0] + " M", "Eye Banker " + pob[0] + " F",
                   "Eye Clerk " + pob[1] + " F", "Allergy Driver " + pob[2] + " M", "Allergy Engineer " + pob[2] + " M",
                   "Allergy Engineer " + pob[1] + " M", "Allergy Engineer " + pob[1] + " M"});
    builder.Table("pob sex zip", {"UK M Z3", "UK M Z3", "UK F Z5", "FR F Z5", "FR M Z3", "FR M Z3", "FR M Z3", "US M Z3"});
    return builder;
  };
  EXPECT_EQ(OnJoin(table({"UK", "FR", "US"}), Share("job pob previous.zip", "test", {"HIV"}, Rational(9, 10)), true), "1");
  EXPECT_EQ(OnJoin(table({"ANY", "ANY", "ANY"}), Share("pob previous.zip", "test", {"HIV"}, Rational(9, 10)), true), "1/3");
  EXPECT_EQ(OnJoin(table({"Europe", "Europe", "US"}), Share("pob previous.zip", "test", {"HIV"}, Rational(9, 10)), true),
            "1/2");
  // The source's tables are no projections of one table: 3 against 2 men of France.
  const LinkedBuilder raw = table({"UK", "FR", "US"});
  const auto made = JudgeJoin(raw.Build(), std::vector<JoinSpec>{Persons("job", 1)}, {}, {}, {});
  EXPECT_EQ(made.value().audit, JoinVerification::Audit::kNotApplicable);
  EXPECT_FALSE(made.value().holds());
  EXPECT_NE(Explain(made.value()).find("cannot be paired one to one"), std::string::npos);
}

TEST(JoinVerifier, W4RowsThatMatchNothing) {
  LinkedBuilder builder;
  builder.Tree("d", {"d1 d ANY", "d2 d ANY", "d3 d3 ANY"})
      .Table("c d", {"c1 d3", "c2 d2"})
      .Table("d y", {"d3 y3", "d3 y2", "d1 y1"});
  const LinkedTables linked = builder.Build();
  const ForcedLinks links = FindForcedLinks(linked, 0, 1, {}).value();
  EXPECT_EQ(links.answer, ForcedLinks::Answer::kNotApplicable);
  EXPECT_EQ(links.unmatched_a, 1u);
  EXPECT_EQ(links.unmatched_b, 1u);
  EXPECT_EQ(OnJoin(builder, Different("c d", "previous.y", 1), true), "2");  // c2 is not in the join
}

TEST(JoinVerifier, W7ThreeReleasesMatchPairwise) {
  LinkedBuilder builder;
  builder.Tree("a", {"UK ANY", "FR ANY"}).Table("a p", {"ANY u", "ANY v", "ANY w"});
  builder.Table("a b", {"UK b1", "FR b2", "FR b1"}).Table("a s", {"UK s1", "FR s1", "FR s2"});
  const JoinVerification made = Judged(builder, {Share("previous1.b", "previous2.s", {"s1"}, Rational(1))});
  EXPECT_TRUE(made.tuples == 15);  // 27 if each were matched with the first alone
  EXPECT_EQ(made.verdicts[0].join->Text(), "2/3");
  const auto of_b2 = Judged(builder, {Pairs("previous1.b", 1)});
  EXPECT_EQ(of_b2.verdicts[0].join->Text(), "6");
}

TEST(JoinVerifier, E2RowsOfThePreviousReleaseAreCountedOnce) {
  LinkedBuilder builder;
  builder.Tree("sex", {"M ANY", "F ANY"}).Table("job sex", {"Banker M", "Banker F"}).Table("sex zip", {"ANY Z3", "ANY Z3"});
  const JoinVerification made = Judged(builder, {PreviousRows("job previous.zip", 3)});
  EXPECT_EQ(made.verdicts[0].join->Text(), "2");
  EXPECT_FALSE(made.verdicts[0].holds);
}

TEST(JoinVerifier, E4TheCurrentReleaseAloneIsJudgedToo) {
  LinkedBuilder builder;
  std::vector<std::string> current = {"c2 F HIV", "c2 M no"};
  std::vector<std::string> previous = {"F Z", "M Z"};
  for (int i = 0; i < 8; ++i) {
    current.emplace_back("c9 M no");
    previous.emplace_back("M Z");
  }
  builder.Table("job s test", current).Table("s zip", previous);
  const JoinVerification made = Judged(builder, {Share("job previous.zip", "test", {"HIV"}, Rational(1, 5))});
  EXPECT_EQ(made.verdicts[0].join->Text(), "1/10");
  EXPECT_EQ(made.verdicts[0].alone->Text(), "1/2");
  EXPECT_FALSE(made.verdicts[0].holds);
}

TEST(JoinVerifier, E5LinksThatAreForced) {
  LinkedBuilder sexes;
  sexes.Table("sex", {"M", "M", "F", "F"}).Table("pregnant", {"N", "N", "Y", "Y"}).Impossible("sex", "pregnant", {{"M", "Y"}});
  const JoinVerification made = Judged(sexes, {Share("sex", "previous.pregnant", {"Y"}, Rational(1, 2))});
  EXPECT_EQ(made.verdicts[0].join->Text(), "1/2");
  EXPECT_EQ(made.verdicts[0].reduced->Text(), "1");
  EXPECT_FALSE(made.verdicts[0].holds);
  EXPECT_EQ(made.audit, JoinVerification::Audit::kDone);
  EXPECT_EQ(made.excluded_pairs, 4u);  // F with N
  // Four perfect matchings send both F to Y.
  const LinkedTables linked = sexes.Build();
  std::vector<std::size_t> order = {0, 1, 2, 3};
  int matchings = 0;
  do {
    bool all = true;
    for (std::size_t i = 0; i < 4; ++i) {
      all = all &&
            !linked.impossible[0].Impossible(linked.tables[0].columns[0].codes[i], linked.tables[1].columns[0].codes[order[i]]);
    }
    if (!all) continue;
    ++matchings;
    EXPECT_GE(order[2], 2u);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(matchings, 4);

  LinkedBuilder local;  // a previous release that was recoded locally
  local.Tree("a", {"UK Europe", "FR Europe"}).Table("a n", {"UK x", "FR y"}).Table("a s", {"Europe s1", "UK s2"});
  const JoinVerification forced = Judged(local, {Share("a", "previous.s", {"s1"}, Rational(1, 2))});
  EXPECT_EQ(forced.verdicts[0].reduced->Text(), "1");
  EXPECT_EQ(forced.excluded_pairs, 1u);  // UK with Europe
}

TEST(JoinVerifier, LabelsAreImpossibleIfAllTheirLeavesAre) {
  LinkedBuilder builder;
  builder.Tree("sex", {"M ANY", "F ANY"}).Table("sex", {"ANY", "M"}).Table("ill", {"Y", "N"});
  builder.Impossible("sex", "ill", {{"M", "Y"}});
  const LinkedTables linked = builder.Build();
  ASSERT_EQ(linked.impossible.size(), 1u);
  EXPECT_FALSE(linked.impossible[0].Impossible(0, 0));
  EXPECT_TRUE(linked.impossible[0].Impossible(1, 0));
  EXPECT_FALSE(linked.impossible[0].Impossible(1, 1));
}

TEST(JoinVerifier, RangesOfBothNotations) {
  LinkedBuilder builder;
  builder.Numbers("age", 0, 99).Table("age n", {"[1,37) a", "[37,50] b"}).Table("age s", {"[30,36] s1", "[37,40] s2"});
  EXPECT_TRUE(Judged(builder, {Share("n", "previous.s", {"s1"}, Rational(1))}).tuples == 2);
  LinkedBuilder overlapping;
  overlapping.Numbers("age", 0, 99).Table("age n", {"[1,37) a", "[37,50] b"}).Table("age s", {"[30,37] s1", "* s2"});
  EXPECT_TRUE(Judged(overlapping, {Share("n", "previous.s", {"s1"}, Rational(1))}).tuples == 4);
  LinkedBuilder missing;
  missing.Numbers("age", 0, 99).Table("age n", {"? a", "5 b"}).Table("age s", {"? s1", "5 s2"});
  EXPECT_TRUE(Judged(missing, {Share("n", "previous.s", {"s1"}, Rational(1))}).tuples == 2);
}

TEST(JoinVerifier, PeopleWithSeveralRowsAreCountedOnce) {
  LinkedBuilder builder;
  builder.Table("a n", {"x 1", "x 2", "y 3"}).Table("a s", {"x s", "x s", "y s"}).Persons(0, {0, 0, 1});
  EXPECT_EQ(OnJoin(builder, Persons("a", 1)), "1");
  EXPECT_EQ(Judged(builder, {Persons("previous.s", 2)}).verdicts[0].alone->Text(), "2");
}

TEST(JoinVerifier, WhatIsNotThereIsNamed) {
  LinkedBuilder builder;
  builder.Table("a n", {"x 1"}).Table("a s", {"x s"}).Table("a s", {"x s"});
  const LinkedTables linked = builder.Build();
  const auto error = [&](const JoinSpec& spec) {
    const auto made = JudgeJoin(linked, std::vector<JoinSpec>{spec}, {}, {}, {});
    return made.ok() ? std::string("fine") : made.error().message();
  };
  EXPECT_NE(error(Persons("b", 1)).find("the current release has no column 'b'"), std::string::npos);
  EXPECT_NE(error(Persons("previous.zip", 1)).find("no previous release has a column 'zip'"), std::string::npos);
  EXPECT_NE(error(Persons("previous.s", 1)).find("2 previous releases have a column 's'"), std::string::npos);
  EXPECT_NE(error(Persons("previous3.s", 1)).find("the previous release 3"), std::string::npos);
  EXPECT_NE(error(PreviousRows("n", 1)).find("does not say of which"), std::string::npos);
  EXPECT_NE(error(Different("previous1.a", "a", 1)).find("in x and in y"), std::string::npos);
  LinkedBuilder unreadable;
  unreadable.Tree("a", {"x ANY", "y ANY"}).Table("a", {"x", "y"}).Table("a", {"x", "z"});
  const auto read = unreadable.Read();
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message().find("previous1: row 2: the cell of column 'a'"), std::string::npos);
}

}  // namespace
}  // namespace cordon::engine
