// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/castle/castle_split.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/algorithms/random_stream.h"

namespace cordon::engine {
namespace {

using Quotas = std::vector<std::int64_t>;

Quotas QuotasOf(const Quotas& sizes, std::int64_t k, std::int64_t l) { return CastleQuotas(sizes, k, l); }

TEST(CastleQuotas, SmallBucketsAreNotStarved) {
  EXPECT_EQ(QuotasOf({99, 1}, 10, 2), (Quotas{9, 1}));  // the shares are 9.9 and 0.1: rounding down would give 9 and 0
  EXPECT_EQ(QuotasOf({7, 2, 1}, 5, 3), (Quotas{3, 1, 1}));
  EXPECT_EQ(QuotasOf({5, 5, 5}, 4, 2), (Quotas{2, 1, 1}));
}

TEST(CastleQuotas, AddUpToKAndStayWithinTheBuckets) {
  Random random = Random::FromSeed(1);
  for (int i = 0; i < 5000; ++i) {
    Quotas sizes;
    std::int64_t sum = 0;
    for (std::int64_t left = test::Within(random, 1, 6); left > 0; --left) {
      sizes.push_back(test::Within(random, 1, random.Below(3) == 0 ? 100 : 4));
      sum += sizes.back();
    }
    const std::int64_t l = test::Within(random, 1, static_cast<std::int64_t>(sizes.size()));
    const std::int64_t k = test::Within(random, l, sum);
    const Quotas quotas = CastleQuotas(sizes, k, l);
    std::int64_t given = 0;
    std::int64_t giving = 0;
    for (std::size_t b = 0; b < sizes.size(); ++b) {
      EXPECT_GE(quotas[b], 0);
      EXPECT_LE(quotas[b], sizes[b]);
      given += quotas[b];
      giving += quotas[b] > 0 ? 1 : 0;
    }
    EXPECT_EQ(given, k);
    EXPECT_GE(giving, l);
  }
}

// Points on a line from 0 to 100.
struct Line {
  StreamSchema schema = test::NumericSchema(1, 0, 100);
  BoxLoss loss{schema, BoxLoss::Form::kPaper};
  std::vector<double> points;
  std::vector<std::int32_t> values;
  std::vector<std::int32_t> people;

