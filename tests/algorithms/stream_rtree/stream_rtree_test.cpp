// SPDX-License-Identifier: Apache-2.0
//
// The R-tree publisher: edges, streams made to break it, and the figures that its definition promises of long streams.
#include "cordon/algorithms/stream_rtree/stream_rtree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "cordon/algorithms/stream_rtree/release_probability.h"
#include "cordon/algorithms/stream_rtree/stream_rtree_internal.h"
#include "tests/algorithms/stream_rtree/stream_rtree_cases.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

using test::Arrival;
using Method = StreamRtreeOptions::Method;
using Control = StreamRtreeOptions::Control;

constexpr Method kMethods[] = {Method::kMinDelay, Method::kBasic, Method::kDensityAware, Method::kFull};

std::size_t Groups(const test::Published& published) {
  std::size_t groups = 0;
  for (const test::Left& left : published.left) groups += left.departure.kind == Departure::Kind::kGroup ? 1 : 0;
  return groups;
}

// P16.
TEST(StreamRtree, OnePersonOrTwoAreNoGroup) {
  const StreamSchema schema = test::NumericSchema(2, 0, 100);
  for (const Method method : kMethods) {
    for (const std::uint64_t people : {1, 2}) {
      std::vector<Arrival> arrivals = test::UniformArrivals(schema, 500, 1);
      for (std::size_t i = 0; i < arrivals.size(); ++i) arrivals[i].person = i % people;
      const test::Published published = test::RunRtree(schema, 3, {.method = method, .active = 20, .sample = 10}, arrivals);
      EXPECT_EQ(Groups(published), 0u);
      EXPECT_LE(*std::max_element(published.held.begin(), published.held.end()), 40u);
    }
  }
}

TEST(StreamRtree, EqualTuplesLeaveAsSoonAsTheyAreEnough) {
  const StreamSchema schema = test::NumericSchema(2, 0, 100);
  std::vector<Arrival> arrivals;
  for (std::uint64_t i = 0; i < 300; ++i) arrivals.push_back({.person = i, .quasi = {7, 7}});
  for (const Method method : {Method::kBasic, Method::kDensityAware, Method::kFull}) {
    const test::Published published = test::RunRtree(schema, 3, {.method = method, .active = 20, .sample = 10}, arrivals);
    // After the first 20 have come together, nobody waits for more than a group.
    for (std::size_t i = 30; i < 300; ++i) EXPECT_LT(published.held[i], 6u);
    EXPECT_EQ(test::CostOf(schema, arrivals, published.left, .001).loss, 0);
  }
}

TEST(StreamRtree, AFarTupleIsNeverAlone) {
  const StreamSchema schema = test::NumericSchema(1, 0, 1'000'000);
  std::vector<Arrival> arrivals;
  Random random = Random::FromSeed(1);
  for (std::uint64_t i = 0; i < 400; ++i) {
    arrivals.push_back({.person = i, .quasi = {i == 100 ? 1'000'000 : static_cast<std::int64_t>(random.Below(50))}});
  }
  for (const Method method : kMethods) {
    const test::Published published = test::RunRtree(schema, 5, {.method = method, .active = 50, .sample = 20}, arrivals);
    for (const test::Left& left : published.left) EXPECT_GE(left.departure.positions.size(), 5u);
  }
}

TEST(StreamRtree, NothingIsLeftOfAShortStream) {
  const StreamSchema schema = test::NumericSchema(1, 0, 10);
  for (const Method method : kMethods) {
    for (std::size_t count = 0; count < 8; ++count) {
      const test::Published published =
          test::RunRtree(schema, 3, {.method = method, .active = 100, .sample = 10}, test::UniformArrivals(schema, count, 1));
      EXPECT_EQ(Groups(published), count / 3);
    }
  }
}

