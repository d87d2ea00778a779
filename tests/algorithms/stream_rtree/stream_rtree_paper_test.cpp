// SPDX-License-Identifier: Apache-2.0
//
// The worked examples of the R-tree publisher: penalties, chances, waits, hold times, and the micro stream of the paper.
#include <gtest/gtest.h>

#include <cmath>

#include "cordon/algorithms/stream_rtree/release_probability.h"
#include "cordon/algorithms/stream_rtree/stream_rtree.h"
#include "tests/algorithms/stream_rtree/stream_rtree_cases.h"

namespace cordon::engine {
namespace {

using test::Arrival;
using Method = StreamRtreeOptions::Method;

constexpr double kDigits = 5e-7;

// Occupations in the order of their hierarchy: teachers, then medical doctors.
StreamSchema JobSchema(std::int64_t least_postcode, std::int64_t most_postcode) {
  StreamSchema schema;
  schema.quasi.push_back({.name = "postcode", .lo = least_postcode, .hi = most_postcode});
  schema.quasi.push_back(test::CategoryAxis(
      "occupation", Hierarchy::FromPaths(std::vector<std::vector<std::string>>{{"high school", "teacher", "professional"},
                                                                               {"primary school", "teacher", "professional"},
                                                                               {"sessional", "teacher", "professional"},
                                                                               {"physician", "doctor", "professional"},
                                                                               {"dentist", "doctor", "professional"},
                                                                               {"surgeon", "doctor", "professional"}})
                        .value()));
  schema.quasi.push_back({.name = "age", .lo = 28, .hi = 42});
  return schema;
}

// Allen comes twice; Betty, Cathy, David, Edward.
std::vector<Arrival> MicroStream() {
  return {{.person = 1, .quasi = {10230, 0, 32}}, {.person = 2, .quasi = {21020, 3, 42}},
          {.person = 1, .quasi = {10230, 0, 32}}, {.person = 3, .quasi = {10210, 1, 38}},
          {.person = 4, .quasi = {21040, 5, 36}}, {.person = 5, .quasi = {10250, 2, 28}}};
}

TEST(StreamRtreePaper, MinDelayPublishesTheMicroStreamAsTheTableShows) {
  const StreamSchema schema = JobSchema(10210, 21040);
  const test::Published published = test::RunRtree(schema, 3, {.method = Method::kMinDelay, .active = 6}, MicroStream());
  ASSERT_EQ(published.left.size(), 2u);
  EXPECT_EQ(test::Told(published.left), "group [10210,21020] [0,5] [32,42] 1 2 4 | group [10230,21040] [0,5] [28,36] 3 5 6");
  EXPECT_EQ(published.left[0].step, 4);
  EXPECT_EQ(published.left[1].step, 6);
  EXPECT_EQ(published.left[0].departure.box[1], (AxisRange{0, 5}));  // "professional": all occupations
}

TEST(StreamRtreePaper, PenaltyLossAndCostOfTheMicroStream) {
  const StreamSchema schema = JobSchema(10210, 21040);
  const std::vector<Arrival> arrivals = MicroStream();
  const double first = test::PenaltyOf(schema, arrivals, {1, 2, 4});
  const double second = test::PenaltyOf(schema, arrivals, {3, 5, 6});
  EXPECT_NEAR(first, 2.312439, kDigits);
  EXPECT_NEAR(second, 2.569582, kDigits);
  EXPECT_NEAR(3 * first, 6.937317, kDigits);
  EXPECT_NEAR(3 * second, 7.708746, 1e-6);
  const auto cost = [&](double alpha) {
    const test::Published published =
        test::RunRtree(schema, 3, {.method = Method::kMinDelay, .active = 6, .alpha = alpha}, arrivals);
    return test::CostOf(schema, arrivals, published.left, alpha);
  };
  EXPECT_NEAR(cost(0).loss, 2.441010, kDigits);
  EXPECT_NEAR(cost(0).cost, 2.441010, kDigits);
  EXPECT_NEAR(cost(.001).cost, 2.444653, kDigits);
  EXPECT_NEAR(cost(.1).cost, 2.834097, kDigits);
  EXPECT_NEAR(cost(0).delay, 9 / 6.0, 1e-12);
}

TEST(StreamRtreePaper, PenaltiesOfTheStaticTable) {
  const StreamSchema schema = JobSchema(10210, 21032);
  const std::vector<Arrival> rows = {{.person = 1, .quasi = {10230, 0, 32}}, {.person = 2, .quasi = {21032, 3, 42}},
                                     {.person = 3, .quasi = {21030, 4, 40}}, {.person = 4, .quasi = {10210, 1, 38}},
                                     {.person = 5, .quasi = {21030, 5, 36}}, {.person = 6, .quasi = {10285, 2, 28}}};
  EXPECT_NEAR(test::PenaltyOf(schema, rows, {1, 4, 6}), 1.121216, kDigits);
  EXPECT_NEAR(test::PenaltyOf(schema, rows, {2, 3, 5}), 0.828756, kDigits);
  // The split of the paper's table is the one that the tree makes of the six.
  LeafStore leaves({1 / 10822.0, 1 / 5.0, 1 / 14.0}, 3, LeafStore::Search::kFlat);
  const LeafStore::Index slot = leaves.NewLeaf();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double point[] = {static_cast<double>(rows[i].quasi[0] - 10210), static_cast<double>(rows[i].quasi[1]),
                            static_cast<double>(rows[i].quasi[2] - 28)};
    leaves.Join(leaves.Hold(static_cast<Position>(i) + 1, rows[i].person, point), slot);
  }
  const LeafStore::Index upper = leaves.Split(slot);
  EXPECT_NEAR(leaves.leaf(slot).penalty, 1.121216, kDigits);
  EXPECT_NEAR(leaves.leaf(upper).penalty, 0.828756, kDigits);
}

TEST(StreamRtreePaper, ChancesOfThreeLeavesBalanceArrivals) {
  const std::int64_t sizes[] = {10, 12, 15};
  const double penalties[] = {.5, 1, 2};
  double total = 0;
  for (const double penalty : penalties) total += std::exp(LogWeight(penalty, 0));
  const double beta = 1 / total;
  EXPECT_NEAR(beta, 0.2857142857, 1e-10);
  const double expected[] = {0.0571428571, 0.0238095238, 0.0095238095};
  double leaving = 0;
  for (int i = 0; i < 3; ++i) {
    const double chance = beta * std::exp(LogWeight(penalties[i], 0)) / static_cast<double>(sizes[i]);
    EXPECT_NEAR(chance, expected[i], 1e-10);
    leaving += chance * static_cast<double>(sizes[i]);
  }
  EXPECT_NEAR(leaving, 1, 1e-12);
}

TEST(StreamRtreePaper, WaitsAreGeometric) {
  const double p = 2 / 35.0;
  EXPECT_EQ(GeometricWait(p, .9), 1);
  EXPECT_EQ(GeometricWait(p, .5), 11);
  EXPECT_EQ(GeometricWait(p, .1), 39);
  EXPECT_EQ(GeometricWait(p, 1), 0);
  EXPECT_EQ(GeometricWait(1, .1), 0);
  EXPECT_EQ(GeometricWait(0, .1), INFINITY);
}

TEST(StreamRtreePaper, SparseLeavesRiseAndDenseOnesFall) {
  const std::int64_t sizes[] = {10, 12, 15};
  const double penalties[] = {.5, 1, 2};
  const double shares[] = {.1, .01, .03};
  const double factors[] = {1.1051157, 2.2246515, 1.1812620};
  const double exponents[] = {100, 800, 166.6667};
  const double growth = std::log1p(.001);
  double total = 0;
  double exponent[3];
  for (int i = 0; i < 3; ++i) {
    exponent[i] = WaitExponent(sizes[i], 10, shares[i], growth, std::log(1e6));
    EXPECT_NEAR(exponent[i] / growth, exponents[i], 5e-5);
    EXPECT_NEAR(std::exp(exponent[i]), factors[i], 1e-7);
    total += std::exp(LogWeight(penalties[i], exponent[i]));
  }
  const double gamma = 1 / total;
  EXPECT_NEAR(gamma, 0.1989846254, 1e-10);
  const double expected[] = {0.0439802066, 0.0368892868, 0.0078350995};
  double leaving = 0;
  for (int i = 0; i < 3; ++i) {
    const double chance = gamma * std::exp(LogWeight(penalties[i], exponent[i])) / static_cast<double>(sizes[i]);
    EXPECT_NEAR(chance, expected[i], 1e-10);
    leaving += chance * static_cast<double>(sizes[i]);
  }
  EXPECT_NEAR(leaving, 1, 1e-12);
  // Alpha 0 is the basic form; a leaf without a sample is capped.
  EXPECT_EQ(WaitExponent(10, 10, .01, 0, std::log(1e6)), 0);
  EXPECT_EQ(WaitExponent(10, 10, SmoothedShare(0, 3000), growth, std::log(1e6)), std::log(1e6));
  EXPECT_NEAR(WaitExponent(10, 10, SmoothedShare(0, 3000), growth, 600), 60, .02);
}

TEST(StreamRtreePaper, HoldTimes) {
  const double growth = std::log1p(.001);
  EXPECT_NEAR(HoldTime(.8, .2, growth), 1386.99, .005);
  EXPECT_NEAR(HoldTime(.8, .64, growth), 223.26, .005);
  EXPECT_LE(HoldTime(.8, .8, growth), 0);
  EXPECT_EQ(HoldTime(.8, 0, growth), INFINITY);
  EXPECT_EQ(HoldTime(.8, .2, 0), INFINITY);
  EXPECT_EQ(HoldTime(.8, .8, 0), -INFINITY);
  EXPECT_EQ(HoldTime(0, 0, growth), -INFINITY);
}

TEST(StreamRtreePaper, SamplesNeeded) {
  EXPECT_EQ(SamplesNeeded(10, 3000, 3000), 9);
  EXPECT_EQ(SamplesNeeded(10, 3000, 10'000), 3);
  EXPECT_EQ(SamplesNeeded(10, 3000, 27'000), 1);
  EXPECT_EQ(SamplesNeeded(10, 3000, 100'000), 1);
}

// Uniform values by different people: penalty d (k - 1) / (k + 1), delay (k - 1) / 2, and the cost that follows.
TEST(StreamRtreePaper, MinDelayHasItsClosedForms) {
  struct Case {
    std::int64_t k;
    std::size_t axes;
    double penalty;
  };
  for (const Case& c : {Case{10, 3, 2.454545}, Case{5, 3, 2.0}, Case{20, 3, 2.714286}, Case{10, 7, 5.727273}}) {
    const StreamSchema schema = test::NumericSchema(c.axes, 0, 1'000'000);
    const std::vector<Arrival> arrivals = test::UniformArrivals(schema, 40'000, 11);
    const test::Published published = test::RunRtree(schema, c.k, {.method = Method::kMinDelay, .active = 100}, arrivals);
    const test::Costs costs = test::CostOf(schema, arrivals, published.left, .001);
    EXPECT_NEAR(costs.loss, c.penalty, .01 * c.penalty);
    EXPECT_EQ(costs.delay, static_cast<double>(c.k - 1) / 2);
    const double growth = (std::pow(1.001, static_cast<double>(c.k)) - 1) / (static_cast<double>(c.k) * .001);
    EXPECT_NEAR(costs.cost, c.penalty * growth, .01 * c.penalty);
  }
}

}  // namespace
}  // namespace cordon::engine
