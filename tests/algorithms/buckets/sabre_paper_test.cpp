// SPDX-License-Identifier: Apache-2.0
//
// The worked examples of Cao's thesis, chapter 3, and bucketizations and group sizes that pin the choices it leaves open.
#include <gtest/gtest.h>

#include "cordon/algorithms/buckets/sabre_buckets.h"
#include "cordon/algorithms/buckets/sabre_tree.h"
#include "tests/algorithms/buckets/thesis_histograms.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Census50;
using testing::Counts;
using testing::Diseases;
using testing::EvenTree;
using testing::Mixed50;
using testing::Numbers;
using testing::Uniform50;

Domain TreeDomain(Hierarchy hierarchy) {
  return Domain::Categorical(std::make_shared<const Hierarchy>(std::move(hierarchy)), std::nullopt);
}

SabreBuckets OfNumbers(const Counts& counts, const Rational& t) {
  return {*Numbers(static_cast<Code>(counts.size())), Distance::kOrdered, counts, t, SabreBound::kThesis};
}

std::string Runs(const SabreBuckets& buckets) {  // ranks from 1
  std::string text;
  for (const auto& bucket : buckets.buckets()) {
    text += (text.empty() ? "" : ",") + std::to_string(bucket.first + 1) +
            (bucket.first == bucket.last ? "" : "-" + std::to_string(bucket.last + 1));
  }
  return text;
}

// top / bottom = numerator / denominator.
void ExpectFraction(Int128 top, Int128 bottom, std::int64_t numerator, std::int64_t denominator) {
  EXPECT_TRUE(top * denominator == bottom * numerator)
      << static_cast<double>(top) / static_cast<double>(bottom) << " against " << numerator << "/" << denominator;
}
Int128 Rows(const Counts& counts) {
  Int128 sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return sum;
}
double WorstOf(const SabreBuckets& buckets, const Counts& counts) {
  return static_cast<double>(buckets.worst()) / (static_cast<double>(buckets.unit()) * static_cast<double>(Rows(counts)));
}
HalvedBuckets Halve(const SabreBuckets& buckets, std::int64_t k) {
  return HalveBuckets(buckets.sizes(), k,
                      [&](const BucketArray& array, std::int64_t rows) { return buckets.Within(array, rows); });
}
std::pair<std::int64_t, std::int64_t> SmallestAndLargest(const HalvedBuckets& halved) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  for (std::size_t group = 0; group < halved.size(); ++group) {
    std::int64_t rows = 0;
    for (const std::int64_t count : halved[group]) rows += count;
    least = std::min(least, rows);
    most = std::max(most, rows);
  }
  return {least, most};
}

const Counts kDiseases = {50, 30, 20, 40, 20, 20};  // of 180

TEST(SabrePaper, Example33TwoBucketsOfDiseasesCanBeSevenEighteenthsAway) {
  const SabreBuckets buckets(TreeDomain(Diseases()), Distance::kHierarchical, kDiseases, Rational(2, 5), SabreBound::kThesis);
  EXPECT_EQ(Runs(buckets), "1-3,4-6");
  EXPECT_EQ(buckets.sizes(), (Counts{100, 80}));
  ExpectFraction(buckets.worst(), buckets.unit() * Rows(kDiseases), 7, 18);
}

TEST(SabrePaper, Example34SplitsTheRootThenTheRespiratoryDiseases) {
  const Counts counts = {5, 3, 2, 4, 2, 2};
  const SabreTree tree = SabreTree::Of(Diseases(), counts);
  const SabreTree::Node& root = tree[tree.root()];
  ExpectFraction(root.thesis, 2 * 18, 8, 9);
  ExpectFraction(root.tight, 2 * 18, 13, 18);
  ExpectFraction(tree[root.children[0]].thesis, 2 * 18, 2, 9);
  ExpectFraction(tree[root.children[1]].thesis, 2 * 18, 1, 6);
  const SabreBuckets buckets(TreeDomain(Diseases()), Distance::kHierarchical, counts, Rational(1, 5), SabreBound::kThesis);
  EXPECT_EQ(Runs(buckets), "1,2,3,4-6");
  ExpectFraction(buckets.worst(), buckets.unit() * 18, 1, 6);
}

