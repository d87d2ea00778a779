// SPDX-License-Identifier: Apache-2.0
//
// Two searches that hold disjoint columns, in lock step in one process: every state is that of one search that holds all
// columns, and so is the release. A step that is told wrong is refused, and nothing changes.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "cordon/base/json.h"
#include "tests/algorithms/top_down/joint_table.h"
#include "tests/some_or_all.h"

namespace cordon::engine::testing {
namespace {

class Party {
 public:
  Party(const Joint& joint, const std::vector<bool>& holds) : party_(joint, holds) {}

  Result<void> Start(const TopDownOptions& options = {}) {
    CORDON_TRY(search_, party_.Make(options));
    chain_ = search_->Digest();
    return {};
  }
  TopDown& search() { return *search_; }
  // After each step: the digest that two parties exchange.
  const std::string& Chain() { return chain_ = search_->StepDigest(chain_); }
  UInt128 Key() const {
    const auto best = search_->Best();
    return best ? search_->KeyOf(*best) : 0;
  }
  std::string Published() const { return party_.Published(*search_); }

 private:
  JointParty party_;
  std::unique_ptr<TopDown> search_;
  std::string chain_;
};

struct Tally {
  std::size_t runs = 0, steps = 0, told_by_a = 0, told_by_b = 0;
};

void RunInLockStep(const Joint& joint, const std::vector<bool>& of_a, Tally& tally) {
  std::vector<bool> of_b = of_a, of_all(of_a.size(), true);
  of_b.flip();
  Party a(joint, of_a), b(joint, of_b), central(joint, of_all);
  const bool feasible = central.Start().ok();
  ASSERT_EQ(a.Start().ok(), feasible);
  ASSERT_EQ(b.Start().ok(), feasible);
  if (!feasible) return;
  ++tally.runs;
  ASSERT_EQ(a.search().Digest(), central.search().Digest());
  while (const auto best = central.search().Best()) {
    const UInt128 key_a = a.Key(), key_b = b.Key();
    ASSERT_TRUE(key_a != key_b);
    ASSERT_TRUE(std::max(key_a, key_b) == central.Key());
    Party& winner = key_a > key_b ? a : b;
    Party& loser = key_a > key_b ? b : a;
    ++(key_a > key_b ? tally.told_by_a : tally.told_by_b);
    ASSERT_EQ(winner.search().Best(), best);
    const ToldStep step = winner.search().Tell(*best);
    ASSERT_TRUE(winner.search().CheckStep(step).ok());
    winner.search().Apply(*best);
    const auto applied = loser.search().Apply(step);
    ASSERT_TRUE(applied.ok()) << applied.error().message();
    central.search().Apply(*best);
    ++tally.steps;
    ASSERT_EQ(a.search().Digest(), central.search().Digest());
    ASSERT_EQ(b.search().Digest(), central.search().Digest());
    const std::string& chain = central.Chain();
    ASSERT_EQ(a.Chain(), chain);
    ASSERT_EQ(b.Chain(), chain);
  }
  ASSERT_TRUE(a.Key() == 0 && b.Key() == 0);
  const std::string published = central.Published();
  ASSERT_EQ(a.Published(), published);
  ASSERT_EQ(b.Published(), published);
}

// Every split of the columns of 1,000 tables, or of some of them.
TEST(TwoPartiesProperty, AreOneSearchWhateverTheSplitOfTheColumns) {
  Tally tally;
  const auto cases = SomeOrAll<std::size_t>(200, 1000);
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const Joint joint = RandomJoint(seed);
    const std::size_t columns = joint.maskings.size();
    for (std::size_t split = 0; split < std::size_t{1} << columns; ++split) {
      SCOPED_TRACE(::testing::Message() << "seed " << seed << " split " << split);
      std::vector<bool> of_a;
      for (std::size_t i = 0; i < columns; ++i) of_a.push_back((split >> i & 1) != 0);
      ASSERT_NO_FATAL_FAILURE(RunInLockStep(joint, of_a, tally));
    }
  }
  EXPECT_GT(tally.runs, 8 * cases);
  EXPECT_GT(tally.told_by_a, 8 * cases);
  EXPECT_GT(tally.told_by_b, 8 * cases);
}

UInt128 KeyOfVector(const Json& hex) {
  UInt128 key = 0;
  for (const char digit : hex.get<std::string>()) {
    key = key << 4 | static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  }
  return key;
}

// Keys, winners, child numbers and what is reached, round by round, as the reference in tests/crypto works them out.
TEST(TwoPartiesPaper, WorkedRunsAreThoseOfTheReference) {
  std::ifstream file(CORDON_CRYPTO_VECTORS "/runs.json");
  const Json runs = ParseJson(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()));
  ASSERT_FALSE(runs.is_discarded());
  for (const bool with_salary : {true, false}) {
    const Joint joint = Table7(with_salary);
    Party a(joint, {true, false, false}), b(joint, {false, true, true});
    ASSERT_TRUE(a.Start().ok() && b.Start().ok());
    for (const Json& round : runs.at(with_salary ? "W2" : "W3")) {
      ASSERT_TRUE(a.Key() == KeyOfVector(round.at("keys").at("A")));
      ASSERT_TRUE(b.Key() == KeyOfVector(round.at("keys").at("B")));
      if (round.at("winner").is_null()) break;
      const bool a_wins = a.Key() > b.Key();
      ASSERT_EQ(a_wins, round.at("winner") == "A");
      TopDown& winner = a_wins ? a.search() : b.search();
      TopDown& loser = a_wins ? b.search() : a.search();
      const ToldStep step = winner.Tell(*winner.Best());
      EXPECT_EQ(step.child_numbers, round.at("numbers").get<std::vector<std::uint32_t>>());
      ASSERT_TRUE(loser.Apply(step).ok());
      winner.Apply(step.refinement);
      const std::vector<std::int64_t> reached = round.at("reached");
      for (std::size_t i = 0; i < reached.size(); ++i) {
        EXPECT_EQ(a.search().reached(i).above, reached[i]);
        EXPECT_EQ(b.search().reached(i).above, reached[i]);
      }
      std::vector<std::size_t> sizes;
      for (const auto& leaf : loser.Leaves()) sizes.push_back(leaf.rows.size());
      EXPECT_EQ(sizes, round.at("leaves").get<std::vector<std::size_t>>());
      EXPECT_EQ(a.search().Digest(), round.at("state"));
      EXPECT_EQ(b.search().Digest(), round.at("state"));
      EXPECT_EQ(a.Chain(), round.at("step"));
      EXPECT_EQ(b.Chain(), round.at("step"));
    }
  }
}

