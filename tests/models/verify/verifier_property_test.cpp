// SPDX-License-Identifier: Apache-2.0
//
// The two implementations of every model against each other: what a search asks of groups (Admits), and what the verifier
// finds in the published rows (Judge), which share no code.
#include <gtest/gtest.h>

#include <map>

#include "cordon/data/recode.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/group_model.h"
#include "cordon/models/verify/verifier.h"
#include "tests/models/random_cases.h"

namespace cordon::engine::test {
namespace {

TEST(VerifierProperty, AdmitsAndJudgeAgreeGroupByGroup) {
  std::map<std::string, std::pair<int, int>> outcomes;  // held, failed
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, static_cast<SensitiveKind>(seed % 3), seed % 2 == 0);
    Random random = Random::FromSeed(seed).Substream("specs");
    const Reference reference = ReferenceOf(table.data, View::All(table.data).rows());
    const CountedColumns columns(table.data, {2}, true);
    const Release release = Recode(View::All(table.data), table.groups, {}, random, cordon::engine::Run{});
    const std::vector<ModelSpec> specs = RandomSpecs(random, table.data);
    const std::vector<Verdict> verdicts = Verifier(specs).Judge(release, cordon::engine::Run{}).value();
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const auto model = MakeGroupModel(specs[i], reference).value();
      std::uint64_t refused = 0;
      for (std::size_t group = 0; group < table.groups.size(); ++group) {
        GroupCounts counts(columns);
        counts.Add(table.groups[group]);
        refused += model->Admits(counts) ? 0 : 1;
      }
      ASSERT_EQ(verdicts[i].failing_groups, refused) << verdicts[i].text;
      ASSERT_EQ(verdicts[i].holds, refused == 0) << verdicts[i].text;
      auto& outcome = outcomes[ModelName(specs[i]) + std::to_string(i)];
      ++(refused == 0 ? outcome.first : outcome.second);
    }
  }
  for (const auto& [model, outcome] : outcomes) {  // both sides were tried
    EXPECT_GT(outcome.first, 50) << model;
    EXPECT_GT(outcome.second, 50) << model;
  }
}

// A partition whose groups are admitted also holds on any subset of the quasi columns: its groups are unions.
TEST(VerifierProperty, WhatHoldsOnAllColumnsHoldsOnSome) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, SensitiveKind::kNumeric, seed % 2 == 0);
    Random random = Random::FromSeed(seed).Substream("specs");
    const Release release = Recode(View::All(table.data), table.groups, {}, random, cordon::engine::Run{});
    const std::int64_t k = Between(random, 1, 4);
    const Rational h(Between(random, 6, 12), 12);
    const std::vector<ModelSpec> specs = {KAnonymitySpec{k, {}}, KAnonymitySpec{k, {"zip"}}, ConfidenceSpec{{}, {{"s", {}}}, h},
                                          ConfidenceSpec{{"zip"}, {{"s", {}}}, h}};
    const std::vector<Verdict> verdicts = Verifier(specs).Judge(release, cordon::engine::Run{}).value();
    for (const std::size_t i : {0, 2}) {
      if (!verdicts[i].holds) continue;
      ++held;
      ASSERT_TRUE(verdicts[i + 1].holds) << verdicts[i + 1].text;
    }
  }
  EXPECT_GT(held, 300);
}

TEST(VerifierProperty, ThreadsAndRowOrderChangeNoValue) {
  // Large enough for several parts: 300,000 rows in some hundred groups.
  Random random = Random::FromSeed(11);
  TestColumn quasi{"q", Role::kQuasi, Numbers(0, 399), {}};
  TestColumn sensitive{"s", Role::kSensitive, Numbers(1, 20), {}};
  std::vector<Code> persons;
  std::vector<std::vector<RowId>> members(400);
  for (RowId row = 0; row < 300'000; ++row) {
    const std::size_t group = random.Below(400);
    quasi.cells.push_back(std::to_string(group));
    sensitive.cells.push_back(std::to_string(1 + random.Below(20)));
    persons.push_back(static_cast<Code>(random.Below(200'000)));
    members[group].push_back(row);
  }
  const Microdata data = BuildMicrodata({quasi, sensitive}, persons);
  Groups groups;
  for (const auto& group : members) groups.Add(group);
  const std::vector<ModelSpec> specs = {KAnonymitySpec{5, {}}, TClosenessSpec{"s", Rational(1, 5), Distance::kOrdered},
                                        LDiversitySpec{"s", 3, LDiversitySpec::Kind::kEntropy, {}},
                                        DeltaDisclosureSpec{"s", 1}};
  const auto judge = [&](const Release& release, int threads) {
    return Verifier(specs, {.exempt_suppressed = false, .keep_per_group = true})
        .Judge(release, cordon::engine::Run{.threads = threads})
        .value();
  };
  const Release in_order = Recode(View::All(data), groups, {.order = RowOrder::kInput}, random, cordon::engine::Run{});
  const std::vector<Verdict> expected = judge(in_order, 1);
  for (const int threads : {2, 5}) {
    const std::vector<Verdict> again = judge(in_order, threads);
    for (std::size_t i = 0; i < specs.size(); ++i) {
      EXPECT_EQ(again[i].reached_text, expected[i].reached_text);
      EXPECT_EQ(again[i].witness->first_row, expected[i].witness->first_row);
      EXPECT_EQ(again[i].per_group, expected[i].per_group);
      EXPECT_EQ(again[i].warnings, expected[i].warnings);
    }
  }
  const std::vector<Verdict> shuffled =
      judge(Recode(View::All(data), groups, {.order = RowOrder::kShuffled}, random, cordon::engine::Run{}), 2);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(shuffled[i].reached_text, expected[i].reached_text);
    EXPECT_EQ(shuffled[i].failing_groups, expected[i].failing_groups);
  }
}

}  // namespace
}  // namespace cordon::engine::test
