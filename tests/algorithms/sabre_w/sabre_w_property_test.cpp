// SPDX-License-Identifier: Apache-2.0
//
// SABRE_W on thousands of small random streams, compared with the definitions: what leaves when, by a slow driver that knows
// only what has arrived and left; every group against the window it claims, by the cheapest way to move mass; people, values,
// delays and boxes recounted from the input.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/algorithms/sabre_w/window_stream.h"
#include "tests/algorithms/stream_restore.h"
#include "tests/models/cheapest_move.h"

namespace cordon::engine {
namespace {

using test::Arrival;
using test::Left;
using test::MakeWindowStream;
using test::WindowStream;
using Kind = Departure::Kind;
using Positions = std::set<Position>;

constexpr std::uint64_t kStreams = 4000;

std::int32_t ValueAt(const WindowStream& stream, Position position) {
  return stream.arrivals[static_cast<std::size_t>(position) - 1].sensitive[0];
}

template <typename Range>
test::Counts CountsOf(const WindowStream& stream, const Range& positions) {
  test::Counts counts(static_cast<std::size_t>(stream.schema.sensitive[0].num_values));
  for (const Position position : positions) ++counts[static_cast<std::size_t>(ValueAt(stream, position))];
  return counts;
}

test::Counts CountsOf(const WindowStream& stream, const PositionRange& window) {
  Positions positions;
  for (Position position = window.first; position <= window.last; ++position) positions.insert(position);
  return CountsOf(stream, positions);
}

std::int64_t Sum(const test::Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }

// The distance of two distributions, by its definition.
Rational DistanceOf(const WindowStream& stream, Distance distance, const test::Counts& a, const test::Counts& b) {
  const Hierarchy* tree = stream.schema.sensitive[0].hierarchy.get();
  const std::int64_t m = stream.schema.sensitive[0].num_values;
  std::int64_t scale = 1;
  test::Ground ground = [](Code x, Code y) { return x == y ? 0 : 1; };
  if (distance == Distance::kOrdered) {
    scale = std::max<std::int64_t>(m - 1, 1);
    ground = [](Code x, Code y) { return std::abs(x - y); };
  } else if (distance == Distance::kHierarchical) {
    scale = tree->height();
    ground = [tree](Code x, Code y) { return tree->height(tree->Lca(std::min(x, y), std::max(x, y))); };
  }
  return Rational(test::CheapestMove(a, b, ground), scale * Sum(a) * Sum(b));
}

bool IsLike(const WindowLikenessSpec& spec, const test::Counts& group, const test::Counts& window) {
  for (std::size_t value = 0; value < group.size(); ++value) {
    if (group[value] == 0) continue;
    const double q = static_cast<double>(group[value]) / static_cast<double>(Sum(group));
    const double p = static_cast<double>(window[value]) / static_cast<double>(Sum(window));
    double gain = spec.beta.ToDouble();
    if (spec.kind == BetaLikenessSpec::Kind::kEnhanced) gain = std::min(gain, -std::log(p));
    if (q > p * (1 + gain) + 1e-12) return false;
  }
  return true;
}

// Whether the window models hold of the tuples; `strictly`: closeness with room to spare.
bool HoldsIn(const WindowStream& stream, const test::Counts& group, const test::Counts& window, bool strictly) {
  for (const ModelSpec& spec : stream.models) {
    if (const auto* closeness = std::get_if<WindowClosenessSpec>(&spec)) {
      const Rational distance = DistanceOf(stream, closeness->distance, group, window);
      if (strictly ? distance >= closeness->t : distance > closeness->t) return false;
    } else if (const auto* likeness = std::get_if<WindowLikenessSpec>(&spec)) {
      if (!IsLike(*likeness, group, window)) return false;
    }
  }
  return true;
}

template <typename Range>
std::size_t PeopleOf(const WindowStream& stream, const Range& positions) {
  std::set<PersonId> people;
  for (const Position position : positions) people.insert(stream.arrivals[static_cast<std::size_t>(position) - 1].person);
  return people.size();
}

template <typename Range>
std::size_t OtherValues(const WindowStream& stream, const Range& positions) {
  std::set<std::int32_t> values;
  for (const Position position : positions) {
    const std::int32_t value = stream.arrivals[static_cast<std::size_t>(position) - 1].sensitive[1];
    if (value != kNull) values.insert(value);
  }
  return values.size();
}

template <typename Range>
bool ShouldStop(const WindowStream& stream, const Range& positions) {
  if (PeopleOf(stream, positions) < static_cast<std::size_t>(stream.k)) return false;
  return !stream.l || OtherValues(stream, positions) >= static_cast<std::size_t>(*stream.l);
}

// ---- the promises

void CheckBox(const WindowStream& stream, const Departure& departure) {
  for (std::size_t axis = 0; axis < stream.schema.quasi.size(); ++axis) {
    const StreamAxis& declared = stream.schema.quasi[axis];
    std::int64_t lo = declared.hi;
    std::int64_t hi = declared.lo;
    for (const Position position : departure.positions) {
      const std::int64_t place = stream.arrivals[static_cast<std::size_t>(position) - 1].quasi[axis];
      lo = std::min(lo, place);
      hi = std::max(hi, place);
    }
    EXPECT_LE(departure.box[axis].lo, lo);
    EXPECT_GE(departure.box[axis].hi, hi);
    if (stream.options.partition == WindowMethod::kFullDomain) continue;  // one level for all
    if (declared.hierarchy == nullptr) {
      EXPECT_EQ(departure.box[axis], (AxisRange{lo, hi}));
    } else {
      const NodeId node = declared.hierarchy->Lca(static_cast<Code>(lo), static_cast<Code>(hi));
      EXPECT_EQ(departure.box[axis], (AxisRange{declared.hierarchy->first_leaf(node), declared.hierarchy->last_leaf(node)}));
    }
  }
}

void CheckPromises(const WindowStream& stream, const std::vector<Left>& left, std::map<Kind, int>& kinds) {
  const auto length = static_cast<Position>(stream.arrivals.size());
  Positions gone;
  std::set<std::int64_t> names;
  for (const Left& each : left) {
    const Departure& departure = each.departure;
    ++kinds[departure.kind];
    ASSERT_TRUE(departure.kind == Kind::kGroup || departure.kind == Kind::kSuppressed);
    for (const Position position : departure.positions) {
      EXPECT_TRUE(gone.insert(position).second) << position << " left twice";
      const Position expires = (position + stream.options.step - 1) / stream.options.step;
      EXPECT_LE(each.step, stream.window + expires * stream.options.step);
      EXPECT_LE(each.step - position, stream.delay());
    }
    if (departure.kind == Kind::kSuppressed) continue;
    EXPECT_TRUE(names.insert(departure.group).second);
    EXPECT_TRUE(ShouldStop(stream, departure.positions));
    const PositionRange& window = departure.window;
    const bool is_short = length < stream.window && window == PositionRange{1, length} &&
                          stream.options.short_stream == SabreWOptions::Short::kStatic;
    EXPECT_TRUE(is_short || window.last - window.first + 1 == stream.window);
    EXPECT_GE(window.first, 1);
    EXPECT_LE(window.last, each.step);
    for (const Position position : departure.positions) EXPECT_TRUE(position >= window.first && position <= window.last);
    EXPECT_TRUE(HoldsIn(stream, CountsOf(stream, departure.positions), CountsOf(stream, window), false));
    CheckBox(stream, departure);
  }
  EXPECT_EQ(gone.size(), stream.arrivals.size());
}

std::vector<Left> RunWhole(const WindowStream& stream, std::uint64_t seed) {
  SabreW engine = stream.Engine(seed);
  StreamVerifier verifier = stream.Verifier();
  test::StreamRun run(engine, verifier);
  for (const Arrival& arrival : stream.arrivals) {
    run.Push(arrival);
    EXPECT_LE(engine.gauges().held, static_cast<std::size_t>(stream.delay()));
  }
  run.Flush();
  EXPECT_EQ(engine.gauges().held, 0u);
  return run.left();
}

TEST(SabreWProperty, PromisesHoldOfEveryGroup) {
  std::map<Kind, int> kinds;
  for (std::uint64_t seed = 0; seed < kStreams && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const WindowStream stream = MakeWindowStream(seed);
    CheckPromises(stream, RunWhole(stream, seed), kinds);
  }
  EXPECT_GT(kinds[Kind::kGroup], 10'000);  // that all of it was tried
  EXPECT_GT(kinds[Kind::kSuppressed], 300);
}

// ---- the driver

// What was to be divided and how it was.
struct Division {
  Positions positions;
  std::vector<test::Counts> window;
  std::vector<Positions> groups;
};

class Watched final : public WindowPartition {
 public:
  Watched(const SabreWOptions& options, std::vector<Division>& log)
      : inner_(MakeWindowPartition(options.partition, options.sweeps, options.mondrian_dims)), log_(log) {}
  Groups Divide(const WindowTask& task, Random& random) const override {
    Groups groups = inner_->Divide(task, random);
    Division division{{task.positions.begin(), task.positions.end()}, task.window.histograms, {}};
    for (std::size_t group = 0; group < groups.size(); ++group) {
      Positions positions;
      for (const RowId row : groups[group]) positions.insert(task.positions[row]);
      EXPECT_EQ(positions.size(), groups[group].size());
      division.groups.push_back(std::move(positions));
    }
    log_.push_back(std::move(division));
    return groups;
  }

 private:
  std::unique_ptr<const WindowPartition> inner_;
  std::vector<Division>& log_;
};

// The driver from its description: it looks at everything that has arrived, each time.
class SlowDriver {
 public:
  explicit SlowDriver(const WindowStream& stream) : stream_(stream) {}

  // What the window at `base` is to let go. `divided`: how it was divided, if it was.
  struct Expected {
    std::set<Positions> groups;
    Positions suppressed;
  };
  Expected Advance(Position base, const Division* divided) {
    const PositionRange window{base, base + stream_.window - 1};
    Positions due;
    Positions open;
    for (Position position = window.first; position <= window.last; ++position) {
      if (gone_.contains(position)) continue;
      open.insert(position);
      if (position < base + stream_.options.step) due.insert(position);
    }
    Expected expected;
    bool may_be_direct = false;
    const test::Counts all = CountsOf(stream_, window);
    if (*std::max_element(all.begin(), all.end()) == stream_.window) ++cases.homogeneous;
    if (!due.empty()) {
      const test::Counts inside = CountsOf(stream_, open);
      const test::Counts whole = CountsOf(stream_, window);
      may_be_direct = ShouldStop(stream_, open) && HoldsIn(stream_, inside, whole, true);
      const bool may_be_indirect = std::all_of(due.begin(), due.end(), [&](Position position) {
        return std::any_of(pending_.begin(), pending_.end(), [&](const Positions& group) { return group.contains(position); });
      });
      // Whether the groups that wait were made in a window that overlaps this one says the same.
      EXPECT_EQ(may_be_indirect, made_in_.last >= base);
      EXPECT_TRUE(made_in_.last >= base || open.size() == static_cast<std::size_t>(stream_.window));
      if (may_be_direct && !(may_be_indirect && Prefers(inside, whole))) {
        ++cases.direct;
        EXPECT_NE(divided, nullptr);
        if (divided == nullptr) return expected;
        CheckDivision(*divided, open, inside, whole);
        pending_ = divided->groups;
        made_in_ = window;
        expected.groups = Take([&](const Positions& group) { return Meets(group, due); });
      } else if (may_be_indirect) {
        ++cases.indirect;
        EXPECT_EQ(divided, nullptr);
        expected.groups = Take([&](const Positions& group) { return !stream_.options.lazy || Meets(group, due); });
      } else {
        ++cases.suppressed;
        expected.suppressed = due;
        gone_.insert(due.begin(), due.end());
      }
    } else {
      ++cases.nothing_due;
      EXPECT_EQ(divided, nullptr);
    }
    // What waits lies in the next window.
    for (const Positions& group : pending_) {
      for (const Position position : group) EXPECT_TRUE(position >= base + stream_.options.step && position <= window.last);
    }
    return expected;
  }

  SabreW::Cases cases;

 private:
  static bool Meets(const Positions& group, const Positions& due) {
    return std::any_of(group.begin(), group.end(), [&](Position position) { return due.contains(position); });
  }
  template <typename Which>
  std::set<Positions> Take(const Which& which) {
    std::set<Positions> taken;
    std::vector<Positions> rest;
    for (const Positions& group : pending_) {
      if (which(group)) {
        taken.insert(group);
        gone_.insert(group.begin(), group.end());
      } else {
        rest.push_back(group);
      }
    }
    pending_ = rest;
    return taken;
  }
  bool Prefers(const test::Counts& inside, const test::Counts& whole) const {
    const Rational& rho = stream_.options.rho;
    if (rho == Rational(0)) return true;
    for (const ModelSpec& spec : stream_.models) {
      const auto* closeness = std::get_if<WindowClosenessSpec>(&spec);
      if (closeness == nullptr) continue;
      const Rational bound(rho.numerator() * closeness->t.numerator(), rho.denominator() * closeness->t.denominator());
      if (DistanceOf(stream_, closeness->distance, inside, whole) >= bound) return true;
    }
    return false;
  }
  // All that is open was divided, once each, and the window was counted right. The thesis' groups keep within what the
  // distance of the open tuples leaves.
  void CheckDivision(const Division& divided, const Positions& open, const test::Counts& inside, const test::Counts& whole) {
    EXPECT_EQ(divided.positions, open);
    EXPECT_EQ(divided.window[0], whole);
    Positions covered;
    std::size_t members = 0;
    for (const Positions& group : divided.groups) {
      covered.insert(group.begin(), group.end());
      members += group.size();
      const auto* closeness = std::get_if<WindowClosenessSpec>(&stream_.models[0]);
      if (stream_.options.partition != WindowMethod::kSabreAk || closeness == nullptr) continue;
      const Rational distance = DistanceOf(stream_, closeness->distance, inside, whole);
      const Rational to_open = DistanceOf(stream_, closeness->distance, CountsOf(stream_, group), inside);
      EXPECT_LE(Rational(distance.numerator() * to_open.denominator() + to_open.numerator() * distance.denominator(),
                         distance.denominator() * to_open.denominator()),
                closeness->t);
    }
    EXPECT_EQ(covered, open);
    EXPECT_EQ(members, open.size());
  }

  const WindowStream& stream_;
  Positions gone_;
  std::vector<Positions> pending_;
  PositionRange made_in_;
};

TEST(SabreWProperty, EveryDecisionIsTheDefinitions) {
  SabreW::Cases all;
  for (std::uint64_t seed = 0; seed < kStreams && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    WindowStream stream = MakeWindowStream(seed);
    for (const ModelSpec& spec : stream.models) {  // a preference is not a promise: its rounding is not checked
      if (std::holds_alternative<WindowLikenessSpec>(spec) && stream.options.rho == Rational(1, 2)) stream.options.rho = 1;
    }
    std::vector<Division> divisions;
    SabreW engine = SabreW::Make(stream.schema, stream.models, stream.options, Random::FromSeed(seed),
                                 std::make_unique<const Watched>(stream.options, divisions))
                        .value();
    SlowDriver slow(stream);
    Position position = 0;
    Position base = 1;
    for (const Arrival& arrival : stream.arrivals) {
      ++position;
      std::vector<Departure> out;
      divisions.clear();
      engine.Push({position, 0, arrival.person, arrival.quasi, arrival.sensitive}, out);
      ASSERT_LE(divisions.size(), 1u);
      SlowDriver::Expected expected;
      if (position == base + stream.window - 1 + stream.options.step) {
        expected = slow.Advance(base, divisions.empty() ? nullptr : &divisions[0]);
        base += stream.options.step;
      }
      SlowDriver::Expected got;
      for (const Departure& departure : out) {
        const Positions positions(departure.positions.begin(), departure.positions.end());
        if (departure.kind == Kind::kGroup) {
          got.groups.insert(positions);
        } else {
          got.suppressed.insert(positions.begin(), positions.end());
        }
      }
      ASSERT_EQ(got.groups, expected.groups) << "at " << position;
      ASSERT_EQ(got.suppressed, expected.suppressed) << "at " << position;
    }
    ASSERT_EQ(engine.cases(), slow.cases);
    all.nothing_due += slow.cases.nothing_due;
    all.direct += slow.cases.direct;
    all.indirect += slow.cases.indirect;
    all.suppressed += slow.cases.suppressed;
  }
  EXPECT_GT(all.nothing_due, 1000);  // that all of it was tried
  EXPECT_GT(all.direct, 10'000);
  EXPECT_GT(all.indirect, 500);
  EXPECT_GT(all.suppressed, 300);
}

// Between two INDIRECTs there is a DIRECT, if the source's own settings are kept.
TEST(SabreWProperty, TheSourcesSettingsAlternate) {
  int indirect = 0;
  for (std::uint64_t seed = 0; seed < kStreams; ++seed) {
    WindowStream stream = MakeWindowStream(seed);
    if (stream.l) continue;
    stream.options.lazy = false;
    stream.options.rho = 1;
    stream.k = 1;
    for (ModelSpec& spec : stream.models) {
      if (auto* ks = std::get_if<KsAnonymitySpec>(&spec)) ks->k = 1;
    }
    SabreW engine = stream.Engine(seed);
    std::vector<Departure> out;
    Position position = 0;
    SabreW::Cases before;
    char last = 0;
    for (const Arrival& arrival : stream.arrivals) {
      engine.Push({++position, 0, arrival.person, arrival.quasi, arrival.sensitive}, out);
      if (engine.cases().indirect > before.indirect) {
        EXPECT_EQ(last, 'd') << seed;
        EXPECT_LT(stream.options.step, stream.window);
        last = 'i';
        ++indirect;
      }
      if (engine.cases().direct > before.direct) last = 'd';
      EXPECT_EQ(engine.cases().suppressed, 0);
      before = engine.cases();
    }
  }
  EXPECT_GT(indirect, 50);
}

// ---- snapshots

TEST(SabreWProperty, ARestoredEngineGoesOnLikeTheOldOneFromEveryStep) {
  for (std::uint64_t seed = 0; seed < 250 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const WindowStream stream = MakeWindowStream(seed);
    SabreW kept = stream.Engine(seed);
    SabreW restored = stream.Engine(seed + 1);  // another random stream: the snapshot must bring its own
    StreamVerifier verifier = stream.Verifier();
    StreamVerifier verifier_restored = stream.Verifier();
    test::Restored{kept, restored, &verifier, &verifier_restored}.RunWhole(stream.arrivals);
  }
}

TEST(SabreWProperty, ASnapshotThatWasCutIsRefused) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const WindowStream stream = MakeWindowStream(seed);
    SabreW engine = stream.Engine(seed);
    StreamVerifier verifier = stream.Verifier();
    test::StreamRun run(engine, verifier);
    for (const Arrival& arrival : stream.arrivals) run.Push(arrival);
    Random random = Random::FromSeed(seed);
    for (int cut = 0; cut < 20; ++cut) {
      const std::string engine_part = engine.Save().substr(0, random.Below(engine.Save().size()));
      const std::string verifier_part = verifier.Save().substr(0, random.Below(verifier.Save().size()));
      EXPECT_FALSE(stream.Engine(seed).Restore(engine_part).ok());
      EXPECT_FALSE(stream.Verifier().Restore(verifier_part).ok());
    }
  }
}

TEST(SabreWProperty, ADamagedSnapshotIsRefusedOrDoesNoHarm) {
  std::size_t refused = 0;
  std::size_t taken = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const WindowStream stream = MakeWindowStream(seed);
    SabreW engine = stream.Engine(seed);
    StreamVerifier verifier = stream.Verifier();
    test::StreamRun run(engine, verifier);
    for (const Arrival& arrival : stream.arrivals) run.Push(arrival);
    Random random = Random::FromSeed(seed);
    for (const bool of_engine : {true, false}) {
      const std::string whole = of_engine ? engine.Save() : verifier.Save();
      for (int damage = 0; damage < 60; ++damage) {
        std::string snapshot = whole.substr(0, random.Below(2) == 0 ? random.Below(whole.size()) : whole.size());
        if (!snapshot.empty()) snapshot[random.Below(snapshot.size())] ^= static_cast<char>(1 + random.Below(255));
        SabreW other = stream.Engine(seed);
        StreamVerifier other_verifier = stream.Verifier();
        if (of_engine ? !other.Restore(snapshot).ok() : !other_verifier.Restore(snapshot).ok()) {
          ++refused;
          continue;
        }
        ++taken;
        // What is still a state must not break anything, whatever it says.
        std::vector<Departure> out;
        if (of_engine) {
          other.Flush(out);
          EXPECT_EQ(other.gauges().held, 0u);
        } else {
          EXPECT_TRUE(stream.Verifier().Restore(other_verifier.Save()).ok());
        }
      }
    }
  }
  EXPECT_GT(refused, 2000u);  // of 4,800; the rest changed numbers that may be any
  EXPECT_GT(taken, 0u);
}

// Whom a tuple belongs to matters only by being equal; so does where an axis of numbers lies.
TEST(SabreWProperty, RenamingPeopleAndMovingAxesChangesNoGroup) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    const WindowStream stream = MakeWindowStream(seed);
    WindowStream other = stream;
    for (std::size_t axis = 0; axis < stream.schema.quasi.size(); ++axis) {
      if (stream.schema.quasi[axis].hierarchy != nullptr) continue;
      other.schema.quasi[axis].lo += 1000;
      other.schema.quasi[axis].hi += 1000;
      for (Arrival& arrival : other.arrivals) arrival.quasi[axis] += 1000;
    }
    for (Arrival& arrival : other.arrivals) arrival.person = arrival.person * 0x9e3779b97f4a7c15ULL + 12345;
    const std::vector<Left> once = RunWhole(stream, seed);
    const std::vector<Left> again = RunWhole(other, seed);
    ASSERT_EQ(once.size(), again.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
      EXPECT_EQ(once[i].departure.positions, again[i].departure.positions);
      EXPECT_EQ(once[i].departure.window, again[i].departure.window);
    }
  }
}

}  // namespace
}  // namespace cordon::engine
