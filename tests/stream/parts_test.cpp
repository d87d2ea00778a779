// SPDX-License-Identifier: Apache-2.0
//
// The small parts of the runtime, each alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cordon/base/random.h"
#include "cordon/stream/checkpoint.h"
#include "cordon/stream/declared_axis.h"
#include "cordon/stream/event_time.h"
#include "cordon/stream/payload_store.h"
#include "cordon/stream/stream_metrics.h"
#include "cordon/stream/tuple_coder.h"
#include "tests/stream/world.h"

namespace cordon::engine::testing {
namespace {

TEST(EventTime, FormsOfTime) {
  EXPECT_EQ(ParseEventTime("1970-01-01"), 0);
  EXPECT_EQ(ParseEventTime("1970-01-01T00:00:01.250Z"), 1250);
  EXPECT_EQ(ParseEventTime("1970-01-02 01:00+01:00"), 86'400'000);
  EXPECT_EQ(ParseEventTime("1970-01-01T00:00:00.123456-00:30"), 1'800'123);
  EXPECT_EQ(ParseEventTime("12"), 12'000);
  EXPECT_EQ(ParseEventTime("12.3456"), 12'345);
  EXPECT_EQ(ParseEventTime("1.5"), 1'500);
  EXPECT_EQ(ParseEventTime("1709201730250"), 1'709'201'730'250);
  EXPECT_EQ(ParseEventTime("-1"), -1000);
  for (const char* bad : {"", "now", "2024-13-01", "12:00", "1e30", "9999999999999999"})
    EXPECT_FALSE(ParseEventTime(bad)) << bad;
}

TEST(EventTime, LatenessIsMeasuredFromTheGreatestTime) {
  EventClock clock(10);
  EXPECT_FALSE(clock.IsLate(-5));
  clock.Observe(100, 1);
  clock.Observe(95, 1);
  EXPECT_EQ(clock.now(), 100);
  EXPECT_FALSE(clock.IsLate(90));
  EXPECT_TRUE(clock.IsLate(89));
}

TEST(EventTime, AJumpIsBoundedAndBlamedForWhatItMadeLate) {
  EventClock bounded(10, kNoTime, 1000);
  EXPECT_FALSE(bounded.IsAhead(5000));  // the first is taken as it is
  bounded.Observe(5000, 1);
  EXPECT_FALSE(bounded.IsAhead(6000));
  EXPECT_TRUE(bounded.IsAhead(6001));
  EXPECT_FALSE(EventClock(10, 5000).IsAhead(1'000'000'000'000'000));

  EventClock clock(10);
  clock.Observe(100, 1);
  clock.Observe(150, 2);
  clock.Refuse(120);  // late since 150 was seen
  EXPECT_EQ(clock.worst_jump().line, 2u);
  clock.Observe(90'000, 3);
  clock.Refuse(120);  // would be late without it as well
  clock.Refuse(140);
  clock.Refuse(4000);
  EXPECT_EQ(clock.worst_jump().by, 89'850);
  EXPECT_EQ(clock.worst_jump().line, 3u);
  EXPECT_EQ(clock.worst_jump().late, 2u);
  clock.Observe(89'995, 4);  // another that bears it out
  clock.Refuse(4000);
  EXPECT_EQ(clock.worst_jump().late, 2u);
  EXPECT_EQ(DurationText(89'850), "1.4 m");
  EXPECT_EQ(DurationText(999), "999 ms");
  EXPECT_EQ(DurationText(86'400'000 * 3), "3 d");
}

TEST(DeclaredAxis, NumbersAreClampedRoundedAndPutOnAGrid) {
  const auto place = [](const DeclaredAxis& axis, const char* cell) {
    std::int64_t at = 0;
    const char* wrong = axis.Place(cell, at);
    return wrong != nullptr ? std::string(wrong) : fmt::format("{}", at);
  };
  const DeclaredAxis plain = DeclaredAxis::Numeric("x", {.scale = 0, .range_lo = 0, .range_hi = 10}, 1);
  EXPECT_EQ(place(plain, "7"), "7");
  EXPECT_EQ(place(plain, "7.0"), "7");
  EXPECT_EQ(place(plain, "11"), "a value outside the declared range");
  EXPECT_EQ(place(plain, "-1"), "a value outside the declared range");
  EXPECT_EQ(place(plain, "x"), "not a number, or one of more than 18 digits");
  EXPECT_EQ(place(plain, ""), "not a number, or one of more than 18 digits");
  EXPECT_EQ(place(plain, "7.5"), "a number with more digits after the point than its range declares (set round)");
  EXPECT_EQ(plain.Publish({3, 7}), "[3,7]");
  EXPECT_EQ(plain.Publish({3, 3}), "3");
  EXPECT_DOUBLE_EQ(plain.Loss({3, 8}), 0.5);

  const DeclaredAxis round = DeclaredAxis::Numeric("x", {.scale = 1, .range_lo = 0, .range_hi = 100, .round = 5}, 1);
  EXPECT_EQ(place(round, "1.3"), "15");
  EXPECT_EQ(place(round, "1.2499"), "10");
  EXPECT_EQ(place(round, "1.25"), "15");
  EXPECT_EQ(round.Publish({15, 20}), "[1.5,2]");

  const DeclaredAxis grid = DeclaredAxis::Numeric("x", {.scale = 0, .range_lo = 1, .range_hi = 100, .top = 50, .cell = 10}, 1);
  EXPECT_EQ(place(grid, "10"), "1");
  EXPECT_EQ(place(grid, "11"), "11");
  EXPECT_EQ(place(grid, "99"), "41");
  EXPECT_EQ(grid.Publish({1, 11}), "[1,21)");
  EXPECT_EQ(grid.axis().hi, 41);

  const DeclaredAxis listed =
      DeclaredAxis::Numeric("x", {.scale = 0, .range_lo = 1, .range_hi = 9, .values = std::vector<std::int64_t>{1, 4, 9}}, 1);
  EXPECT_EQ(place(listed, "4"), "4");
  EXPECT_EQ(place(listed, "5"), "a value that is not among its declared values");
}

TEST(PersonKey, EqualTextsEqualIdsAndNobodyIsApart) {
  const PersonKey key({1, 2, 3});
  const PersonKey other({9});
  EXPECT_EQ(key.Of("ann"), key.Of("ann"));
  EXPECT_NE(key.Of("ann"), key.Of("bob"));
  EXPECT_NE(key.Of("ann"), other.Of("ann"));
  EXPECT_NE(key.Of(""), PersonKey::kNobody);
}

// Against a plain map, with tuples that stay for long among many that go soon.
TEST(PayloadStore, HoldsWhatWasPutUntilItIsDropped) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    PayloadStore store;
    std::map<Position, std::string> held;
    for (Position position = 1; position < 6000; ++position) {
      held[position] = fmt::format("payload {} ", position) + std::string(position % 60, 'x');  // short and long ones
      store.Put(position, static_cast<PersonId>(position), position * 2, held[position]);
      while (held.size() > 1 && (held.size() > 900 + seed * 100 || random.Below(3) == 0)) {
        auto gone = held.begin();
        if (gone->first % 500 == 0 && held.size() < 3000) ++gone;  // these outlive the ring
        store.Drop(gone->first);
        held.erase(gone);
      }
      ASSERT_EQ(store.size(), held.size());
      ASSERT_EQ(store.OldestTime(), held.begin()->first * 2);
      if (position % 1999 == 0) {  // through a checkpoint
        ByteWriter out;
        store.Save(out);
        store = PayloadStore();
        ByteReader in(out.bytes());
        store.Restore(in);
        ASSERT_TRUE(in.Finish("store").ok());
      }
    }
    for (const auto& [position, payload] : held) ASSERT_EQ(store.Get(position).payload(), payload);
    EXPECT_FALSE(store.Holds(6000));
  }
}

TEST(Histogram, QuantilesAreWithinABucket) {
  Random random = Random::FromSeed(3);
  std::vector<std::uint64_t> values;
  Histogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(random.Below(std::uint64_t{1} << random.Below(40)));
    histogram.Add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double share : {0.01, 0.5, 0.9, 0.99, 1.0}) {
    const std::uint64_t exact = values[static_cast<std::size_t>(share * 20'000) - 1];
    EXPECT_GE(histogram.Quantile(share), exact);
    EXPECT_LE(static_cast<double>(histogram.Quantile(share)), static_cast<double>(exact) * (1 + 1.0 / 32) + 1);
  }
  ByteWriter out;
  histogram.Save(out);
  Histogram again;
  ByteReader in(out.bytes());
  again.Restore(in);
  EXPECT_TRUE(in.Finish("histogram").ok());
  EXPECT_EQ(again.Quantile(0.9), histogram.Quantile(0.9));
}

StreamSnapshot SomeSnapshot() {
  StreamSnapshot snapshot;
  snapshot.policy = "digest";
  snapshot.columns = "a,b";
  snapshot.engine = std::string("engine\0state", 12);
  snapshot.input = {77, 5, 0x1234567890abcdef};
  snapshot.event_clock = kNoTime;
  snapshot.position = 42;
  snapshot.metrics.axis_losses = {0.25, 1.5};
  snapshot.metrics.delay_tuples.Add(99);
  snapshot.finished = true;
  return snapshot;
}

TEST(StreamSnapshot, ComesBackAsItWas) {
  const std::string bytes = SomeSnapshot().Encode();
  const StreamSnapshot read = StreamSnapshot::Decode(bytes).value();
  EXPECT_EQ(read.Encode(), bytes);
  EXPECT_EQ(read.engine, SomeSnapshot().engine);
  EXPECT_EQ(read.event_clock, kNoTime);
  EXPECT_TRUE(read.finished);
}

TEST(StreamSnapshot, EveryFlippedBitAndEveryCutIsNoticed) {
  const std::string bytes = SomeSnapshot().Encode();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string bad = bytes;
    bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
    EXPECT_FALSE(StreamSnapshot::Decode(bad).ok()) << at;
    EXPECT_FALSE(StreamSnapshot::Decode(bytes.substr(0, at)).ok()) << at;
  }
  EXPECT_FALSE(StreamSnapshot::Decode(bytes + "x").ok());
}

TEST(TickJournal, ACutOffTickWasNeverActedUpon) {
  Disk disk;
  {
    TickJournal journal = TickJournal::Open(disk, "ck").value();
    ASSERT_TRUE(journal.Add({3, 1000}).ok());
    ASSERT_TRUE(journal.Add({5, 2000}).ok());
  }
  disk.Put("ck/ticks", disk.Bytes("ck/ticks").substr(0, 40));
  const TickJournal journal = TickJournal::Open(disk, "ck").value();
  ASSERT_EQ(journal.ticks().size(), 1u);
  EXPECT_EQ(journal.ticks()[0].records, 3u);
  EXPECT_EQ(journal.ticks()[0].now, 1000);
}

}  // namespace
}  // namespace cordon::engine::testing
