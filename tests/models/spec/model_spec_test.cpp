// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/spec/model_spec.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

using Kind = LDiversitySpec::Kind;
using BetaKind = BetaLikenessSpec::Kind;

TEST(ModelSpec, IsDescribedInItsCanonicalSpelling) {
  EXPECT_EQ(Describe(KAnonymitySpec{5, {}}), "k-anonymity(k=5)");
  EXPECT_EQ(Describe(KAnonymitySpec{5, {"age", "zip"}}), "k-anonymity(k=5, on age+zip)");
  EXPECT_EQ(Describe(LDiversitySpec{"disease", 3, Kind::kDistinct, {}}), "l-diversity(disease, l=3, distinct)");
  EXPECT_EQ(Describe(LDiversitySpec{"disease", 3, Kind::kRecursive, Rational(2)}), "l-diversity(disease, l=3, recursive, c=2)");
  EXPECT_EQ(Describe(LDiversitySpec{"disease", Rational(5, 2), Kind::kEntropy, {}}), "l-diversity(disease, l=2.5, entropy)");
  EXPECT_EQ(Describe(TClosenessSpec{"salary", Rational(1, 5), Distance::kOrdered}), "t-closeness(salary, t=0.2, ordered)");
  EXPECT_EQ(Describe(TClosenessSpec{"salary", Rational(2, 3), Distance::kHierarchical}),
            "t-closeness(salary, t=2/3, hierarchical)");
  EXPECT_EQ(Describe(BetaLikenessSpec{"salary", 4, BetaKind::kEnhanced}), "beta-likeness(salary, beta=4, enhanced)");
  EXPECT_EQ(Describe(BetaLikenessSpec{"salary", 4, BetaKind::kEnhanced, Rational(5, 2), {}}),
            "beta-likeness(salary, beta=4, enhanced, range=2.5)");
  EXPECT_EQ(Describe(BetaLikenessSpec{"disease", 4, BetaKind::kEnhanced, {}, 1}),
            "beta-likeness(disease, beta=4, enhanced, min_depth=1)");
  EXPECT_EQ(Describe(DeltaDisclosureSpec{"salary", 1}), "delta-disclosure(salary, delta=1)");
  EXPECT_EQ(Describe(AlphaKSpec{"disease", "HIV", Rational(3, 10), 5}), "alpha-k(disease=HIV, alpha=0.3, k=5)");
  EXPECT_EQ(Describe(ConfidenceSpec{{"job", "country"}, {{"bankruptcy", {"discharged"}}}, Rational(3, 4)}),
            "confidence(job+country -> bankruptcy=discharged, h=0.75)");
  EXPECT_EQ(Describe(KsAnonymitySpec{5}), "ks-anonymity(k=5)");
  EXPECT_EQ(Describe(ConfidenceSpec{{}, {{"a", {"x", "y"}}, {"b", {}}}, 1}), "confidence(all quasi -> a=x|y, b=*, h=1)");
}

TEST(ModelSpec, HasAName) { EXPECT_EQ(ModelName(TClosenessSpec{}), "t-closeness"); }