  std::vector<SplitPart> Split(std::int64_t k, std::int64_t l, std::uint64_t seed,
                               Splitter::Cuts cuts = Splitter::Cuts::kSeeds) const {
    GroupRequirements needs{.k = k, .diversity = {}};
    if (l > 0) needs.diversity.push_back({0, l});
    std::vector<SplitTuple> tuples;
    for (std::size_t i = 0; i < points.size(); ++i)
      tuples.push_back({&points[i], people[i], values.empty() ? nullptr : &values[i]});
    Random random = Random::FromSeed(seed);
    return Splitter(loss, needs, cuts, 1).Split(tuples, random);
  }
};

std::set<std::int32_t> AsSet(const std::vector<std::int32_t>& tuples) { return {tuples.begin(), tuples.end()}; }

// a:1 b:2 c:4 d:50 e:52 f:55 g:9 a:1, k = 3.
TEST(CastleSplit, SeedsAndTheirNearestThenTheRest) {
  Line line;
  line.points = {1, 2, 4, 50, 52, 55, 9, 1};
  line.people = {0, 1, 2, 3, 4, 5, 6, 0};
  bool seen = false;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto parts = line.Split(3, 0, seed);
    ASSERT_EQ(parts.size(), 2u);
    if (parts[0].tuples[0] != 0 || parts[1].tuples[0] != 3) continue;  // seeds a, then d
    seen = true;
    EXPECT_EQ(AsSet(parts[0].tuples), (std::set<std::int32_t>{0, 1, 2, 6, 7}));
    EXPECT_EQ(AsSet(parts[1].tuples), (std::set<std::int32_t>{3, 4, 5}));
    EXPECT_EQ(line.loss.Publish(parts[0].box), (std::vector<AxisRange>{{1, 9}}));
    EXPECT_EQ(line.loss.Publish(parts[1].box), (std::vector<AxisRange>{{50, 55}}));
  }
  EXPECT_TRUE(seen);
}

Line RandomLine(std::uint64_t seed, bool values) {
  Random random = Random::FromSeed(seed);
  Line line;
  const std::int64_t people = test::Within(random, 4, 20);
  for (std::int64_t i = 0; i < people + static_cast<std::int64_t>(random.Below(20)); ++i) {
    line.points.push_back(static_cast<double>(random.Below(101)));
    line.people.push_back(static_cast<std::int32_t>(i < people ? i : random.Below(static_cast<std::uint64_t>(people))));
    if (values) line.values.push_back(static_cast<std::int32_t>(random.Below(4)) - 1);
  }
  return line;
}

void CheckWhole(const Line& line, const std::vector<SplitPart>& parts) {
  std::set<std::int32_t> all;
  for (const SplitPart& part : parts) {
    double lo = 100;
    double hi = 0;
    for (const std::int32_t tuple : part.tuples) {
      EXPECT_TRUE(all.insert(tuple).second);
      lo = std::min(lo, line.points[tuple]);
      hi = std::max(hi, line.points[tuple]);
    }
    EXPECT_EQ(part.box.lo[0], lo);
    EXPECT_EQ(part.box.hi[0], hi);
  }
  EXPECT_EQ(all.size(), line.points.size());
}

// Replays the cut: after its seed a part lists the nearest tuple of each of the k - 1 nearest people, of all that were left.
TEST(CastleSplit, TakesTheNearestPeopleOfThoseLeft) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const Line line = RandomLine(seed, false);
    const std::int64_t k = 1 + static_cast<std::int64_t>(seed % 4);
    if (std::set<std::int32_t>(line.people.begin(), line.people.end()).size() < static_cast<std::size_t>(2 * k)) continue;
    const auto parts = line.Split(k, 0, seed);
    EXPECT_GE(parts.size(), 2u);
    CheckWhole(line, parts);
    std::set<std::int32_t> taken;
    for (const SplitPart& part : parts) {
      const std::int32_t seed_tuple = part.tuples[0];
      for (std::size_t i = 0; i < line.points.size(); ++i) {  // the seed is its person's first that is left
        const auto other = static_cast<std::int32_t>(i);
        if (line.people[i] == line.people[seed_tuple] && !taken.contains(other)) {
          EXPECT_LE(seed_tuple, other);
        }
      }
      taken.insert(seed_tuple);
      std::map<std::int32_t, std::pair<double, std::int32_t>> nearest;  // by person
      for (std::size_t i = 0; i < line.points.size(); ++i) {
        if (taken.contains(static_cast<std::int32_t>(i)) || line.people[i] == line.people[seed_tuple]) continue;
        const std::pair candidate(std::abs(line.points[i] - line.points[seed_tuple]), static_cast<std::int32_t>(i));
        const auto [known, is_new] = nearest.emplace(line.people[i], candidate);
        if (!is_new) known->second = std::min(known->second, candidate);
      }
      std::set<std::pair<double, std::int32_t>> order;
      for (const auto& [person, candidate] : nearest) order.insert(candidate);
      auto expected = order.begin();
      for (std::size_t i = 1; i < static_cast<std::size_t>(k); ++i, ++expected) {
        EXPECT_EQ(part.tuples[i], expected->second);
        taken.insert(part.tuples[i]);
      }
    }
  }
}

TEST(CastleSplit, WithValuesEveryPartHasPeopleAndValues) {
  int cut = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    const Line line = RandomLine(seed, true);
    const std::int64_t l = 1 + static_cast<std::int64_t>(seed % 3);
    const std::int64_t k = l + static_cast<std::int64_t>(seed % 2);
    std::set<std::int32_t> values(line.values.begin(), line.values.end());
    values.erase(kNull);
    if (static_cast<std::int64_t>(values.size()) < l) continue;
    const auto parts = line.Split(k, l, seed);
    CheckWhole(line, parts);
    cut += parts.size() > 1 ? 1 : 0;
    for (const SplitPart& part : parts) {
      std::set<std::int32_t> people;
      std::set<std::int32_t> own;
      for (const std::int32_t tuple : part.tuples) {
        people.insert(line.people[tuple]);
        if (line.values[tuple] != kNull) own.insert(line.values[tuple]);
      }
      EXPECT_GE(static_cast<std::int64_t>(people.size()), k);
      EXPECT_GE(static_cast<std::int64_t>(own.size()), l);
    }
  }
  EXPECT_GT(cut, 1000);
}

// 1 2 3 4 and 91 92 93 94, k = 4: a random seed's nearest are its own side only if the cut is not left a rest; halves always
// are.
TEST(CastleSplit, HalvesCutAtTheMedian) {
  Line line;
  line.points = {91, 1, 92, 2, 93, 3, 94, 4};
  line.people = {0, 1, 2, 3, 4, 5, 6, 7};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto parts = line.Split(4, 0, seed, Splitter::Cuts::kBest);
    ASSERT_EQ(parts.size(), 2u);
    const std::size_t low = parts[0].box.lo[0] < 50 ? 0 : 1;
    EXPECT_EQ(AsSet(parts[low].tuples), (std::set<std::int32_t>{1, 3, 5, 7}));
    EXPECT_EQ(line.loss.Publish(parts[1 - low].box), (std::vector<AxisRange>{{91, 94}}));
  }
}