// Two records go to each other's part, which keeps all counts: the step is valid, and both digests tell it.
TEST(TwoPartiesDigest, TellsRecordsThatWentElsewhere) {
  const Joint joint = Table7(true);
  for (const int wrong_round : {0, 1, 2}) {
    Party right(joint, {true, false, false}), wrong(joint, {true, false, false}), b(joint, {false, true, true});
    ASSERT_TRUE(right.Start().ok() && wrong.Start().ok() && b.Start().ok());
    for (int round = 0; round <= wrong_round; ++round) {
      ToldStep step = b.search().Tell(*b.search().Best());
      b.search().Apply(step.refinement);
      ASSERT_TRUE(right.search().Apply(step).ok());
      ASSERT_NE(step.child_numbers.front(), step.child_numbers.back());
      if (round == wrong_round) std::swap(step.child_numbers.front(), step.child_numbers.back());
      ASSERT_TRUE(wrong.search().Apply(step).ok());
      EXPECT_EQ(wrong.search().Digest() == right.search().Digest(), round < wrong_round);
      EXPECT_EQ(wrong.Chain() == right.Chain(), round < wrong_round);
    }
  }
}

void ExpectRefused(TopDown& search, const ToldStep& step, const std::string& why) {
  const std::string before = search.Digest();
  const auto checked = search.CheckStep(step);
  const auto applied = search.Apply(step);
  ASSERT_FALSE(applied.ok());
  EXPECT_EQ(applied.error().kind(), ErrorKind::kProtocol);
  EXPECT_EQ(applied.error().message(), why);
  EXPECT_FALSE(checked.ok());
  EXPECT_EQ(search.Digest(), before);
}

TEST(TwoPartiesRefusal, AStepThatBreaksKIsRefused) {
  const Joint joint = Table7(false);
  Party a(joint, {true, false}), b(joint, {false, true});
  ASSERT_TRUE(a.Start().ok() && b.Start().ok());
  for (int round = 0; round < 5; ++round) {
    Party& winner = a.Key() > b.Key() ? a : b;
    Party& loser = a.Key() > b.Key() ? b : a;
    const ToldStep step = winner.search().Tell(*winner.search().Best());
    ASSERT_TRUE(loser.search().Apply(step).ok());
    winner.search().Apply(step.refinement);
  }
  // Accountants and lawyers of one sex are fewer than four.
  ExpectRefused(a.search(), b.search().Tell(Find(b.search(), "Job:Professional")),
                "a step breaks k-anonymity(k=4, on Sex+Job)");
}

