// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/castle/dynamic_group.h"

#include <gtest/gtest.h>

#include "tests/algorithms/random_stream.h"
#include "tests/algorithms/stream_restore.h"
#include "tests/algorithms/stream_run.h"

namespace cordon::engine {
namespace {

using test::Arrival;
using test::Told;

struct NumericStream {
  test::RandomStream stream;
  DynamicGroupOptions options;

  explicit NumericStream(std::uint64_t seed) : stream(test::MakeRandomStream(seed)) {
    for (StreamAxis& axis : stream.schema.quasi) axis.hierarchy = nullptr;
    options = {.delay_tuples = stream.options.delay_tuples, .delay_ms = stream.options.delay_ms};
  }
  DynamicGroup Engine(std::uint64_t seed) const {
    return DynamicGroup::Make(stream.schema, stream.models(), options, Random::FromSeed(seed)).value();
  }
};

// The verifier stands between: people, values, boxes, delay, each tuple once.
TEST(DynamicGroup, PassesTheVerifierOnRandomStreams) {
  std::size_t groups = 0;
  for (std::uint64_t seed = 0; seed < 2000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const NumericStream numeric(seed);
    DynamicGroup engine = numeric.Engine(seed);
    StreamVerifier verifier = numeric.stream.Verifier();
    test::StreamRun run(engine, verifier);
    for (const Arrival& arrival : numeric.stream.arrivals) {
      if (numeric.options.delay_ms > 0) run.Advance(arrival.time);
      run.Push(arrival);
    }
    run.Flush();
    for (const auto& left : run.left()) groups += left.departure.kind == Departure::Kind::kGroup ? 1 : 0;
  }
  EXPECT_GT(groups, 5000u);
}

TEST(DynamicGroup, HalvesAtTwiceKAndJoinsTheNearestCentroid) {
  const StreamSchema schema = test::NumericSchema(1, 0, 100);
  DynamicGroup engine = DynamicGroup::Make(schema, {{KsAnonymitySpec{2}}}, {.delay_tuples = 100}, Random::FromSeed(1)).value();
  std::vector<Departure> out;
  Position position = 0;
  for (const std::int64_t value : {10, 90, 12, 88, 60, 30}) {  // 4 people: {10, 12} and {88, 90}; 60 to the right, 30 left
    ++position;
    engine.Push({position, 0, static_cast<PersonId>(position), {&value, 1}, {}}, out);
  }
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(engine.gauges().clusters, 2u);
  engine.Flush(out);
  std::vector<test::Left> left;
  for (const Departure& departure : out) left.push_back({departure, position});
  EXPECT_EQ(Told(left), "group [10,30] 1 3 6 | group [60,90] 2 4 5");
}

TEST(DynamicGroup, EverythingLeavesWithTheOldest) {
  const StreamSchema schema = test::NumericSchema(1, 0, 100);
  DynamicGroup engine = DynamicGroup::Make(schema, {{KsAnonymitySpec{2}}}, {.delay_tuples = 2}, Random::FromSeed(1)).value();
  std::vector<Departure> out;
  for (Position position = 1; position <= 4; ++position) {
    const std::int64_t value = position;
    engine.Push({position, 0, static_cast<PersonId>(position), {&value, 1}, {}}, out);
    EXPECT_EQ(out.size(), position < 3 ? 0u : 1u);
  }
  engine.Flush(out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].positions.size(), 3u);
  EXPECT_EQ(out[1].kind, Departure::Kind::kSuppressed);  // one person is left
}

TEST(DynamicGroup, OnePersonIsNoGroup) {
  const StreamSchema schema = test::NumericSchema(1, 0, 100);
  DynamicGroup engine = DynamicGroup::Make(schema, {{KsAnonymitySpec{2}}}, {.delay_tuples = 50}, Random::FromSeed(1)).value();
  std::vector<Departure> out;
  for (Position position = 1; position <= 20; ++position) {
    const std::int64_t value = position;
    engine.Push({position, 0, 1, {&value, 1}, {}}, out);
  }
  engine.Flush(out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].kind, Departure::Kind::kSuppressed);
}

TEST(DynamicGroup, Refuses) {
  StreamSchema schema = test::NumericSchema(1, 0, 100);
  EXPECT_EQ(DynamicGroup::Make(schema, {{KsAnonymitySpec{2}}}, {}, Random::FromSeed(1)).error().message(),
            "dynamic-group needs a delay above 0, in tuples or in time, not both");
  schema.quasi.push_back(test::CategoryAxis("job", Hierarchy::Flat(std::vector<std::string>{"a", "b"}).value()));
  EXPECT_EQ(DynamicGroup::Make(schema, {{KsAnonymitySpec{2}}}, {.delay_tuples = 5}, Random::FromSeed(1)).error().message(),
            "dynamic-group takes numbers and dates only; 'job' is categorical");
}

TEST(DynamicGroup, ARestoredEngineGoesOnLikeTheOldOne) {
  for (std::uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const NumericStream numeric(seed);
    DynamicGroup kept = numeric.Engine(seed);
    DynamicGroup restored = numeric.Engine(seed + 1);
    test::Restored both{kept, restored};
    for (const Arrival& arrival : numeric.stream.arrivals) {
      ASSERT_NO_FATAL_FAILURE(both.Restore());
      ASSERT_NO_FATAL_FAILURE(both.Push(arrival));
    }
    ASSERT_NO_FATAL_FAILURE(both.Restore());
    const std::string saved = kept.Save();
    for (std::size_t size = 0; size < saved.size(); size += 3) EXPECT_FALSE(restored.Restore(saved.substr(0, size)).ok());
    for (std::size_t at = 0; at < saved.size(); at += 5) {
      std::string damaged = saved;
      damaged[at] = static_cast<char>(damaged[at] ^ 4);
      DynamicGroup victim = numeric.Engine(1);
      if (!victim.Restore(damaged).ok()) continue;
      std::vector<Departure> rest;
      victim.Flush(rest);  // what passes must still run to its end
      EXPECT_EQ(victim.gauges().held, 0u);
    }
  }
}

}  // namespace
}  // namespace cordon::engine