TEST(CastleSplit, TheBestOfBothNeverLosesMoreAndHasEnoughEverywhere) {
  int better = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const bool values = seed % 2 == 0;
    const Line line = RandomLine(seed, values);
    const std::int64_t l = values ? 2 : 0;
    std::set<std::int32_t> present(line.values.begin(), line.values.end());
    present.erase(kNull);
    if (static_cast<std::int64_t>(present.size()) < l) continue;
    const auto loss = [&](const std::vector<SplitPart>& parts) {
      double sum = 0;
      for (const SplitPart& part : parts) sum += line.loss.Loss(part.box) * static_cast<double>(part.tuples.size());
      return sum;
    };
    const auto best = line.Split(2, l, seed, Splitter::Cuts::kBest);
    CheckWhole(line, best);
    for (const SplitPart& part : best) {
      std::set<std::int32_t> people;
      std::set<std::int32_t> own;
      for (const std::int32_t tuple : part.tuples) {
        people.insert(line.people[tuple]);
        if (values && line.values[tuple] != kNull) own.insert(line.values[tuple]);
      }
      EXPECT_GE(people.size(), 2u);
      EXPECT_GE(static_cast<std::int64_t>(own.size()), l);
    }
    EXPECT_LE(loss(best), loss(line.Split(2, l, seed)));
    better += loss(best) < loss(line.Split(2, l, seed)) ? 1 : 0;
  }
  EXPECT_GT(better, 100);
}

TEST(CastleSplit, MoreTriesNeverLoseMore) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Line line = RandomLine(seed, false);
    const GroupRequirements needs{.k = 2, .diversity = {}};
    std::vector<SplitTuple> tuples;
    for (std::size_t i = 0; i < line.points.size(); ++i) tuples.push_back({&line.points[i], line.people[i], nullptr});
    const auto loss = [&](int tries) {
      Random random = Random::FromSeed(seed);
      double sum = 0;
      for (const SplitPart& part : Splitter(line.loss, needs, Splitter::Cuts::kSeeds, tries).Split(tuples, random)) {
        sum += line.loss.Loss(part.box) * static_cast<double>(part.tuples.size());
      }
      return sum;
    };
    EXPECT_LE(loss(5), loss(1));
  }
}

// Against sorting all of them; whatever is said about the largest distance.
TEST(NearestTuples, AreTheFirstOfAllInOrder) {
  internal::NearestTuples nearest;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::size_t size = random.Below(300);
    const std::uint64_t values = 1 + random.Below(random.Below(2) == 0 ? 5 : 1000);  // few: many ties
    std::vector<double> distances;
    std::vector<std::int32_t> tuples;
    std::vector<std::pair<double, std::int32_t>> all;
    for (std::size_t i = 0; i < size; ++i) {
      distances.push_back(static_cast<double>(random.Below(values)) / 997);
      tuples.push_back(static_cast<std::int32_t>(i));
    }
    random.Shuffle(std::span(tuples));
    for (std::size_t i = 0; i < size; ++i) all.emplace_back(distances[i], tuples[i]);
    std::sort(all.begin(), all.end());
    const std::size_t count = random.Below(size + 20);
    const double most = std::vector<double>{0, 1e-9, 0.5, static_cast<double>(values) / 997, 1e9}[random.Below(5)];
    const auto& found = nearest.Find(distances, tuples, count, most);
    ASSERT_EQ(found.size(), std::min(size, count));
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(std::pair(found[i].distance, found[i].tuple), all[i]);
    }
  }
}

// Against sorting, in domains that are counted and in wide ones.
TEST(Median, HasWhatLiesOnEachSide) {
  internal::Median median;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::uint64_t width = 1 + random.Below(random.Below(2) == 0 ? 6 : 100'000);
    std::vector<double> values;
    for (std::size_t left = 1 + random.Below(60); left > 0; --left)
      values.push_back(1000 + static_cast<double>(random.Below(width)));
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const double middle = sorted[sorted.size() / 2];
    const auto first = std::lower_bound(sorted.begin(), sorted.end(), middle);
    const auto after = std::upper_bound(sorted.begin(), sorted.end(), middle);
    const internal::Sides sides = median.Find(values, sorted.front(), sorted.back());
    EXPECT_EQ(sides.median, middle);
    EXPECT_EQ(sides.below, static_cast<std::size_t>(first - sorted.begin()));
    EXPECT_EQ(sides.up_to, static_cast<std::size_t>(after - sorted.begin()));
    EXPECT_EQ(sides.below_hi, first == sorted.begin() ? -std::numeric_limits<double>::infinity() : *(first - 1));
    EXPECT_EQ(sides.above_lo, after == sorted.end() ? std::numeric_limits<double>::infinity() : *after);
  }
}

}  // namespace
}  // namespace cordon::engine