TEST(ModelSpec, KnowsItsColumns) {
  EXPECT_EQ(GroupingColumns(KAnonymitySpec{5, {"age"}}), std::vector<std::string>{"age"});
  EXPECT_TRUE(GroupingColumns(TClosenessSpec{"salary", 1, Distance::kEqual}).empty());
  EXPECT_EQ(SensitiveColumns(ConfidenceSpec{{"job"}, {{"a", {}}, {"b", {}}}, 1}), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(SensitiveColumns(KAnonymitySpec{5, {}}).empty());
  EXPECT_TRUE(GroupingColumns(KsAnonymitySpec{5}).empty());
  EXPECT_TRUE(SensitiveColumns(KsAnonymitySpec{5}).empty());
}

TEST(ModelSpec, AcceptsTheEndsOfEveryRange) {
  const std::vector<ModelSpec> fine = {
      KAnonymitySpec{1, {}},
      LDiversitySpec{"d", 1, Kind::kDistinct, {}},
      LDiversitySpec{"d", Rational(3, 2), Kind::kEntropy, {}},
      LDiversitySpec{"d", 1, Kind::kRecursive, Rational(1, 1000)},
      TClosenessSpec{"d", 0, Distance::kOrdered},
      TClosenessSpec{"d", 1, Distance::kOrdered},
      BetaLikenessSpec{"d", Rational(1, 1000), BetaKind::kBasic},
      DeltaDisclosureSpec{"d", Rational(1, 1000)},
      AlphaKSpec{"d", "x", 1, 1},
      ConfidenceSpec{{}, {{"d", {}}}, 1},
      KsAnonymitySpec{1},
  };
  for (const ModelSpec& spec : fine) EXPECT_TRUE(Validate(spec).ok()) << Describe(spec);
}

TEST(ModelSpec, RefusesWhatIsOutOfRangeAndSaysWhatIsAllowed) {
  const std::vector<std::pair<ModelSpec, std::string>> bad = {
      {KAnonymitySpec{0, {}}, "k-anonymity: k is 0, it must be a whole number of at least 1"},
      {KsAnonymitySpec{0}, "ks-anonymity: k is 0, it must be a whole number of at least 1"},
      {LDiversitySpec{"d", 0, Kind::kDistinct, {}}, "l-diversity: l is 0, it must be a whole number of at least 1"},
      {LDiversitySpec{"d", Rational(5, 2), Kind::kDistinct, {}},
       "l-diversity: l is 2.5, it must be a whole number of at least 1"},
      {LDiversitySpec{"d", Rational(1, 2), Kind::kEntropy, {}}, "l-diversity: l is 0.5, it must be a number of at least 1"},
      {LDiversitySpec{"d", 2, Kind::kRecursive, {}}, "l-diversity: kind recursive needs c"},
      {LDiversitySpec{"d", 2, Kind::kRecursive, Rational(0)}, "l-diversity: c is 0, it must be above 0"},
      {LDiversitySpec{"d", 2, Kind::kDistinct, Rational(1)}, "l-diversity: c belongs to kind recursive, the kind is distinct"},
      {LDiversitySpec{"", 2, Kind::kDistinct, {}}, "l-diversity names no sensitive column"},
      {TClosenessSpec{"d", Rational(-1, 5), Distance::kOrdered}, "t-closeness: t is -0.2, it must be from 0 to 1"},
      {TClosenessSpec{"d", Rational(6, 5), Distance::kOrdered}, "t-closeness: t is 1.2, it must be from 0 to 1"},
      {BetaLikenessSpec{"d", 0, BetaKind::kBasic}, "beta-likeness: beta is 0, it must be above 0"},
      {BetaLikenessSpec{"d", 1, BetaKind::kBasic, Rational(-1), {}}, "beta-likeness: range is -1, it must be 0 or more"},
      {BetaLikenessSpec{"d", 1, BetaKind::kBasic, {}, -1}, "beta-likeness: min_depth is -1, it must be 0 or more"},
      {DeltaDisclosureSpec{"d", 0}, "delta-disclosure: delta is 0, it must be above 0"},
      {AlphaKSpec{"d", "x", 0, 5}, "alpha-k: alpha is 0, it must be above 0 and at most 1"},
      {AlphaKSpec{"d", "x", 1, 0}, "alpha-k: k is 0, it must be a whole number of at least 1"},
      {ConfidenceSpec{{}, {{"d", {}}}, Rational(3, 2)}, "confidence: h is 1.5, it must be above 0 and at most 1"},
      {ConfidenceSpec{{}, {}, 1}, "confidence guards no values"},
  };
  for (const auto& [spec, message] : bad) {
    const Result<void> result = Validate(spec);
    ASSERT_FALSE(result.ok()) << message;
    EXPECT_EQ(result.error().message(), message);
    EXPECT_EQ(result.error().kind(), ErrorKind::kInvalidPolicy);
  }
}

}  // namespace
}  // namespace cordon::engine
