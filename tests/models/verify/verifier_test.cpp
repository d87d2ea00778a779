// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/verify/verifier.h"

#include <gtest/gtest.h>

#include "cordon/models/verify/join_verifier.h"
#include "tests/models/build_microdata.h"

namespace cordon::engine::test {
namespace {

using Kind = LDiversitySpec::Kind;
using BetaKind = BetaLikenessSpec::Kind;

DomainPtr Letters() { return Tree({{"a", "vowels or b", "*"}, {"b", "vowels or b", "*"}, {"c", "c", "*"}}); }

// Rows 1..8 are one group, rows 9..12 another; in both half the rows have a, a quarter b, a quarter c.
std::vector<TestColumn> TwoEvenGroups() {
  TestColumn age{"age", Role::kQuasi, Numbers(0, 99), {}};
  TestColumn sex{"sex", Role::kQuasi, Flat({"m", "f"}), {}};
  for (int row = 0; row < 12; ++row) {
    age.cells.push_back(row < 8 ? "[20,29]" : "[30,39]");
    sex.cells.push_back(row < 8 ? "m" : "*");
  }
  return {age, sex, {"s", Role::kSensitive, Letters(), {"a", "b", "a", "c", "a", "b", "a", "c", "a", "b", "a", "c"}}};
}

Verdict JudgeOne(const Release& release, const ModelSpec& spec, VerifyOptions options = {}) {
  return Verifier({spec}, options).Judge(release, cordon::engine::Run{}).value()[0];
}

struct BrokenByOneCell {
  ModelSpec spec;
  std::string reached;         // before
  std::string broken_reached;  // after
  std::uint64_t broken_first_row;
  std::uint64_t broken_rows;
  bool quasi = false;  // the cell: age of row 12, else s of row 10 (b becomes a)
};

TEST(Verifier, OneCellBreaksAModelAndTheWorstGroupIsNamed) {
  const std::vector<BrokenByOneCell> cases = {
      {KAnonymitySpec{4, {}}, "4", "1", 12, 1, true},
      {KAnonymitySpec{4, {"age"}}, "4", "3", 9, 3, true},
      {KsAnonymitySpec{4}, "4", "1", 12, 1, true},
      {LDiversitySpec{"s", 3, Kind::kDistinct, {}}, "3", "2", 9, 4},
      {LDiversitySpec{"s", 2, Kind::kEntropy, {}}, "2.82843", "1.75477", 9, 4},
      {LDiversitySpec{"s", 2, Kind::kRecursive, Rational(2)}, "1", "3", 9, 4},
      {LDiversitySpec{"s", 3, Kind::kRecursive, Rational(3)}, "2", "infinite", 9, 4},
      {TClosenessSpec{"s", 0, Distance::kEqual}, "0", "1/6", 9, 4},
      {TClosenessSpec{"s", Rational(1, 20), Distance::kOrdered}, "0", "1/12", 9, 4},
      {TClosenessSpec{"s", Rational(1, 20), Distance::kHierarchical}, "0", "1/12", 9, 4},
      {BetaLikenessSpec{"s", Rational(49, 100), BetaKind::kBasic}, "0", "1/2", 1, 8},
      {BetaLikenessSpec{"s", Rational(49, 100), BetaKind::kEnhanced}, "0", "1/2", 1, 8},
      {DeltaDisclosureSpec{"s", Rational(1, 2)}, "0", "infinite", 9, 4},
      {AlphaKSpec{"s", "a", Rational(1, 2), 4}, "1/2, k=4", "3/4, k=4", 9, 4},
      {ConfidenceSpec{{"age"}, {{"s", {"a"}}}, Rational(1, 2)}, "1/2", "3/4", 9, 4},
      {ConfidenceSpec{{}, {{"s", {}}}, Rational(1, 2)}, "1/2", "3/4", 9, 4},
  };
  for (const BrokenByOneCell& each : cases) {
    SCOPED_TRACE(Describe(each.spec));
    std::vector<TestColumn> columns = TwoEvenGroups();
    const Verdict before = JudgeOne(BuildRelease(columns), each.spec);
    EXPECT_TRUE(before.holds);
    EXPECT_EQ(before.reached_text, each.reached);
    EXPECT_EQ(before.failing_groups, 0u);

    if (each.quasi) {
      columns[0].cells[11] = "[20,29]";
    } else {
      columns[2].cells[9] = "a";
    }
    const Verdict after = JudgeOne(BuildRelease(columns), each.spec);
    EXPECT_FALSE(after.holds);
    EXPECT_EQ(after.reached_text, each.broken_reached);
    ASSERT_TRUE(after.witness.has_value());
    EXPECT_EQ(after.witness->first_row, each.broken_first_row);
    EXPECT_EQ(after.witness->rows, each.broken_rows);
    EXPECT_GE(after.failing_groups, 1u);
    EXPECT_GE(after.failing_rows, after.failing_groups);
    const std::string told = Explain(after);
    EXPECT_TRUE(told.starts_with(fmt::format("{}: does not hold; reached {} in the group of row {}", Describe(each.spec),
                                             after.reached_shown, each.broken_first_row)))
        << told;
    EXPECT_NE(told.find(fmt::format("; {} group", after.failing_groups)), std::string::npos) << told;
  }
}

TEST(Verifier, AcceptsOnlyWhatHolds) {
  std::vector<TestColumn> columns = TwoEvenGroups();
  const Verifier verifier({KAnonymitySpec{4, {}}, TClosenessSpec{"s", 0, Distance::kEqual}});
  std::vector<Verdict> verdicts;
  const auto accepted = verifier.Accept(BuildRelease(columns), cordon::engine::Run{}, &verdicts);
  ASSERT_TRUE(accepted.ok());
  EXPECT_EQ(accepted.value().release().num_rows, 12u);
  EXPECT_EQ(verdicts.size(), 2u);

  columns[2].cells[9] = "a";
  const auto refused = verifier.Accept(BuildRelease(columns), cordon::engine::Run{}, &verdicts);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsatisfiable);
  EXPECT_EQ(
      refused.error().message(),
      "t-closeness(s, t=0, equal): does not hold; reached 0.1667 in the group of row 9, asked for at most 0; 2 groups with "
      "12 rows fail");
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_TRUE(verdicts[0].holds);
  EXPECT_FALSE(verdicts[1].holds);
}

// Models on the join are part of the gate: without a verdict on each of them there is no VerifiedRelease, and so no file.
TEST(Verifier, AcceptsNothingThatWasNotFoundSafeToJoin) {
  const auto people = [](std::int64_t k) { return JoinSpec(XyAnonymitySpec{.x = {{0, "q"}}, .k = k}); };
  const auto verdict = [](const JoinSpec& spec, bool holds) {
    JoinVerdict made;
    made.spec = spec;
    made.text = Describe(spec);
    made.holds = holds;
    return made;
  };
  const Verifier verifier({KAnonymitySpec{4, {}}}, {}, {people(2), people(3)});
  const auto accepts = [&](const JoinVerification* join) {
    const auto made = verifier.Accept(BuildRelease(TwoEvenGroups()), cordon::engine::Run{}, nullptr, join);
    EXPECT_TRUE(made.ok() || made.error().kind() == ErrorKind::kUnsatisfiable);
    return made.ok();
  };
  EXPECT_FALSE(accepts(nullptr));
  JoinVerification join;
  EXPECT_FALSE(accepts(&join));
  join.verdicts = {verdict(people(2), true)};  // one of two
  EXPECT_FALSE(accepts(&join));
  join.verdicts = {verdict(people(2), true), verdict(people(3), false)};
  EXPECT_FALSE(accepts(&join));
  join.verdicts = {verdict(people(2), true), verdict(people(4), true)};  // of another model
  EXPECT_FALSE(accepts(&join));
  join.verdicts = {verdict(people(3), true), verdict(people(2), true)};
  EXPECT_TRUE(accepts(&join));
}

TEST(Verifier, TiesGoToTheGroupThatStartsFirst) {
  const Release release = BuildRelease({{"q", Role::kQuasi, nullptr, {"x", "y", "z", "y", "z", "x", "w", "w", "w"}}});
  const Verdict verdict = JudgeOne(release, KAnonymitySpec{3, {}}, {.exempt_suppressed = false, .keep_per_group = true});
  EXPECT_EQ(verdict.witness->first_row, 1u);
  EXPECT_EQ(verdict.failing_groups, 3u);
  EXPECT_EQ(verdict.per_group, (std::vector<double>{2, 2, 2, 3}));
}

// In the enhanced kind a frequent value may fail at a small gain while a rare one holds at a larger.
TEST(Verifier, TheWitnessFailsWhereAnyGroupDoes) {
  TestColumn group{"q", Role::kQuasi, nullptr, {}};
  TestColumn sensitive{"s", Role::kSensitive, Flat({"a", "b"}), {}};
  const auto add = [&](const char* name, int a, int b) {
    for (int i = 0; i < a + b; ++i) {
      group.cells.push_back(name);
      sensitive.cells.push_back(i < a ? "a" : "b");
    }
  };
  add("x", 7, 3);   // b: p = 12/100, gain 1.5, below -ln p = 2.12
  add("y", 10, 0);  // a: p = 88/100, gain 0.136, above -ln p = 0.128
  add("z", 71, 9);
  const Verdict verdict = JudgeOne(BuildRelease({group, sensitive}), BetaLikenessSpec{"s", 2, BetaKind::kEnhanced});
  EXPECT_FALSE(verdict.holds);
  EXPECT_EQ(verdict.failing_groups, 1u);
  EXPECT_EQ(verdict.reached_text, "3/2");
  EXPECT_EQ(verdict.witness->first_row, 11u);
  EXPECT_TRUE(JudgeOne(BuildRelease({group, sensitive}), BetaLikenessSpec{"s", 2, BetaKind::kBasic}).holds);
}

TEST(Verifier, SuppressedRowsAreAGroupUnlessExempt) {
  TestColumn age{"age", Role::kQuasi, Numbers(0, 99), {"*", "[20,29]", "[20,29]", "*", "[20,29]", "*"}};
  TestColumn sex{"sex", Role::kQuasi, Flat({"m", "f"}), {"*", "*", "*", "*", "*", "m"}};
  TestColumn sensitive{"s", Role::kSensitive, Flat({"a", "b"}), {"a", "a", "b", "a", "a", "b"}};
  const Release release = BuildRelease({age, sex, sensitive});
  EXPECT_EQ(JudgeOne(release, KAnonymitySpec{1, {}}).reached_text, "1");  // row 6: a star in one column only
  const ModelSpec spec = TClosenessSpec{"s", 1, Distance::kEqual};
  const Verdict all = JudgeOne(release, spec, {.exempt_suppressed = false, .keep_per_group = true});
  EXPECT_EQ(all.per_group.size(), 3u);
  EXPECT_EQ(all.per_group[0], 1.0 / 3);  // a,a against 4 a, 2 b
  const Verdict exempt = JudgeOne(release, spec, {.exempt_suppressed = true, .keep_per_group = true});
  EXPECT_EQ(exempt.per_group.size(), 2u);
  EXPECT_EQ(exempt.reached_text, "2/3");  // row 6, b, against all published rows, 4 a, 2 b
  EXPECT_EQ(exempt.witness->first_row, 6u);
}

TEST(Verifier, KCountsPeopleAndRowModelsWarn) {
  std::vector<TestColumn> columns = TwoEvenGroups();
  const Release release = BuildRelease(columns, {0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9});
  const std::vector<Verdict> verdicts =
      Verifier({KAnonymitySpec{4, {}}, LDiversitySpec{"s", 3, Kind::kDistinct, {}}, AlphaKSpec{"s", "a", 1, 3}})
          .Judge(release, cordon::engine::Run{})
          .value();
  EXPECT_FALSE(verdicts[0].holds);
  EXPECT_EQ(verdicts[0].reached_text, "2");
  EXPECT_EQ(verdicts[0].witness->rows, 4u);
  EXPECT_TRUE(verdicts[0].warnings.empty());
  EXPECT_TRUE(verdicts[1].holds);
  EXPECT_EQ(verdicts[1].warnings,
            std::vector<std::string>{"in 1 of 2 groups a person has several rows: one person's rows can make a group look "
                                     "diverse; set counts = \"persons\" to count people"});
  EXPECT_FALSE(verdicts[2].holds);
  EXPECT_EQ(verdicts[2].reached_text, "1/2, k=2");
  EXPECT_EQ(verdicts[2].witness->first_row, 9u);  // fails for its people, not for its share
}

TEST(Verifier, AReleaseWithoutRowsHolds) {
  const Release release = BuildRelease({{"q", Role::kQuasi, nullptr, {}}, {"s", Role::kSensitive, Letters(), {}}});
  const std::vector<Verdict> verdicts =
      Verifier({KAnonymitySpec{5, {}}, TClosenessSpec{"s", 0, Distance::kOrdered}, DeltaDisclosureSpec{"s", 1}})
          .Judge(release, cordon::engine::Run{})
          .value();
  for (const Verdict& verdict : verdicts) {
    EXPECT_TRUE(verdict.holds);
    EXPECT_FALSE(verdict.witness.has_value());
  }
}

TEST(Verifier, DifferentTextsOfOneValueAreOneValue) {
  const Release release = BuildRelease(
      {{"q", Role::kQuasi, nullptr, {"x", "x", "x", "x"}}, {"s", Role::kSensitive, Numbers(1, 5, "?"), {"1", "1.0", "?", ""}}});
  EXPECT_EQ(JudgeOne(release, LDiversitySpec{"s", 1, Kind::kDistinct, {}}).reached_text, "1");  // 1 = 1.0; missing is none
  EXPECT_EQ(JudgeOne(release, ConfidenceSpec{{}, {{"s", {"?"}}}, 1}).reached_text, "1/2");      // but a value for shares
}

TEST(Verifier, AColumnWithoutDomainIsJudgedByItsTexts) {
  const Release release = BuildRelease(
      {{"q", Role::kQuasi, nullptr, {"x", "x", "y", "y"}}, {"s", Role::kSensitive, nullptr, {"a", "b", "a", "a"}}});
  EXPECT_EQ(JudgeOne(release, TClosenessSpec{"s", 1, Distance::kEqual}).reached_text, "1/4");
  const auto ordered = Verifier({TClosenessSpec{"s", 1, Distance::kOrdered}}).Judge(release, cordon::engine::Run{});
  ASSERT_FALSE(ordered.ok());
  EXPECT_EQ(ordered.error().kind(), ErrorKind::kInvalidPolicy);
}

TEST(Verifier, SaysWhyItCannotJudge) {
  std::vector<TestColumn> columns = TwoEvenGroups();
  const auto message = [&](const ModelSpec& spec) {
    const auto verdicts = Verifier({spec}).Judge(BuildRelease(columns), cordon::engine::Run{});
    return verdicts.ok() ? std::string() : verdicts.error().message() + " | " + verdicts.error().hint();
  };
  EXPECT_EQ(message(KAnonymitySpec{2, {"agee"}}), "k-anonymity: the release has no column 'agee' | did you mean 'age'?");
  EXPECT_EQ(message(KAnonymitySpec{2, {"s"}}), "k-anonymity: 's' is not a quasi column | ");
  EXPECT_EQ(message(DeltaDisclosureSpec{"age", 1}), "delta-disclosure: 'age' is not a sensitive column | ");
  columns[2].cells[6] = "secret disease";
  const std::string bad_cell = message(LDiversitySpec{"s", 2, Kind::kDistinct, {}});
  EXPECT_TRUE(bad_cell.starts_with("row 7: the cell of column 's' is not a value of its domain")) << bad_cell;
  EXPECT_EQ(bad_cell.find("secret"), std::string::npos);
  EXPECT_EQ(message(KAnonymitySpec{2, {}}), "");  // k does not look there
}

TEST(Verifier, WarnsOfAGuardedValueThatDoesNotOccur) {
  const Verdict verdict = JudgeOne(BuildRelease(TwoEvenGroups()), ConfidenceSpec{{}, {{"s", {"z"}}}, Rational(1, 100)});
  EXPECT_TRUE(verdict.holds);
  EXPECT_EQ(verdict.warnings, std::vector<std::string>{"the value 'z' does not occur in column 's'"});
}

TEST(Verifier, AStoppedRunIsCancelled) {
  std::stop_source source;
  source.request_stop();
  const auto verdicts =
      Verifier({KAnonymitySpec{2, {}}})
          .Judge(BuildRelease(TwoEvenGroups()), cordon::engine::Run{.threads = 1, .stop = source.get_token()});
  ASSERT_FALSE(verdicts.ok());
  EXPECT_EQ(verdicts.error().kind(), ErrorKind::kCancelled);
}

}  // namespace
}  // namespace cordon::engine::test