TEST(SabrePaper, Example35FourSalariesInTwoBuckets) {
  const Counts counts = {2, 3, 3, 2};
  const SabreBuckets whole = OfNumbers(counts, 1);
  EXPECT_EQ(Runs(whole), "1-4");
  ExpectFraction(whole.worst(), whole.unit() * 10, 1, 2);
  const SabreBuckets buckets = OfNumbers(counts, Rational(1, 4));
  EXPECT_EQ(Runs(buckets), "1-2,3-4");
  ExpectFraction(buckets.worst(), buckets.unit() * 10, 1, 5);
}

TEST(SabrePaper, Example36And37TheTreeOfGroupSizes) {
  const Counts counts = {5, 3, 2, 4, 2, 2};
  const SabreBuckets buckets(TreeDomain(Diseases()), Distance::kHierarchical, counts, Rational(9, 20), SabreBound::kThesis);
  ASSERT_EQ(buckets.sizes(), (Counts{10, 8}));
  ExpectFraction(buckets.Imbalance({3, 2}, 5), Int128{buckets.unit()} * 5 * 18, 2, 45);
  EXPECT_TRUE(buckets.Within({5, 4}, 9));
  EXPECT_TRUE(buckets.Within({3, 2}, 5));   // 13/30
  EXPECT_TRUE(buckets.Within({2, 2}, 4));   // 4/9
  EXPECT_FALSE(buckets.Within({2, 1}, 3));  // 1/2
  const HalvedBuckets halved = Halve(buckets, 1);
  std::vector<BucketArray> leaves;
  for (std::size_t i = 0; i < halved.size(); ++i) leaves.push_back(halved[i]);
  EXPECT_EQ(leaves, (std::vector<BucketArray>{{3, 2}, {1, 1}, {1, 1}, {3, 2}, {1, 1}, {1, 1}}));
}

