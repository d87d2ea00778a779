// SPDX-License-Identifier: Apache-2.0
//
// Worked examples of J. Cao, PhD thesis, NUS 2010: chapter 3 (t-closeness) and chapter 4 (beta-likeness), by number.
#include <gtest/gtest.h>

#include "cordon/models/admit/beta_likeness.h"
#include "cordon/models/admit/emd.h"
#include "cordon/models/verify/verifier.h"
#include "tests/models/build_microdata.h"

namespace cordon::engine::test {
namespace {

using Counts = std::vector<std::int64_t>;

DomainPtr Diseases() {
  return Tree({{"SARS", "respiratory", "*"},
               {"pneumonia", "respiratory", "*"},
               {"bronchitis", "respiratory", "*"},
               {"gastric flu", "digestive", "*"},
               {"gastric ulcer", "digestive", "*"},
               {"intestinal cancer", "digestive", "*"}});
}

// Groups named by a quasi column "g" of one label per row.
Verdict JudgeTable(const Texts& groups, const Texts& diseases, const DomainPtr& domain, const ModelSpec& spec) {
  const Release release =
      BuildRelease({{"g", Role::kQuasi, Flat({"1", "2", "3"}), groups}, {"disease", Role::kSensitive, domain, diseases}});
  return Verifier({spec}).Judge(release, cordon::engine::Run{}).value()[0];
}

std::string EmdText(const Counts& group, const Counts& whole, Distance distance, const DomainPtr& domain) {
  std::int64_t group_rows = 0;
  std::int64_t whole_rows = 0;
  for (const std::int64_t count : group) group_rows += count;
  for (const std::int64_t count : whole) whole_rows += count;
  const EarthMover mover = EarthMover::Make(*domain, distance).value();
  return Rational(static_cast<std::int64_t>(mover.Cost(group, group_rows, whole, whole_rows)),
                  mover.scale() * group_rows * whole_rows)
      .ToString();
}

const Texts kSixDiseases = {"SARS", "intestinal cancer", "pneumonia", "bronchitis", "gastric flu", "gastric ulcer"};

TEST(SabrePaper, Example31TheRespiratoryClassIsHalfAway) {
  const Verdict verdict = JudgeTable({"1", "2", "1", "1", "2", "2"}, kSixDiseases, Diseases(),
                                     TClosenessSpec{"disease", Rational(1, 2), Distance::kHierarchical});
  EXPECT_EQ(verdict.reached_text, "1/2");
  EXPECT_TRUE(verdict.holds);
  EXPECT_EQ(EmdText({1, 1, 1, 0, 0, 0}, {1, 1, 1, 1, 1, 1}, Distance::kHierarchical, Diseases()), "1/2");
}

TEST(SabrePaper, Example32OneTupleOfEachKindIsAThirdAway) {
  const TClosenessSpec spec{"disease", Rational(1, 3), Distance::kHierarchical};
  const Verdict pairs = JudgeTable({"1", "1", "2", "3", "3", "2"}, kSixDiseases, Diseases(), spec);
  EXPECT_EQ(pairs.reached_text, "1/3");
  EXPECT_TRUE(pairs.holds);
  const Verdict one_group = JudgeTable({"1", "1", "1", "1", "1", "1"}, kSixDiseases, Diseases(), spec);
  EXPECT_EQ(one_group.reached_text, "0");
}

TEST(SabrePaper, Example33RunningScenario) {
  const Counts whole = {50, 30, 20, 40, 20, 20};
  EXPECT_EQ(EmdText({4, 2, 4, 0, 4, 4}, whole, Distance::kHierarchical, Diseases()), "1/6");
  EXPECT_EQ(EmdText({0, 0, 10, 0, 8, 0}, whole, Distance::kHierarchical, Diseases()), "7/18");   // the bound is reached
  EXPECT_EQ(EmdText({3, 0, 0, 2, 0, 0}, whole, Distance::kHierarchical, Diseases()), "49/180");  // Example 3.6
}

TEST(BurelPaper, Section41EqualDistancesWithVeryDifferentGains) {
  const DomainPtr domain = Flat({"HIV", "Flu"});
  const auto like = [](const Counts& group, const Counts& whole, const Rational& beta) {
    return ShareLimits::Beta({"d", beta, BetaLikenessSpec::Kind::kBasic}, whole, 100).Admit(ValueHistogram(group), 100);
  };
  EXPECT_EQ(EmdText({50, 50}, {40, 60}, Distance::kEqual, domain), "1/10");
  EXPECT_TRUE(like({50, 50}, {40, 60}, Rational(1, 4)));
  EXPECT_FALSE(like({50, 50}, {40, 60}, Rational(24, 100)));
  EXPECT_EQ(EmdText({11, 89}, {1, 99}, Distance::kEqual, domain), "1/10");
  EXPECT_TRUE(like({11, 89}, {1, 99}, 10));
  EXPECT_FALSE(like({11, 89}, {1, 99}, Rational(999, 100)));
}

TEST(BurelPaper, Table42IsOneLike) {
  const Texts diseases = {"SARS", "pneumonia", "bronchitis", "intestinal cancer", "hepatitis", "gastric ulcer"};
  const Texts groups = {"1", "2", "2", "1", "1", "2"};  // {Mike, Beth, Alice}, {John, Bob, Carol}
  const auto judge = [&](const Rational& beta) {
    return JudgeTable(groups, diseases, Flat(diseases), BetaLikenessSpec{"disease", beta, BetaLikenessSpec::Kind::kEnhanced});
  };
  EXPECT_TRUE(judge(1).holds);
  EXPECT_EQ(judge(1).reached_text, "1");
  EXPECT_FALSE(judge(Rational(99, 100)).holds);
}

// CENSUS: the least frequent salary class has 0.2018 %, the most frequent 4.8402 %.
TEST(BurelPaper, Section43ScalarsOnCensus) {
  const Counts whole = {2018, 48'402, 949'580};
  const auto admits = [&](const Rational& beta, std::int64_t rare, std::int64_t frequent) {
    const Counts counts = {rare, frequent, 1'000'000 - rare - frequent};
    return ShareLimits::Beta({"salary", beta, BetaLikenessSpec::Kind::kEnhanced}, whole, 1'000'000)
        .Admit(ValueHistogram(counts), 1'000'000);
  };
  EXPECT_TRUE(admits(1, 2018, 96'804));  // beta = 1: at most 9.6804 %
  EXPECT_FALSE(admits(1, 2018, 96'805));
  EXPECT_TRUE(admits(4, 10'090, 48'402));  // beta = 4: five times 0.2018 %
  EXPECT_FALSE(admits(4, 10'091, 48'402));
  EXPECT_TRUE(admits(4, 2018, 194'973));  // f(p_max) = .194974, logarithmic
  EXPECT_FALSE(admits(4, 2018, 194'975));
  EXPECT_FALSE(admits(400, 2018, 194'975));  // beyond -ln p a larger beta has no effect
}

}  // namespace
}  // namespace cordon::engine::test
