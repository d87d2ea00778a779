// SPDX-License-Identifier: Apache-2.0
//
// The worked examples of Cao's thesis, chapter 4, and bucketizations and group sizes that pin the choices it leaves open.
#include <gtest/gtest.h>

#include <numeric>

#include "cordon/algorithms/buckets/burel_buckets.h"
#include "tests/algorithms/buckets/thesis_histograms.h"

namespace cordon::engine {
namespace {

using testing::Census50;
using testing::Counts;
using testing::Mixed50;
using testing::Uniform50;

BetaLikenessSpec Beta(const Rational& beta) { return {"s", beta, BetaLikenessSpec::Kind::kEnhanced}; }

BurelBuckets BucketsOf(const Counts& counts, const Rational& beta, const Rational& margin = 0) {
  const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  return {ShareLimits::Beta(Beta(beta), counts, rows), counts, margin};
}

HalvedBuckets Halve(const BurelBuckets& buckets) {
  return HalveBuckets(buckets.sizes(), 1,
                      [&](const BucketArray& array, std::int64_t rows) { return buckets.Eligible(array, rows); });
}

// "12x4 2": run lengths in order of ascending frequency.
std::string Runs(const BurelBuckets& buckets) {
  std::string text;
  for (std::size_t i = 0; i < buckets.buckets().size();) {
    std::size_t j = i;
    const std::size_t length = buckets.buckets()[i].values.size();
    while (j < buckets.buckets().size() && buckets.buckets()[j].values.size() == length) ++j;
    text += (text.empty() ? "" : " ") + (j - i > 1 ? std::to_string(j - i) + "x" : "") + std::to_string(length);
    i = j;
  }
  return text;
}

TEST(BurelPaper, Example41PairsOfDiseasesNeedBetaAboveOne) {
  const Counts six(6, 1);
  EXPECT_EQ(Runs(BucketsOf(six, 1)), "6x1");  // 1/3 = f(1/6) is not below it
  EXPECT_EQ(Runs(BucketsOf(six, Rational(1'000'001, 1'000'000))), "3x2");
  EXPECT_EQ(Runs(BucketsOf(six, Rational(3, 2))), "3x2");
  EXPECT_EQ(Runs(BucketsOf(six, 2)), "3x2");
}

TEST(BurelPaper, Example42NineteenPatients) {
  const BurelBuckets buckets = BucketsOf({2, 3, 3, 3, 4, 4}, 2);
  EXPECT_EQ(buckets.sizes(), (Counts{5, 6, 8}));
  EXPECT_EQ(buckets.buckets()[0].values, (std::vector<Code>{0, 1}));
  EXPECT_EQ(buckets.buckets()[1].values, (std::vector<Code>{2, 3}));
  EXPECT_TRUE(buckets.Eligible({3, 3, 4}, 10));
  EXPECT_TRUE(buckets.Eligible({2, 3, 4}, 9));
  EXPECT_FALSE(buckets.Eligible({2, 2, 2}, 6));  // 1/3 > 6/19
  EXPECT_TRUE(buckets.Eligible({1, 2, 2}, 5));
  EXPECT_TRUE(buckets.Eligible({1, 1, 2}, 4));
  EXPECT_FALSE(buckets.Eligible({1, 1, 1}, 3));
  const HalvedBuckets halved = Halve(buckets);
  std::vector<BucketArray> leaves;
  for (std::size_t i = 0; i < halved.size(); ++i) leaves.push_back(halved[i]);
  EXPECT_EQ(leaves, (std::vector<BucketArray>{{3, 3, 4}, {1, 2, 2}, {1, 1, 2}}));
}

TEST(BurelPaper, FewestAmongRunsIsNotFewestOfAll) {
  // {3,7} {4,4,4} {5,9} would do with three; no bucket of it is a run.
  EXPECT_EQ(BucketsOf({3, 4, 4, 4, 5, 7, 9}, 3).buckets().size(), 4u);
}

struct BurelGolden {
  Counts counts;
  Rational beta;
  Rational margin;
  const char* runs;
  std::size_t groups;
  std::int64_t least;
  std::int64_t most;
};

TEST(BurelPaper, BucketsAndGroupSizes) {
  const Counts even = Uniform50();
  const Counts mixed = Mixed50();
  const Counts census = Census50(100'000);
  const Counts large = Census50(500'000);
  const Rational tenth(1, 10);
  const std::vector<BurelGolden> goldens = {
      {even, 1, 0, "50x1", 2000, 50, 50},
      {even, 2, 0, "25x2", 4000, 25, 25},
      {even, 3, 0, "16x3 2", 6000, 16, 17},
      {even, 4, 0, "12x4 2", 8000, 12, 13},
      {even, 5, 0, "12x4 2", 8000, 12, 13},
      {mixed, 1, 0, "50x1", 208, 40, 1021},
      {mixed, 2, 0, "1 24x2 1", 424, 112, 511},
      {mixed, 3, 0, "2x2 15x3 1", 212, 491, 1009},
      {mixed, 4, 0, "2 2x3 10x4 2", 332, 120, 1003},
      {mixed, 5, 0, "2 3 11x4 1", 724, 117, 255},
      {census, 1, 0, "50x1", 288, 74, 417},
      {census, 2, 0, "25x2", 430, 182, 403},
      {census, 3, 0, "16x3 2", 362, 187, 401},
      {census, 4, 0, "11x4 2x3", 101, 778, 1571},
      {census, 5, 0, "3x5 8x4 3", 9, 6246, 12505},
      {large, 1, 0, "50x1", 2048, 38, 467},
      {large, 2, 0, "25x2", 1593, 231, 499},
      {large, 3, 0, "16x3 2", 1426, 236, 980},
      {large, 4, 0, "11x4 2x3", 509, 971, 1961},
      {large, 5, 0, "3x5 8x4 3", 56, 3901, 15631},
      {census, 4, tenth, "16x3 2", 770, 89, 204},
      {census, 5, tenth, "7x4 7x3 1", 748, 93, 206},
      {large, 4, tenth, "16x3 2", 3915, 0, 0},
      {large, 5, tenth, "7x4 7x3 1", 3581, 0, 0},
  };
  for (const BurelGolden& golden : goldens) {
    SCOPED_TRACE(golden.beta.ToShortString() + " " + golden.runs);
    const BurelBuckets buckets = BucketsOf(golden.counts, golden.beta, golden.margin);
    EXPECT_EQ(Runs(buckets), golden.runs);
    const HalvedBuckets halved = Halve(buckets);
    EXPECT_EQ(halved.size(), golden.groups);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;
    for (std::size_t group = 0; group < halved.size(); ++group) {
      const std::int64_t rows = std::accumulate(halved[group].begin(), halved[group].end(), std::int64_t{0});
      least = std::min(least, rows);
      most = std::max(most, rows);
    }
    if (golden.least > 0) {
      EXPECT_EQ(std::pair(least, most), std::pair(golden.least, golden.most));
    }
  }
  EXPECT_EQ(BucketsOf(census, 4, tenth).buckets().size(), 17u);
  EXPECT_EQ(BucketsOf(census, 5, tenth).buckets().size(), 15u);
}

TEST(BurelPaper, BoundsOfTheCensusSalaries) {
  const Counts census = Census50(100'000);
  const ShareLimits one = ShareLimits::Beta(Beta(1), census, 100'000);
  EXPECT_TRUE(one[12].Admit(9'680, 100'000));  // 2 x 4.840 %
  EXPECT_FALSE(one[12].Admit(9'681, 100'000));
  const ShareLimits four = ShareLimits::Beta(Beta(4), census, 100'000);
  EXPECT_TRUE(four[49].Admit(1'010, 100'000));  // 5 x 0.202 %
  EXPECT_FALSE(four[49].Admit(1'011, 100'000));
  EXPECT_TRUE(four[12].Admit(19'496, 100'000));  // 4.84 % (1 + 3.028): below a fifth
  EXPECT_FALSE(four[12].Admit(19'498, 100'000));
}

TEST(BurelPaper, BetaBeyondTheRarestValueHasNoFurtherEffect) {
  const Counts census = Census50(100'000);
  const BurelBuckets seven = BucketsOf(census, 7);  // -ln p of the rarest value is 6.2
  const BurelBuckets hundred = BucketsOf(census, 100);
  EXPECT_EQ(Runs(seven), Runs(hundred));
  EXPECT_EQ(Halve(seven).groups, Halve(hundred).groups);
}

}  // namespace
}  // namespace cordon::engine
