// SPDX-License-Identifier: Apache-2.0
//
// The R-tree publisher on random streams: every departure against a slow publisher written from the definition, the promises
// recounted from what was let out, and snapshots at every step.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "cordon/algorithms/stream_rtree/stream_rtree_internal.h"
#include "tests/algorithms/random_stream.h"
#include "tests/algorithms/stream_restore.h"
#include "tests/algorithms/stream_rtree/stream_rtree_cases.h"
#include "tests/algorithms/stream_rtree/stream_rtree_oracle.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

using test::Arrival;
using test::RtreeOracle;
using Method = StreamRtreeOptions::Method;
using Control = StreamRtreeOptions::Control;

struct RandomCase {
  StreamSchema schema;
  std::int64_t k = 2;
  std::int64_t l = 0;  // no more than k
  StreamRtreeOptions options;
  std::vector<Arrival> arrivals;
};

// Few people, few values, many ties, everything turned on now and then.
RandomCase MakeCase(std::uint64_t seed, std::int64_t most_arrivals = 200) {
  Random random = Random::FromSeed(seed);
  RandomCase c;
  const std::uint64_t axes = random.Below(8) == 0 ? 0 : 1 + random.Below(3);
  for (std::uint64_t i = 0; i < axes; ++i) {
    const std::string name = "q" + std::to_string(i);
    if (random.Below(3) == 0) {
      c.schema.quasi.push_back(test::CategoryAxis(name, test::SmallTree(random, BoxLoss::Form::kPaper)));
    } else {
      const std::int64_t widths[] = {0, 4, 30, 300, 70'000};
      c.schema.quasi.push_back({.name = name, .lo = -3, .hi = -3 + widths[random.Below(5)]});
    }
    if (random.Below(6) == 0) c.schema.quasi.back().weight = .5 * static_cast<double>(random.Below(4));
  }
  c.k = test::Within(random, 2, 4);
  const bool skewed = random.Below(2) == 0;
  if (random.Below(3) == 0) {
    c.l = test::Within(random, 2, c.k);
    c.schema.sensitive.push_back({.name = "sa", .num_values = static_cast<std::int32_t>(c.l + 1)});
  }
  c.options.method = static_cast<Method>(random.Below(4));
  c.options.control = static_cast<Control>(random.Below(3));
  c.options.active = test::Within(random, 2 * c.k, 8 * c.k);
  const double alphas[] = {0, .001, .05, 3};
  c.options.alpha = alphas[random.Below(4)];
  c.options.sample = test::Within(random, 1, 30);
  c.options.sample_window = test::Within(random, c.options.sample, 60);
  c.options.max_holds = test::Within(random, 0, 3);
  if (random.Below(3) == 0) c.options.max_held = test::Within(random, c.options.active, 3 * c.options.active);
  if (random.Below(3) == 0) c.options.delay_tuples = test::Within(random, c.options.active, 4 * c.options.active);
  c.options.search = random.Below(2) == 0 ? LeafStore::Search::kTree : LeafStore::Search::kFlat;
  const std::int64_t people = random.Below(2) == 0 ? 1'000'000 : test::Within(random, 1, 60);
  const std::int64_t length = test::Within(random, 1, most_arrivals);
  for (std::int64_t i = 0; i < length; ++i) {
    Arrival arrival{.person = random.Below(static_cast<std::uint64_t>(people)), .quasi = {}};
    for (const StreamAxis& axis : c.schema.quasi) {
      const bool near = random.Below(2) == 0;
      arrival.quasi.push_back(test::Within(random, axis.lo, near ? axis.lo + (axis.hi - axis.lo) / 4 : axis.hi));
    }
    if (c.l > 0) {
      const std::int64_t value = skewed && random.Below(4) != 0 ? 0 : test::Within(random, kNull, c.l);
      arrival.sensitive.push_back(static_cast<std::int32_t>(value));
    }
    c.arrivals.push_back(std::move(arrival));
  }
  return c;
}

std::set<RtreeOracle::Gone> GoneOf(const std::vector<Departure>& out) {
  std::set<RtreeOracle::Gone> gone;
  for (const Departure& departure : out) {
    std::vector<Position> positions = departure.positions;
    std::sort(positions.begin(), positions.end());
    gone.emplace(departure.kind == Departure::Kind::kGroup, std::move(positions));
  }
  return gone;
}

// Leaves, queue and people against a recount (P2, P6).
void ExpectConsistent(const StreamRtreeState& state, const RandomCase& c) {
  const LeafStore& leaves = state.leaves();
  std::size_t held = 0;
  for (LeafStore::Index slot = 0; slot < static_cast<LeafStore::Index>(leaves.num_leaves()); ++slot) {
    std::set<PersonId> people;
    ASSERT_GT(leaves.members(slot).size(), 0u);
    ASSERT_LT(static_cast<std::int64_t>(leaves.members(slot).size()), 2 * c.k + (c.l > 0 ? 1 : 0));
    for (const LeafStore::Index member : leaves.members(slot)) {
      ASSERT_EQ(leaves.tuple(member).leaf, slot);
      ASSERT_TRUE(people.insert(leaves.tuple(member).person).second);
    }
    for (std::size_t axis = 0; axis < leaves.num_axes(); ++axis) {
      double lo = INFINITY;
      double hi = -INFINITY;
      for (const LeafStore::Index member : leaves.members(slot)) {
        lo = std::min(lo, leaves.point(member)[axis]);
        hi = std::max(hi, leaves.point(member)[axis]);
      }
      ASSERT_EQ(leaves.lo(slot, axis), lo);
      ASSERT_EQ(leaves.hi(slot, axis), hi);
    }
    ASSERT_EQ(leaves.leaf(slot).penalty, leaves.PenaltyOf(leaves.members(slot)));
    ASSERT_TRUE(leaves.mature(slot) || state.queue().due(static_cast<std::size_t>(slot)) == DueQueue::kNever);
    held += leaves.members(slot).size();
  }
  ASSERT_EQ(held, leaves.num_held());
}

TEST(StreamRtreeProperty, EveryDepartureIsThatOfTheDefinition) {
  std::map<Method, std::size_t> groups;
  std::size_t suppressed = 0;
  std::size_t forced = 0;
  std::size_t diverse = 0;
  std::size_t whole = 0;  // groups that could not be halved
  const auto cases = SomeOrAll<std::size_t>(750, 3000);
  for (std::uint64_t seed = 0; seed < cases && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase c = MakeCase(seed);
    StreamRtree engine = test::MakeRtree(c.schema, c.k, c.options, seed, c.l);
    RtreeOracle oracle(c.schema, c.k, c.options, Random::FromSeed(seed), c.l);
    Position position = 0;
    for (const Arrival& arrival : c.arrivals) {
      std::vector<Departure> out;
      engine.Push({++position, 0, arrival.person, arrival.quasi, arrival.sensitive}, out);
      ASSERT_EQ(GoneOf(out), oracle.Push(arrival)) << "at " << position;
      for (const Departure& departure : out) {
        if (departure.kind != Departure::Kind::kGroup) continue;
        ++groups[c.options.method];
        diverse += c.l > 0 ? 1 : 0;
        whole += static_cast<std::int64_t>(departure.positions.size()) == 2 * c.k ? 1 : 0;
      }
      ExpectConsistent(engine.state(), c);
    }
    forced += static_cast<std::size_t>(engine.state().forced());
    std::vector<Departure> out;
    engine.Flush(out);
    for (const Departure& departure : out) suppressed += departure.kind == Departure::Kind::kSuppressed ? 1 : 0;
    ASSERT_EQ(GoneOf(out), oracle.Flush());
    ASSERT_EQ(engine.gauges().held, 0u);
  }
  for (const auto& [method, count] : groups) EXPECT_GT(count, cases) << static_cast<int>(method);
  EXPECT_EQ(groups.size(), 4u);
  EXPECT_GT(suppressed, cases / 30);
  EXPECT_GT(forced, cases / 30);
  EXPECT_GT(diverse, cases * 2 / 3);
  EXPECT_GT(whole, cases / 150);
}

// A fixed gamma begins after five thousand arrivals: one long stream for each method.
TEST(StreamRtreeProperty, FixedControlIsThatOfTheDefinition) {
  for (const Method method : {Method::kBasic, Method::kDensityAware, Method::kFull}) {
    const StreamSchema schema = test::NumericSchema(2, 0, 1000);
    StreamRtreeOptions options{.method = method, .control = Control::kFixed, .active = 40, .sample = 50, .sample_window = 200};
    const std::vector<Arrival> arrivals = test::UniformArrivals(schema, 6500, 3);
    StreamRtree engine = test::MakeRtree(schema, 5, options, 9);
    RtreeOracle oracle(schema, 5, options, Random::FromSeed(9));
    Position position = 0;
    for (const Arrival& arrival : arrivals) {
      std::vector<Departure> out;
      engine.Push({++position, 0, arrival.person, arrival.quasi, {}}, out);
      ASSERT_EQ(GoneOf(out), oracle.Push(arrival)) << "at " << position;
    }
    ASSERT_TRUE(engine.state().fixed_gamma().has_value());
    EXPECT_EQ(engine.state().clock(), 6500);
  }
}

// P1, P3, P5, P11, P13: recounted from the departures alone, behind the verifier.
TEST(StreamRtreeProperty, PromisesHoldOfWhatWasLetOut) {
  std::size_t groups = 0;
  const auto cases = SomeOrAll<std::size_t>(375, 1500);
  for (std::uint64_t seed = 10'000; seed < 10'000 + cases && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase c = MakeCase(seed, 300);
    const test::Published published = test::RunRtree(c.schema, c.k, c.options, c.arrivals, seed, c.l);
    std::vector<int> times(c.arrivals.size() + 1);
    std::set<PersonId> everybody;
    for (const Arrival& arrival : c.arrivals) everybody.insert(arrival.person);
    std::int64_t delays = 0;
    for (const test::Left& left : published.left) {
      std::set<PersonId> people;
      std::set<std::int32_t> values;
      for (const Position position : left.departure.positions) {
        const Arrival& arrival = c.arrivals[static_cast<std::size_t>(position) - 1];
        if (c.l > 0 && arrival.sensitive[0] != kNull) values.insert(arrival.sensitive[0]);
        ASSERT_EQ(++times[static_cast<std::size_t>(position)], 1);
        ASSERT_LE(position, left.step);
        people.insert(c.arrivals[static_cast<std::size_t>(position) - 1].person);
        delays += left.step - position;
        ASSERT_TRUE(c.options.delay_tuples == 0 || left.step - position <= c.options.delay_tuples);
      }
      if (left.departure.kind != Departure::Kind::kGroup) continue;
      ++groups;
      const auto size = static_cast<std::int64_t>(left.departure.positions.size());
      ASSERT_EQ(static_cast<std::int64_t>(people.size()), size);
      ASSERT_GE(size, c.k);
      ASSERT_GE(static_cast<std::int64_t>(values.size()), c.l);
      ASSERT_LT(size, 2 * c.k + (c.l > 0 ? 1 : 0));
      ASSERT_TRUE(c.options.method != Method::kMinDelay || size == c.k || c.l > 0);
      ASSERT_GE(static_cast<std::int64_t>(everybody.size()), c.k);
      for (std::size_t axis = 0; axis < c.schema.quasi.size(); ++axis) {
        std::int64_t lo = INT64_MAX;
        std::int64_t hi = INT64_MIN;
        for (const Position position : left.departure.positions) {
          lo = std::min(lo, c.arrivals[static_cast<std::size_t>(position) - 1].quasi[axis]);
          hi = std::max(hi, c.arrivals[static_cast<std::size_t>(position) - 1].quasi[axis]);
        }
        const AxisRange& range = left.departure.box[axis];
        if (const auto& tree = c.schema.quasi[axis].hierarchy) {
          const NodeId node = tree->Lca(static_cast<Code>(lo), static_cast<Code>(hi));
          ASSERT_EQ(range, (AxisRange{tree->first_leaf(node), tree->last_leaf(node)}));
        } else {
          ASSERT_EQ(range, (AxisRange{lo, hi}));
        }
      }
    }
    for (std::size_t position = 1; position < times.size(); ++position) ASSERT_EQ(times[position], 1);
    // The sum of the delays is the sum of the numbers that waited: Little's law, to the tuple. What is flushed leaves at the
    // last instant, so that instant counts nobody.
    std::int64_t waited = 0;
    for (std::size_t i = 0; i + 1 < published.held.size(); ++i) waited += static_cast<std::int64_t>(published.held[i]);
    ASSERT_EQ(delays, waited);
    for (const std::size_t held : published.held) ASSERT_LE(static_cast<std::int64_t>(held), c.options.held_cap());
  }
  EXPECT_GT(groups, cases * 20 / 3);
}

TEST(StreamRtreeProperty, ARestoredEngineGoesOnLikeTheOldOne) {
  for (std::uint64_t seed = 20'000; seed < 20'150 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase c = MakeCase(seed, 120);
    StreamRtree kept = test::MakeRtree(c.schema, c.k, c.options, seed, c.l);
    StreamRtree restored = test::MakeRtree(c.schema, c.k, c.options, seed + 1, c.l);
    test::Restored both{kept, restored};
    for (const Arrival& arrival : c.arrivals) {
      ASSERT_NO_FATAL_FAILURE(both.Restore());
      ASSERT_NO_FATAL_FAILURE(both.Push(arrival));
    }
    ASSERT_NO_FATAL_FAILURE(both.Restore());
    const std::string saved = kept.Save();
    for (std::size_t size = 0; size < saved.size(); size += 7) EXPECT_FALSE(restored.Restore(saved.substr(0, size)).ok());
    EXPECT_EQ(restored.Save(), saved);  // what was refused left no trace
    for (std::size_t at = 0; at < saved.size(); at += 3) {
      std::string damaged = saved;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
      StreamRtree victim = test::MakeRtree(c.schema, c.k, c.options, 1, c.l);
      if (!victim.Restore(damaged).ok()) continue;
      std::vector<Departure> rest;
      victim.Flush(rest);  // what passes must still run to its end
      EXPECT_EQ(victim.gauges().held, 0u);
    }
  }
}

// P7, on more leaves than a scan is chosen for: the tree comes when it has become worth it, and goes at the end.
TEST(StreamRtreeProperty, TreeAndScanPublishTheSame) {
  const StreamSchema schema = test::NumericSchema(4, 0, 50);  // many ties
  std::vector<Arrival> arrivals = test::UniformArrivals(schema, 26'000, 5);
  for (std::size_t i = 0; i < arrivals.size(); i += 3) arrivals[i].person = i % 7000;
  StreamRtreeOptions options{.active = 24'000, .sample = 100, .sample_window = 1000};
  std::vector<test::Published> published;
  for (const LeafStore::Search search : {LeafStore::Search::kFlat, LeafStore::Search::kTree, LeafStore::Search::kAuto}) {
    options.search = search;
    published.push_back(test::RunRtree(schema, 2, options, arrivals));
  }
  StreamRtree engine = test::MakeRtree(schema, 2, options, 1);
  std::vector<Departure> out;
  Position position = 0;
  for (const Arrival& arrival : arrivals) engine.Push({++position, 0, arrival.person, arrival.quasi, {}}, out);
  EXPECT_TRUE(engine.state().leaves().has_tree());
  for (std::size_t other = 1; other < published.size(); ++other) {
    ASSERT_EQ(published[0].left.size(), published[other].left.size());
    for (std::size_t i = 0; i < published[0].left.size(); ++i) {
      ASSERT_EQ(published[0].left[i].departure.positions, published[other].left[i].departure.positions);
      ASSERT_EQ(published[0].left[i].departure.box, published[other].left[i].departure.box);
    }
  }
}

}  // namespace
}  // namespace cordon::engine
