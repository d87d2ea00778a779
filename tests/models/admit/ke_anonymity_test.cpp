// SPDX-License-Identifier: Apache-2.0
//
// (k,e)-anonymity: spelling, ranges of parameters, and the judgement of permuted and of plain releases. That Admits and
// Judge agree on random groups is in verifier_property_test.
#include <gtest/gtest.h>

#include "cordon/models/admit/group_model.h"
#include "cordon/models/verify/verifier.h"
#include "tests/models/build_microdata.h"

namespace cordon::engine::test {
namespace {

KeAnonymitySpec Spec(std::int64_t k, Rational e, std::optional<Rational> max_share = {}) {
  return {"salary", k, e, KeAnonymitySpec::Objective::kSum, max_share};
}

// Exact quasi cells, values shuffled inside three groups: the report's salaries.
Release Permuted() {
  Release release =
      BuildRelease({{"age", Role::kQuasi, Numbers(0, 99), {"35", "36", "40", "41", "43", "47", "53", "54", "58"}},
                    {"salary", Role::kSensitive, Numbers(0, 99), {"15", "14", "16", "30", "25", "35", "45", "35", "40"}},
                    {"group", Role::kGroup, nullptr, {"2", "2", "2", "1", "1", "1", "3", "3", "3"}}});
  release.permuted = "salary";
  return release;
}

Verdict JudgeOne(const Release& release, const KeAnonymitySpec& spec) {
  return Verifier({spec}).Judge(release, cordon::engine::Run{}).value()[0];
}

TEST(KeAnonymity, IsSpelledWithWhatDecides) {
  EXPECT_EQ(Describe(Spec(3, 2)), "ke-anonymity(salary, k=3, e=2, sum)");
  KeAnonymitySpec spec = Spec(5, Rational(1, 2), Rational(1, 3));
  spec.objective = KeAnonymitySpec::Objective::kMax;
  EXPECT_EQ(Describe(spec), "ke-anonymity(salary, k=5, e=0.5, max, max_share=1/3)");
  EXPECT_EQ(ModelName(spec), "ke-anonymity");
  EXPECT_EQ(SensitiveColumns(spec), std::vector<std::string>{"salary"});
}

TEST(KeAnonymity, RefusesParametersOutOfRange) {
  EXPECT_TRUE(Validate(Spec(2, 0, Rational(1))).ok());
  EXPECT_FALSE(Validate(Spec(1, 0)).ok());
  EXPECT_FALSE(Validate(Spec(2, Rational(-1))).ok());
  EXPECT_FALSE(Validate(Spec(2, 0, Rational(0))).ok());
  EXPECT_FALSE(Validate(Spec(2, 0, Rational(4, 3))).ok());
}

TEST(KeAnonymity, APermutedReleaseIsJudgedByItsGroups) {
  const Verdict holds = JudgeOne(Permuted(), Spec(3, 2));
  EXPECT_TRUE(holds.holds);
  EXPECT_EQ(holds.reached_text, "3 distinct values, range 2, share 1/3");
  EXPECT_FALSE(JudgeOne(Permuted(), Spec(3, Rational(5, 2))).holds);
  EXPECT_FALSE(JudgeOne(Permuted(), Spec(4, 2)).holds);
  EXPECT_FALSE(JudgeOne(Permuted(), Spec(3, 2, Rational(1, 4))).holds);
  EXPECT_EQ(JudgeOne(Permuted(), Spec(3, 3)).witness->first_row, 1u);
}

// Without the claim that values were shuffled, exact cells find a row and its own value.
TEST(KeAnonymity, APlainReleaseIsJudgedByWhatLooksAlike) {
  Release release = Permuted();
  release.permuted.clear();
  EXPECT_EQ(JudgeOne(release, Spec(2, 0)).failing_groups, 9u);
}

TEST(KeAnonymity, CategoriesHaveNoRange) {
  const Release release = BuildRelease(
      {{"age", Role::kQuasi, Numbers(0, 99), {"35"}}, {"salary", Role::kSensitive, Flat({"low", "high"}), {"low"}}});
  const auto judged = Verifier({Spec(2, 0)}).Judge(release, cordon::engine::Run{});
  ASSERT_FALSE(judged.ok());
  EXPECT_EQ(judged.error().kind(), ErrorKind::kInvalidPolicy);
}

}  // namespace
}  // namespace cordon::engine::test