TEST(SabrePaper, TheCensusHistogramIsThePublishedOne) {
  const Counts counts = Census50(100'000);
  EXPECT_EQ(Counts(counts.begin(), counts.begin() + 15),
            (Counts{2586, 2774, 2962, 3150, 3338, 3526, 3713, 3901, 4089, 4277, 4465, 4652, 4840, 4442, 4076}));
  EXPECT_EQ(Counts(counts.end() - 3, counts.end()), (Counts{240, 220, 202}));
}

struct SabreGolden {
  Counts counts;
  Rational t;
  const char* buckets;
  double worst;
  std::size_t groups_k6;
  std::int64_t least;
  std::int64_t most;
  std::size_t groups_k1;
};

TEST(SabrePaper, BucketsAndGroupSizesOfNumbers) {
  const Counts even = Uniform50();
  const Counts mixed = Mixed50();
  const Counts census = Census50(100'000);
  const std::vector<SabreGolden> goldens = {
      {even, Rational(1, 20), "1-6,7-12,13-18,19-21,22-25,26-31,32-37,38-43,44-50", 12.0 / 245, 272, 50, 783, 272},
      {even, Rational(1, 10), "1-12,13-18,19-25,26-37,38-43,44-50", 102.0 / 1225, 4096, 20, 26, 4096},
      {even, Rational(3, 20), "1-12,13-25,26-37,38-50", 144.0 / 1225, 7616, 12, 22, 18848},
      {even, Rational(1, 5), "1-12,13-25,26-50", 222.0 / 1225, 5888, 12, 47, 5888},
      {even, Rational(1, 4), "1-25,26-50", 12.0 / 49, 16384, 6, 8, 50000},
      {even, Rational(9, 20), "1-25,26-50", 12.0 / 49, 16384, 6, 8, 50000},
      {mixed, Rational(1, 10), "1-12,13-22,23-28,29-36,37-42,43-50", 5234.0 / 62475, 4096, 28, 34, 4096},
      {mixed, Rational(1, 5), "1-22,23-36,37-50", 10877.0 / 62475, 13172, 7, 33, 13172},
      {mixed, Rational(7, 20), "1-22,23-50", 1048.0 / 4165, 16384, 7, 9, 34564},
      {census, Rational(3, 20), "1-10,11-21,22-32,33-50", .119826, 7847, 11, 51, 7847},
      {census, Rational(1, 4), "1-10,11-21,22-50", .180799, 8521, 6, 13, 24905},
      {census, Rational(7, 20), "1-21,22-50", .252912, 9559, 6, 12, 24905},
      {census, Rational(9, 20), "1-21,22-50", .252912, 9559, 6, 12, 24905},
  };
  for (const SabreGolden& golden : goldens) {
    SCOPED_TRACE(golden.t.ToShortString() + " " + golden.buckets);
    const SabreBuckets buckets = OfNumbers(golden.counts, golden.t);
    EXPECT_EQ(Runs(buckets), golden.buckets);
    EXPECT_NEAR(WorstOf(buckets, golden.counts), golden.worst, 1e-6);
    const HalvedBuckets halved = Halve(buckets, 6);
    EXPECT_EQ(halved.size(), golden.groups_k6);
    EXPECT_EQ(SmallestAndLargest(halved), std::pair(golden.least, golden.most));
    EXPECT_EQ(Halve(buckets, 1).size(), golden.groups_k1);
  }
}

TEST(SabrePaper, EachSplitLowersTheWorstCaseAsTraced) {
  const Counts census = Census50(100'000);
  const std::vector<double> trace = {.695949, .252912, .180799, .119826, .092306, .072402, .060794, .050086};
  for (std::size_t splits = 0; splits < trace.size(); ++splits) {
    // t just above: stops exactly there.
    const SabreBuckets buckets = OfNumbers(census, Rational(static_cast<std::int64_t>(trace[splits] * 1e6) + 3, 1'000'000));
    EXPECT_EQ(buckets.buckets().size(), splits + 1);
    EXPECT_NEAR(WorstOf(buckets, census), trace[splits], 1e-6);
  }
}

TEST(SabrePaper, BucketsAndGroupSizesOfCategories) {
  struct Case {
    Code fanout;
    int height;
    SabreBound bound;
    std::size_t buckets;
    double worst;
    std::size_t groups;
  };
  const Counts census = Census50(100'000);
  for (const Case& each :
       {Case{2, 6, SabreBound::kThesis, 8, .324870, 2317}, Case{2, 6, SabreBound::kTight, 7, .317265, 3280},
        Case{5, 3, SabreBound::kThesis, 6, .340127, 1024}, Case{5, 3, SabreBound::kTight, 6, .336777, 1806},
        Case{10, 2, SabreBound::kThesis, 14, .286340, 2692}, Case{50, 1, SabreBound::kThesis, 50, 0, 2774}}) {
    SCOPED_TRACE(each.fanout);
    const Hierarchy tree = EvenTree(50, each.fanout);
    EXPECT_EQ(tree.height(), each.height);
    const SabreBuckets buckets(TreeDomain(tree), Distance::kHierarchical, census, Rational(7, 20), each.bound);
    EXPECT_EQ(buckets.buckets().size(), each.buckets);
    EXPECT_NEAR(WorstOf(buckets, census), each.worst, 1e-6);
    EXPECT_EQ(Halve(buckets, 6).size(), each.groups);
  }
  // The equal distance is a tree of one level.
  const SabreBuckets equal(TreeDomain(EvenTree(50, 2)), Distance::kEqual, census, Rational(7, 20), SabreBound::kThesis);
  EXPECT_EQ(equal.buckets().size(), 50u);
  EXPECT_EQ(Halve(equal, 6).size(), 2774u);
}

}  // namespace
}  // namespace cordon::engine
