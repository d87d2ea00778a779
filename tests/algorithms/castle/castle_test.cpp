// SPDX-License-Identifier: Apache-2.0
//
// Contracts and edges of CASTLE, and faults seen in other programs, each as a test.
#include "cordon/algorithms/castle/castle.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/algorithms/random_stream.h"
#include "tests/algorithms/stream_run.h"

namespace cordon::engine {
namespace {

using test::Arrival;
using test::Told;
using Kind = LDiversitySpec::Kind;

const std::vector<ModelSpec> kTwo = {KsAnonymitySpec{2}};

std::string Refusal(const StreamSchema& schema, const std::vector<ModelSpec>& models, const CastleOptions& options) {
  const auto made = Castle::Make(schema, models, options, Random::FromSeed(1));
  return made.ok() ? "" : made.error().message();
}

TEST(Castle, RefusesWhatCannotBe) {
  const StreamSchema schema = test::NumericSchema(1, 0, 100);
  EXPECT_EQ(Refusal(schema, kTwo, {.delay_tuples = 5}), "");
  EXPECT_EQ(Refusal(schema, kTwo, {}), "castle needs a delay above 0, in tuples or in time, not both");
  EXPECT_EQ(Refusal(schema, kTwo, {.delay_tuples = 5, .delay_ms = 5}),
            "castle needs a delay above 0, in tuples or in time, not both");
  EXPECT_EQ(Refusal(schema, {KsAnonymitySpec{7}}, {.delay_tuples = 5}),
            "castle: 6 tuples wait at most, so no group can have 7 people");
  EXPECT_EQ(Refusal(schema, {KsAnonymitySpec{6}}, {.delay_tuples = 5}), "");
  EXPECT_EQ(Refusal(schema, {KsAnonymitySpec{6}}, {.delay_tuples = 5, .batch = 2}),
            "castle: 5 tuples wait at most, so no group can have 6 people");
  EXPECT_EQ(Refusal(schema, {KsAnonymitySpec{0}}, {.delay_tuples = 5}),
            "ks-anonymity: k is 0, it must be a whole number of at least 1");
  EXPECT_EQ(Refusal(schema, {}, {.delay_tuples = 5}), "castle needs a privacy model");
  EXPECT_EQ(Refusal(schema, {LDiversitySpec{"s", 2, Kind::kDistinct, {}}}, {.delay_tuples = 5}),
            "'s' is not a sensitive column of the stream");
  EXPECT_EQ(Refusal(schema, {TClosenessSpec{"s", 0, Distance::kEqual}}, {.delay_tuples = 5}),
            "castle cannot promise t-closeness(s, t=0, equal)");
  EXPECT_EQ(Refusal(schema, {LDiversitySpec{"s", 2, Kind::kEntropy, {}}}, {.delay_tuples = 5}),
            "castle cannot promise l-diversity(s, l=2, entropy)");
  EXPECT_EQ(Refusal(schema, kTwo, {.delay_tuples = 5, .max_open = 0}),
            "castle: max_open is 0, it must be from 1 to 1000000000");
  EXPECT_EQ(Refusal(schema, kTwo, {.delay_tuples = 5, .history = 0}), "castle: history is 0, it must be from 1 to 1000000000");
  EXPECT_EQ(Refusal(schema, kTwo, {.delay_tuples = 5, .reuse_cap = -1}),
            "castle: reuse_cap is -1, it must be from 0 to 1000000");
  EXPECT_EQ(Refusal(schema, kTwo, {.delay_tuples = 5, .reuse_ttl = 0}), "castle: reuse_ttl is 0, it must be at least 1");
  EXPECT_EQ(Refusal(schema, kTwo, {.delay_tuples = 5, .split_tries = 0}),
            "castle: split_tries is 0, it must be from 1 to 1000");
  EXPECT_EQ(Refusal(schema, kTwo, {.delay_tuples = 5, .batch = 6}), "castle: batch is 6, it must be at most the delay of 5");
  EXPECT_EQ(Refusal(schema, kTwo, {.delay_ms = 5, .batch = 2}), "castle: batches need a delay in tuples");
  EXPECT_EQ(Refusal(test::NumericSchema(1, 5, 4), kTwo, {.delay_tuples = 5}),
            "the domain of 'q0' is empty or too wide for a stream");
  EXPECT_EQ(Refusal(test::NumericSchema(1, INT64_MIN, INT64_MAX), kTwo, {.delay_tuples = 5}),
            "the domain of 'q0' is empty or too wide for a stream");
}

// Runs numbers of people through, and tells what left at each step, "." for nothing.
std::vector<std::string> StepsOf(const std::vector<ModelSpec>& models, const CastleOptions& options,
                                 const std::vector<Arrival>& arrivals, StreamSchema schema = test::NumericSchema(1, 0, 100)) {
  Castle castle = Castle::Make(schema, models, options, Random::FromSeed(1)).value();
  StreamVerifier verifier = test::VerifierFor(schema, models, options);
  test::StreamRun run(castle, verifier);
  std::vector<std::string> steps;
  std::size_t told = 0;
  const auto tell = [&] {
    steps.push_back(Told({run.left().begin() + static_cast<std::ptrdiff_t>(told), run.left().end()}));
    told = run.left().size();
  };
  for (const Arrival& arrival : arrivals) {
    if (options.delay_ms > 0) run.Advance(arrival.time);
    run.Push(arrival);
    tell();
  }
  run.Flush();
  tell();
  return steps;
}

std::string AtEnd(const std::vector<ModelSpec>& models, const CastleOptions& options, const std::vector<Arrival>& arrivals) {
  return StepsOf(models, options, arrivals).back();
}

TEST(Castle, AnEmptyStreamEnds) { EXPECT_EQ(AtEnd(kTwo, {.delay_tuples = 5}, {}), ""); }

// Fault of others: k counts tuples. One person's purchases are no group, however many.
TEST(Castle, OnePersonIsNoGroup) {
  const std::vector<Arrival> bob(6, {.person = 7, .quasi = {30}});
  const std::vector<std::string> steps = StepsOf(kTwo, {.delay_tuples = 3}, bob);
  EXPECT_EQ(steps[3], "suppressed 1");
  EXPECT_EQ(steps[5], "suppressed 3");
  EXPECT_EQ(steps[6], "suppressed 4 5 6");
}

// Three men and a purchase by one of them: joining would make it weakly anonymous, one person is still one person.
TEST(Castle, ASinglePurchaseIsSuppressed) {
  EXPECT_EQ(AtEnd({KsAnonymitySpec{3}}, {.delay_tuples = 3}, {{.person = 1, .quasi = {31}}}), "suppressed 1");
}

// Two clusters of one and the same person have two people by their sizes, one by their people.
TEST(Castle, PeopleInTwoClustersCountOnce) {
  EXPECT_EQ(AtEnd(kTwo, {.delay_tuples = 9}, {{.person = 1, .quasi = {0}}, {.person = 1, .quasi = {100}}}), "suppressed 1 2");
}

TEST(Castle, TheEndMergesWhatIsShortIntoWhatIsReady) {
  EXPECT_EQ(AtEnd(kTwo, {.delay_tuples = 9},
                  {{.person = 1, .quasi = {10}}, {.person = 2, .quasi = {10}}, {.person = 3, .quasi = {40}}}),
            "group [10,40] 1 2 3");
}

// Fault of others: an emptied cluster stays, with stale ranges that win every selection and eat up the limit.
TEST(Castle, AnEmptiedClusterIsGone) {
  const StreamSchema schema = test::NumericSchema(1, 0, 100);
  Castle castle = Castle::Make(schema, kTwo, {.delay_tuples = 2, .max_open = 2}, Random::FromSeed(1)).value();
  std::vector<Departure> out;
  for (Position position = 1; position <= 50; ++position) {
    const std::int64_t value = position % 2 == 0 ? 0 : 100;
    castle.Push({position, 0, 1, {&value, 1}, {}}, out);
    EXPECT_LE(castle.gauges().clusters, 2u);
    EXPECT_LE(castle.gauges().held, 2u);
  }
  castle.Flush(out);
  EXPECT_EQ(castle.gauges().clusters, 0u);
}

// Fault of others: groups that can be joined never age, and memory grows.
TEST(Castle, ReusableGroupsAreBoundedAndAge) {
  const StreamSchema schema = test::NumericSchema(1, 0, 1000);
  const auto most = [&](std::int64_t cap, std::optional<std::int64_t> ttl) {
    Castle castle =
        Castle::Make(schema, kTwo, {.delay_tuples = 20, .reuse_cap = cap, .reuse_ttl = ttl}, Random::FromSeed(1)).value();
    Random random = Random::FromSeed(2);
    std::vector<Departure> out;
    std::size_t largest = 0;
    for (Position position = 1; position <= 5000; ++position) {
      const auto value = static_cast<std::int64_t>(random.Below(1001));
      castle.Push({position, 0, static_cast<PersonId>(position), {&value, 1}, {}}, out);
      largest = std::max(largest, castle.gauges().reusable);
    }
    return largest;
  };
  EXPECT_EQ(most(7, 100'000), 7u);
  EXPECT_GT(most(4096, 100'000), 300u);
  EXPECT_LT(most(4096, 50), 60u);
}

// One open cluster and a delay of 2 make groups of three tuples: [0,1000], whose loss of 1 sets the mean, then three groups
// around 50, below it. `apart` tuples later one person comes alone with a 50; returns where its first tuple ended.
Departure JoinAround50(std::uint64_t seed, CastleOptions::Reuse reuse, std::optional<std::int64_t> ttl) {
  const CastleOptions options{.delay_tuples = 2, .max_open = 1, .reuse = reuse, .reuse_ttl = ttl};
  const StreamSchema schema = test::NumericSchema(1, 0, 1000);
  Castle castle = Castle::Make(schema, kTwo, options, Random::FromSeed(seed)).value();
  StreamVerifier verifier = test::VerifierFor(schema, kTwo, options);
  test::StreamRun run(castle, verifier);
  PersonId person = 0;
  for (const std::int64_t value : {0, 500, 1000, 45, 50, 55, 40, 50, 60, 30, 50, 70}) {
    run.Push({.person = ++person, .quasi = {value}});
  }
  for (int i = 0; i < 3; ++i) run.Push({.person = 99, .quasi = {50}});
  return run.left().back().departure;
}

// The one of least loss would tell where a tuple is not.
TEST(Castle, EveryCoveringGroupIsJoinedEquallyOften) {
  std::map<std::int64_t, double> joined;
  constexpr int kRuns = 3000;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const Departure departure = JoinAround50(seed, CastleOptions::Reuse::kUniform, {});
    ASSERT_EQ(departure.kind, Departure::Kind::kReuse);
    ASSERT_EQ(departure.positions, std::vector<Position>{13});
    joined[departure.group] += 1;
  }
  ASSERT_EQ(joined.size(), 3u);
  double chi_square = 0;
  for (const auto& [group, times] : joined) chi_square += (times - kRuns / 3.0) * (times - kRuns / 3.0) / (kRuns / 3.0);
  EXPECT_LT(chi_square, 13.8);  // two degrees of freedom, one in a thousand
}

TEST(Castle, DisjointGroupsLeaveNoChoice) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Departure departure = JoinAround50(seed, CastleOptions::Reuse::kDisjoint, {});
    EXPECT_EQ(departure.box, (std::vector<AxisRange>{{45, 55}}));
  }
  EXPECT_EQ(JoinAround50(1, CastleOptions::Reuse::kOff, {}).kind, Departure::Kind::kSuppressed);
}

TEST(Castle, AGroupThatLeftLongAgoIsNotJoined) {
  // The groups left at steps 6, 9 and 12, the tuple is due at step 15.
  EXPECT_EQ(JoinAround50(1, CastleOptions::Reuse::kUniform, 3).box, (std::vector<AxisRange>{{30, 70}}));
  EXPECT_EQ(JoinAround50(1, CastleOptions::Reuse::kUniform, 2).kind, Departure::Kind::kSuppressed);
}

TEST(Castle, TheFirstGroupIsNeverReusable) {
  EXPECT_EQ(StepsOf(kTwo, {.delay_tuples = 1},
                    {{.person = 1, .quasi = {5}}, {.person = 2, .quasi = {5}}, {.person = 3, .quasi = {5}}})[1],
            "group [5,5] 1 2");
}

// Event time: a tick releases what is due although nothing arrives; several tuples may be due at once.
TEST(Castle, TicksReleaseASparseStream) {
  const StreamSchema schema = test::NumericSchema(1, 0, 100);
  const CastleOptions options{.delay_ms = 1000};
  Castle castle = Castle::Make(schema, kTwo, options, Random::FromSeed(1)).value();
  StreamVerifier verifier = test::VerifierFor(schema, kTwo, options);
  test::StreamRun run(castle, verifier);
  run.Push({.person = 1, .quasi = {5}, .sensitive = {}, .time = 0});
  run.Push({.person = 2, .quasi = {6}, .sensitive = {}, .time = 10});
  run.Push({.person = 2, .quasi = {90}, .sensitive = {}, .time = 500});
  run.Advance(999);
  EXPECT_EQ(Told(run.left()), "");
  run.Advance(1000);
  EXPECT_EQ(Told(run.left()), "group [5,6] 1 2");
  run.Advance(5000);
  EXPECT_EQ(Told(run.left()), "group [5,6] 1 2 | suppressed 3");
  EXPECT_EQ(castle.gauges().held, 0u);
  run.Advance(INT64_MAX);  // the end of time does no harm
}

TEST(Castle, AdvanceDoesNothingWhereTuplesCount) {
  Castle castle = Castle::Make(test::NumericSchema(1, 0, 100), kTwo, {.delay_tuples = 2}, Random::FromSeed(1)).value();
  std::vector<Departure> out;
  const std::int64_t value = 1;
  castle.Push({1, 0, 1, {&value, 1}, {}}, out);
  castle.Advance(INT64_MAX, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(castle.gauges().held, 1u);
}

TEST(Castle, ThePoolWaitsForEnoughPeople) {
  const StreamSchema schema = test::NumericSchema(1, 0, 100);
  const auto told = [&](std::int64_t pool_cap, std::initializer_list<PersonId> people) {
    const CastleOptions options{.delay_ms = 10, .pool = true, .pool_cap = pool_cap};
    Castle castle = Castle::Make(schema, kTwo, options, Random::FromSeed(1)).value();
    StreamVerifier verifier = test::VerifierFor(schema, kTwo, options);
    test::StreamRun run(castle, verifier);
    EventTime time = 0;
    for (const PersonId person : people) {  // each alone: its time is up before the next comes
      run.Push({.person = person, .quasi = {7}, .sensitive = {}, .time = time});
      run.Advance(time += 100);
    }
    const std::string before = Told(run.left());
    run.Flush();
    return before + " / " + Told(run.left());
  };
  EXPECT_EQ(told(9, {1, 1, 2, 3}), "pooled [0,100] 1 2 3 / pooled [0,100] 1 2 3 | suppressed 4");
  EXPECT_EQ(told(9, {1, 1, 1}), " / suppressed 1 2 3");
  EXPECT_EQ(told(2, {1, 1, 1, 1, 2}),
            "suppressed 1 | suppressed 2 | pooled [0,100] 3 4 5 / "
            "suppressed 1 | suppressed 2 | pooled [0,100] 3 4 5");  // one person cannot fill the memory
}

// Fault of others: l is asked with < in one place and <= in another.
TEST(Castle, ExactlyLValuesAreEnoughAndOneLessIsNot) {
  StreamSchema schema = test::NumericSchema(1, 0, 100);
  schema.sensitive.push_back({.name = "s"});
  const std::vector<ModelSpec> models = {KsAnonymitySpec{2}, LDiversitySpec{"s", 2, Kind::kDistinct, {}}};
  const auto end = [&](std::vector<std::int32_t> values) {
    std::vector<Arrival> arrivals;
    for (std::size_t i = 0; i < values.size(); ++i) {
      arrivals.push_back({.person = i, .quasi = {5}, .sensitive = {values[i]}});
    }
    return StepsOf(models, {.delay_tuples = 9}, arrivals, schema).back();
  };
  EXPECT_EQ(end({1, 2}), "group [5,5] 1 2");
  EXPECT_EQ(end({1, 1, 1}), "suppressed 1 2 3");
  EXPECT_EQ(end({1, kNull, kNull}), "suppressed 1 2 3");  // a missing value does not count as a second value
}

TEST(Castle, MoreValuesThanPeopleRaiseK) {
  StreamSchema schema = test::NumericSchema(1, 0, 100);
  schema.sensitive.push_back({.name = "s"});
  const std::vector<ModelSpec> models = {KsAnonymitySpec{1}, LDiversitySpec{"s", 3, Kind::kDistinct, {}}};
  std::vector<Arrival> one(3, {.person = 1, .quasi = {5}, .sensitive = {0}});
  one[1].sensitive = {1};
  one[2].sensitive = {2};
  EXPECT_EQ(StepsOf(models, {.delay_tuples = 9}, one, schema).back(),
            "suppressed 1 2 3");  // one person cannot supply all values
}

TEST(Castle, RowsLeaveInNoOrderOfArrival) {
  std::vector<Arrival> arrivals;
  for (PersonId person = 0; person < 200; ++person) arrivals.push_back({.person = person, .quasi = {5}});
  Castle castle =
      Castle::Make(test::NumericSchema(1, 0, 100), {{KsAnonymitySpec{150}}}, {.delay_tuples = 500}, Random::FromSeed(1))
          .value();
  std::vector<Departure> out;
  for (Position position = 1; position <= 200; ++position) {
    const Arrival& arrival = arrivals[static_cast<std::size_t>(position) - 1];
    castle.Push({position, 0, arrival.person, arrival.quasi, {}}, out);
  }
  castle.Flush(out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_FALSE(std::is_sorted(out[0].positions.begin(), out[0].positions.end()));
}

// Fault of others: a snapshot leaves out what can be joined, or the threshold, or cannot be read.
TEST(CastleSnapshot, DamageIsAnErrorAndLeavesTheEngineAsItWas) {
  const test::RandomStream stream = test::MakeRandomStream(11);
  Castle castle = stream.Engine(1);
  std::vector<Departure> out;
  Position position = 0;
  for (const Arrival& arrival : stream.arrivals) {
    castle.Push({++position, arrival.time, arrival.person, arrival.quasi, arrival.sensitive}, out);
  }
  const std::string saved = castle.Save();
  Castle other = stream.Engine(2);
  const std::string before = other.Save();
  for (std::size_t size = 0; size < saved.size(); ++size) {
    EXPECT_FALSE(other.Restore(saved.substr(0, size)).ok());
    EXPECT_EQ(other.Save(), before);
  }
  EXPECT_FALSE(other.Restore(saved + "x").ok());
  int refused = 0;
  for (std::size_t at = 0; at < saved.size(); ++at) {
    for (const int bit : {0, 3, 7}) {
      std::string damaged = saved;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      Castle victim = stream.Engine(2);
      const bool ok = victim.Restore(damaged).ok();
      refused += ok ? 0 : 1;
      if (!ok) continue;  // what passes must still run to its end
      std::vector<Departure> rest;
      victim.Flush(rest);
      EXPECT_EQ(victim.gauges().held, 0u);
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_TRUE(other.Restore(saved).ok());
  EXPECT_EQ(other.Save(), saved);
}

TEST(CastleSnapshot, AnotherPolicyOrVersionIsRefused) {
  const StreamSchema schema = test::NumericSchema(1, 0, 100);
  const std::string saved = Castle::Make(schema, kTwo, {.delay_tuples = 5}, Random::FromSeed(1)).value().Save();
  Castle other = Castle::Make(schema, kTwo, {.delay_tuples = 6}, Random::FromSeed(1)).value();
  EXPECT_EQ(other.Restore(saved).error().message(), "the snapshot of castle was made under another policy");
  std::string future = saved;
  future[0] = 9;
  EXPECT_EQ(other.Restore(future).error().message(), "the snapshot of castle has version 9, this program reads 1");
}

}  // namespace
}  // namespace cordon::engine