TEST(StreamRtree, Refuses) {
  StreamSchema schema = test::NumericSchema(1, 0, 100);
  schema.sensitive.push_back({.name = "s"});
  const auto told = [&](std::vector<ModelSpec> models, const StreamRtreeOptions& options) {
    return StreamRtree::Make(schema, models, options, Random::FromSeed(1)).error().message();
  };
  EXPECT_EQ(told({}, {}), "stream-rtree needs a privacy model");
  EXPECT_EQ(told({KsAnonymitySpec{1}}, {}), "stream-rtree needs a k of at least 2, not 1");
  EXPECT_EQ(told({LDiversitySpec{"s", 2, LDiversitySpec::Kind::kEntropy, {}}}, {}),
            "stream-rtree cannot promise l-diversity(s, l=2, entropy)");
  EXPECT_EQ(told({TClosenessSpec{"s", Rational(1, 5), Distance::kEqual}}, {}),
            "stream-rtree cannot promise t-closeness(s, t=0.2, equal)");
  EXPECT_EQ(told({KsAnonymitySpec{10}}, {.active = 19}), "stream-rtree: active = 19 is not from 2k = 20 to 10000000");
  EXPECT_EQ(told({KsAnonymitySpec{10}}, {.alpha = -.1}), "stream-rtree: alpha = -0.1 is not from 0 to 1000000");
  EXPECT_EQ(told({KsAnonymitySpec{10}}, {.alpha = std::nan("")}), "stream-rtree: alpha = nan is not from 0 to 1000000");
  EXPECT_EQ(told({KsAnonymitySpec{10}}, {.sample = 100, .sample_window = 99}),
            "stream-rtree: sample_window = 99 is less than sample = 100");
  EXPECT_EQ(told({KsAnonymitySpec{10}}, {.max_held = 999}), "stream-rtree: max_held = 999 is less than active = 1000");
  EXPECT_EQ(told({KsAnonymitySpec{10}}, {.max_held = 0}), "stream-rtree: max_held = 0 is less than active = 1000");
  EXPECT_EQ(told({KsAnonymitySpec{10}}, {.max_held = INT64_MAX}),
            "stream-rtree: max_held = 9223372036854775807 is more than 1000000000");
  for (const std::int64_t k : {std::int64_t{5'000'001}, std::int64_t{1'000'000'000}}) {
    EXPECT_EQ(told({KsAnonymitySpec{k}}, {}), fmt::format("stream-rtree needs a k of at most 5000000, not {}", k));
  }
  EXPECT_EQ(told({KsAnonymitySpec{5'000'000}}, {}), "stream-rtree: active = 1000 is not from 2k = 10000000 to 10000000");
  EXPECT_EQ(told({KsAnonymitySpec{10}}, {.delay_tuples = 999}),
            "stream-rtree: the delay of 999 is less than active = 1000, the mean delay");
  EXPECT_EQ(told({KsAnonymitySpec{10}}, {.method = Method::kMinDelay, .delay_tuples = 8}),
            "stream-rtree: 9 tuples wait at most, so no group can have 10 people");
}

// P8: by the theorem's own gamma the same number leaves as arrives, and no leaf is likelier than 1 / |C|.
TEST(StreamRtree, LiteralControlBalancesArrivals) {
  const StreamSchema schema = test::NumericSchema(3, 0, 1000);
  for (const Method method : {Method::kBasic, Method::kDensityAware}) {
    StreamRtree engine = test::MakeRtree(
        schema, 5, {.method = method, .control = Control::kLiteral, .active = 100, .sample = 200, .sample_window = 500}, 1);
    std::vector<Departure> out;
    Position position = 0;
    for (const Arrival& arrival : test::UniformArrivals(schema, 2000, 2)) {
      engine.Push({++position, 0, arrival.person, arrival.quasi, {}}, out);
      if (!engine.state().warm()) continue;
      double leaving = 0;
      for (LeafStore::Index slot = 0; slot < static_cast<LeafStore::Index>(engine.state().leaves().num_leaves()); ++slot) {
        const double chance = engine.state().Chance(slot);
        const auto size = static_cast<double>(engine.state().leaves().leaf(slot).size);
        ASSERT_LE(chance, 1 / size + 1e-12);
        leaving += chance * size;
      }
      ASSERT_TRUE(leaving == 0 || std::abs(leaving - 1) < 1e-9);
    }
  }
}

// P9: waits under a fixed gamma, and the chance of an instant under a moving one.
TEST(StreamRtree, WaitsFollowTheirLaw) {
  Random random = Random::FromSeed(4);
  for (const double p : {.02, .3}) {
    constexpr int kDraws = 100'000;
    std::vector<double> counts(12);
    for (int i = 0; i < kDraws; ++i) {
      const double wait = GeometricWait(p, 1 - random.Unit());
      ++counts[static_cast<std::size_t>(std::min(wait, 11.0))];
    }
    double square = 0;
    for (int wait = 0; wait < 12; ++wait) {
      const double expected = kDraws * (wait < 11 ? p * std::pow(1 - p, wait) : std::pow(1 - p, 11));
      square +=
          (counts[static_cast<std::size_t>(wait)] - expected) * (counts[static_cast<std::size_t>(wait)] - expected) / expected;
    }
    EXPECT_LT(square, 11 + 4.5 * std::sqrt(22.0));
  }
}

// P12.
TEST(StreamRtree, WithoutACostOfDelayDensityTellsNothing) {
  const StreamSchema schema = test::NumericSchema(2, 0, 1000);
  const std::vector<Arrival> arrivals = test::UniformArrivals(schema, 4000, 5);
  const auto told = [&](Method method) {
    return test::Told(test::RunRtree(schema, 5, {.method = method, .active = 100, .alpha = 0, .sample = 50}, arrivals).left);
  };
  EXPECT_EQ(told(Method::kBasic), told(Method::kDensityAware));
}

// P15: with the restoring factor the number that waits stays near its target; without it it wanders.
TEST(StreamRtree, ProportionalControlKeepsTheActiveSetLiteralDoesNot) {
  const StreamSchema schema = test::NumericSchema(3, 0, 10'000);
  constexpr std::int64_t kActive = 200;
  const auto run = [&](Control control, std::uint64_t seed) {
    StreamRtree engine = test::MakeRtree(
        schema, 10, {.method = Method::kBasic, .control = control, .active = kActive, .max_held = 1'000'000}, seed);
    std::vector<Departure> out;
    Position position = 0;
    double sum = 0;
    double count = 0;
    std::pair<std::size_t, std::size_t> range(1'000'000, 0);
    for (const Arrival& arrival : test::UniformArrivals(schema, 100'000, seed)) {
      engine.Push({++position, 0, arrival.person, arrival.quasi, {}}, out);
      out.clear();
      if (position < 1000) continue;
      sum += static_cast<double>(engine.gauges().held);
      ++count;
      range = {std::min(range.first, engine.gauges().held), std::max(range.second, engine.gauges().held)};
    }
    return std::pair(sum / count, range);
  };
  bool wandered = false;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const auto [mean, range] = run(Control::kProportional, seed);
    EXPECT_NEAR(mean, kActive, .05 * kActive);
    EXPECT_GE(range.first, static_cast<std::size_t>(kActive / 5));
    EXPECT_LE(range.second, static_cast<std::size_t>(2 * kActive));
    const auto literal = run(Control::kLiteral, seed).second;
    wandered = wandered || literal.first < static_cast<std::size_t>(kActive / 5) ||
               literal.second > static_cast<std::size_t>(2 * kActive);
  }
  EXPECT_TRUE(wandered);
}

// P17: where in its group a row is written tells nothing of when it came.
TEST(StreamRtree, RowsOfAGroupLeaveInRandomOrder) {
  const StreamSchema schema = test::NumericSchema(2, 0, 1000);
  std::vector<std::vector<double>> places(5, std::vector<double>(5));  // by rank of arrival and place
  for (const Method method : {Method::kMinDelay, Method::kFull}) {
    const test::Published published =
        test::RunRtree(schema, 5, {.method = method, .active = 60, .sample = 50}, test::UniformArrivals(schema, 40'000, 6));
    for (const test::Left& left : published.left) {
      if (left.departure.positions.size() != 5) continue;
      for (std::size_t place = 0; place < 5; ++place) {
        std::size_t rank = 0;
        for (const Position other : left.departure.positions) rank += other < left.departure.positions[place] ? 1 : 0;
        ++places[rank][place];
      }
    }
  }
  for (const std::vector<double>& counts : places) {
    double sum = 0;
    for (const double count : counts) sum += count;
    ASSERT_GT(sum, 10'000);
    for (const double count : counts) EXPECT_NEAR(count, sum / 5, 4.5 * std::sqrt(sum * .16));
  }
}

// Everybody in one place: a leaf of 2k with two values of one kind cannot be halved, and leaves whole; without them it waits.
TEST(StreamRtree, AFullLeafThatCannotBeHalvedLeavesWhole) {
  StreamSchema schema = test::NumericSchema(1, 0, 100);
  schema.sensitive.push_back({.name = "s", .num_values = 2});
  const StreamRtreeOptions options{.method = Method::kBasic, .active = 12};
  std::vector<Arrival> arrivals;
  for (std::int64_t i = 0; i < 40; ++i) {
    arrivals.push_back({.person = static_cast<PersonId>(i), .quasi = {i % 2}, .sensitive = {i % 6 == 5 ? 1 : 0}});
  }
  const test::Published published = test::RunRtree(schema, 3, options, arrivals, 1, 2);
  std::size_t whole = 0;
  for (const test::Left& left : published.left) {
    if (left.departure.kind != Departure::Kind::kGroup) continue;
    bool rare = false;
    for (const Position position : left.departure.positions) rare = rare || position % 6 == 0;
    EXPECT_TRUE(rare);
    whole += left.departure.positions.size() == 6 ? 1 : 0;
  }
  EXPECT_GT(whole, 0u);
  for (Arrival& arrival : arrivals) arrival.sensitive = {0};
  for (const test::Left& left : test::RunRtree(schema, 3, options, arrivals, 1, 2).left) {
    EXPECT_EQ(left.departure.kind, Departure::Kind::kSuppressed);
  }
}

// Independent normal values of three columns from 0 to 10, drawn again where they lie outside; in thousandths.
std::vector<Arrival> NormalArrivals(std::size_t count, std::uint64_t seed) {
  constexpr std::pair<double, double> kMeansAndDeviations[] = {{5, 2}, {3.3, 3}, {6.6, 3}};
  Random random = Random::FromSeed(seed);
  std::vector<Arrival> arrivals(count);
  for (std::size_t i = 0; i < count; ++i) {
    arrivals[i].person = i + 1;
    for (const auto& [mean, deviation] : kMeansAndDeviations) {
      double value = -1;
      while (!(value >= 0 && value <= 10)) {
        const double radius = std::sqrt(-2 * std::log(1 - random.Unit()));
        value = mean + deviation * radius * std::cos(2 * std::numbers::pi * random.Unit());
      }
      arrivals[i].quasi.push_back(std::llround(1000 * value));
    }
  }
  return arrivals;
}

// The figures of the specification of this engine: 3 columns, k = 10, 300 active, fixed gamma, no cap, five seeds; even values
// and normal ones.
TEST(StreamRtree, ReachesTheReferenceFigures) {
  struct Figures {
    Method method;
    bool normal;
    double loss, cost, delay;
  };
  const StreamSchema schema = test::NumericSchema(3, 0, 10'000);
  for (const Figures& expected :
       {Figures{Method::kBasic, false, .805, 1.106, 292}, Figures{Method::kDensityAware, false, .850, 1.076, 225},
        Figures{Method::kFull, false, .769, 1.056, 281}, Figures{Method::kBasic, true, .692, .962, 291},
        Figures{Method::kDensityAware, true, .730, .927, 223}, Figures{Method::kFull, true, .650, .895, 283}}) {
    SCOPED_TRACE(fmt::format("method {}{}", static_cast<int>(expected.method), expected.normal ? ", normal" : ""));
    test::Costs mean;
    const int seeds = SomeOrAll(1, 5);
    for (int seed = 1; seed <= seeds; ++seed) {
      const StreamRtreeOptions options{.method = expected.method,
                                       .control = Control::kFixed,
                                       .active = 300,
                                       .max_holds = 1'000'000,
                                       .max_held = 100'000,
                                       .most_exponent = 600};
      const std::vector<Arrival> arrivals =
          expected.normal ? NormalArrivals(30'000, seed) : test::UniformArrivals(schema, 30'000, seed);
      const test::Costs costs = test::CostOf(schema, arrivals, test::RunRtree(schema, 10, options, arrivals, seed).left, .001);
      mean.loss += costs.loss / seeds;
      mean.cost += costs.cost / seeds;
      mean.delay += costs.delay / seeds;
    }
    EXPECT_NEAR(mean.loss, expected.loss, .03 * expected.loss);
    EXPECT_NEAR(mean.cost, expected.cost, .03 * expected.cost);
    EXPECT_NEAR(mean.delay, expected.delay, .08 * expected.delay);
  }
}

}  // namespace
}  // namespace cordon::engine