TEST(TwoPartiesRefusal, WrongStepsChangeNothing) {
  const Joint joint = Table7(true);
  Party a(joint, {true, false, false}), b(joint, {false, true, true});
  ASSERT_TRUE(a.Start().ok() && b.Start().ok());
  TopDown& search = a.search();
  const ToldStep good = b.search().Tell(*b.search().Best());  // Salary at 37
  ASSERT_EQ(good.refinement, (Refinement{2, 0}));
  ToldStep wrong = good;
  wrong.refinement.attribute = 3;
  ExpectRefused(search, wrong, "there is no such column");
  wrong = good;
  wrong.refinement.node = 1;
  ExpectRefused(search, wrong, "the value to refine is not on the cut, or has nothing below it");
  wrong.refinement.node = -1;
  ExpectRefused(search, wrong, "the value to refine is not on the cut, or has nothing below it");
  for (const Code split : {kNull, Code{0}, Code{7}}) {  // 30, 32, 35, 37, 42, 44 are codes 0 to 5
    wrong = good;
    wrong.split = split;
    ExpectRefused(search, wrong, "a value is not refined as its tree or its range says");
  }
  wrong = good;
  wrong.child_numbers.pop_back();
  ExpectRefused(search, wrong, "33 child numbers are given for 34 rows");
  wrong = good;
  wrong.child_numbers[5] = 2;
  ExpectRefused(search, wrong, "a child number is not below 2");
  wrong.child_numbers.assign(34, 0);
  ExpectRefused(search, wrong, "a half of an interval has no rows");
  wrong = good;
  std::fill_n(wrong.child_numbers.begin(), 34, 0u);
  wrong.child_numbers[0] = 1;
  ExpectRefused(search, wrong, "a step breaks k-anonymity(k=11, on Sex+Salary)");
  wrong = b.search().Tell(Find(b.search(), "Job:ANY_Job"));
  wrong.split = 1;
  ExpectRefused(search, wrong, "a value is not refined as its tree or its range says");
  // A step of the receiver's own column.
  const ToldStep own = a.search().Tell({0, 0});
  EXPECT_TRUE(a.search().CheckStep(own).ok());
  EXPECT_EQ(a.search().Apply(own).error().message(), "a step refines a column that its sender does not hold");
  EXPECT_TRUE(a.search().Apply(good).ok());
}

TEST(TwoPartiesRefusal, RowsOfOneClassAreNotRefined) {
  Joint joint = Table7(false);
  joint.data.columns.pop_back();
  AddClass(joint, {"Y"}, std::vector<Code>(34, 0));
  Party a(joint, {true, false}), b(joint, {false, true});
  ASSERT_TRUE(a.Start().ok() && b.Start().ok());
  EXPECT_TRUE(b.Key() == 0);
  ExpectRefused(a.search(), b.search().Tell({1, 0}), "the rows of a step are all of one class");
}

std::string WhyNot(const Joint& joint, const TopDownOptions& options = {}) {
  Party party(joint, {true, false});
  const auto started = party.Start(options);
  return started.ok() ? "" : started.error().message();
}

TEST(TwoPartiesRefusal, WhatTheProtocolCannotDoIsRefusedAtTheStart) {
  EXPECT_EQ(WhyNot(Table7(false)), "");
  Joint joint = Table7(false);
  joint.maskings[1] = Masking::kSuppression;
  EXPECT_EQ(WhyNot(joint), "column 'Job' is shown value by value, which would list its values to the other party");
  joint.maskings[1] = Masking::kTaxonomy;
  joint.maskings[0] = Masking::kSuppression;  // of the own column: the other party is told its values
  EXPECT_EQ(WhyNot(joint), "column 'Sex' is shown value by value, which would list its values to the other party");
  joint = Table7(false);
  joint.data.columns[1].attribute.domain = Numbers(7, true);
  joint.maskings[1] = Masking::kIntervals;
  EXPECT_EQ(WhyNot(joint), "column 'Job' may lack numbers, which two parties cannot refine together");
  joint = Table7(false);
  joint.labels = {};
  EXPECT_EQ(WhyNot(joint), "two parties need a class that both know to refine together");
  EXPECT_EQ(WhyNot(Table7(false), {.utility = TopDownUtility::kDistortion}),
            "two parties need a class that both know to refine together");
  joint = Table7(false);
  joint.data.persons = CodesOf(std::vector<Code>(34, 0));
  joint.data.num_persons = 1;
  joint.specs = {KOn(1, {"Sex", "Job"})};
  EXPECT_EQ(WhyNot(joint), "two parties can refine together for k-anonymity of rows only");
  joint = Table7(false);
  joint.specs = {KOn(4, {"Sex"})};
  EXPECT_EQ(WhyNot(joint), "column 'Job' belongs to another party and is in no model");
}

}  // namespace
}  // namespace cordon::engine::testing
