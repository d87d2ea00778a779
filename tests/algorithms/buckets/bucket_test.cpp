// SPDX-License-Identifier: Apache-2.0
//
// What SABRE and BUREL share: the places that are left, the halving of sizes, the nearest points, the drawing of groups.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "cordon/algorithms/buckets/bucket_draw.h"
#include "cordon/algorithms/buckets/bucket_halving.h"
#include "cordon/algorithms/buckets/bucket_nearest.h"
#include "cordon/algorithms/buckets/live_places.h"
#include "cordon/algorithms/grouping/hilbert.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::Numbers;
using testing::SmallTable;

TEST(LivePlaces, AgreesWithASet) {
  for (const std::size_t size : {1u, 63u, 64u, 65u, 5'000u}) {
    Random random = Random::FromSeed(size);
    LivePlaces alive(size);
    std::set<std::size_t> left;
    for (std::size_t i = 0; i < size; ++i) left.insert(i);
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.Shuffle<std::size_t>(order);
    for (const std::size_t place : order) {
      ASSERT_TRUE(alive.Has(place));
      alive.Take(place);
      left.erase(place);
      EXPECT_FALSE(alive.Has(place));
      const std::size_t from = random.Below(size + 2);
      const auto next = left.lower_bound(from);
      ASSERT_EQ(alive.AtOrAfter(from), next == left.end() ? LivePlaces::kNone : *next);
      const std::size_t to = random.Below(size + 1);
      const auto after = left.lower_bound(to);
      ASSERT_EQ(alive.Before(to), after == left.begin() ? LivePlaces::kNone : *std::prev(after));
    }
  }
}

// From the definition, one array at a time.
void SlowHalves(const BucketArray& array, std::int64_t min_rows,
                const std::function<bool(const BucketArray&, std::int64_t)>& eligible, std::vector<BucketArray>& leaves) {
  BucketArray left;
  BucketArray right;
  for (const std::int64_t count : array) {
    left.push_back((count + 1) / 2);
    right.push_back(count / 2);
  }
  const auto passes = [&](const BucketArray& half) {
    const std::int64_t rows = std::accumulate(half.begin(), half.end(), std::int64_t{0});
    return rows >= std::max<std::int64_t>(min_rows, 1) && eligible(half, rows);
  };
  const bool all_small = std::all_of(array.begin(), array.end(), [](std::int64_t count) { return count < 2; });
  if (all_small || !passes(left) || !passes(right)) {
    leaves.push_back(array);
    return;
  }
  SlowHalves(left, min_rows, eligible, leaves);
  SlowHalves(right, min_rows, eligible, leaves);
}

TEST(HalveBuckets, AgreesWithHalvingOneArrayAtATime) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    BucketArray sizes;
    for (std::uint64_t i = random.Below(6) + 1; i > 0; --i) sizes.push_back(1 + static_cast<std::int64_t>(random.Below(200)));
    const std::int64_t min_rows = static_cast<std::int64_t>(random.Below(8));
    const std::int64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    const std::int64_t slack = 1 + static_cast<std::int64_t>(random.Below(40));  // percent of unevenness let pass
    const auto eligible = [&](const BucketArray& array, std::int64_t rows) {
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (100 * std::abs(array[i] * sum - sizes[i] * rows) > slack * sum * rows) return false;
      }
      return true;
    };
    std::vector<BucketArray> expected;
    SlowHalves(sizes, min_rows, eligible, expected);
    const HalvedBuckets halved = HalveBuckets(sizes, min_rows, eligible);
    std::vector<BucketArray> found;
    for (std::size_t i = 0; i < halved.size(); ++i) found.push_back(halved[i]);
    EXPECT_EQ(found, expected);
  }
}

TEST(NearestPoints, AgreesWithAScanWhilePointsAreTaken) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::size_t axes = random.Below(4);
    const std::size_t count = 1 + random.Below(300);
    const std::uint64_t width = 1 + random.Below(seed % 3 == 0 ? 3 : 1000);  // narrow: very many points coincide
    constexpr std::uint32_t kFirst = 5;
    std::vector<NearestPoints::Coordinate> coordinates;
    for (std::size_t i = 0; i < (kFirst + count) * axes; ++i)
      coordinates.push_back(static_cast<std::int32_t>(random.Below(width)));
    NearestPoints points(coordinates, axes, kFirst, count);
    std::set<std::uint32_t> left;
    for (std::uint32_t i = 0; i < count; ++i) left.insert(kFirst + i);
    while (!left.empty()) {
      std::vector<NearestPoints::Coordinate> from;
      for (std::size_t axis = 0; axis < axes; ++axis) from.push_back(static_cast<std::int32_t>(random.Below(width)));
      std::vector<NearestPoints::Found> expected;
      for (const std::uint32_t point : left) {
        std::int64_t sum = 0;
        for (std::size_t axis = 0; axis < axes; ++axis) {
          const std::int64_t apart = coordinates[point * axes + axis] - from[axis];
          sum += apart * apart;
        }
        expected.push_back({sum, point});
      }
      std::sort(expected.begin(), expected.end());
      expected.resize(std::min<std::size_t>(left.size(), random.Below(8)));
      std::vector<NearestPoints::Found> found;
      points.Find(from.data(), expected.size(), found);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i].point, expected[i].point);
      for (const auto& each : found) {
        points.Take(each.point);
        left.erase(each.point);
      }
      ASSERT_EQ(points.size(), left.size());
    }
  }
}

SmallTable RandomRows(std::uint64_t seed, std::size_t rows) {
  Random random = Random::FromSeed(seed);
  std::vector<Code> age;
  std::vector<Code> place;
  std::vector<Code> illness;
  for (std::size_t row = 0; row < rows; ++row) {
    age.push_back(static_cast<Code>(random.Below(20)));
    place.push_back(static_cast<Code>(random.Below(6)));
    illness.push_back(static_cast<Code>(random.Below(5)));
  }
  SmallTable table(rows);
  table.Add("age", Role::kQuasi, Numbers(20), age).Add("place", Role::kQuasi, Categories(6, 2), place);
  table.Add("illness", Role::kSensitive, Numbers(5), illness);
  return table;
}

// Draws every group by looking at all rows: the picked row first, then in each bucket those with the nearest keys.
std::vector<std::vector<RowId>> SlowHilbert(const View& view, const Buckets& buckets, const HalvedBuckets& sizes,
                                            Random& random) {
  const HilbertCurve curve(std::vector<Code>{20, 6});
  const auto keys = curve.Keys<std::uint64_t>(view, view.data().ColumnsOf(Role::kQuasi), {});
  std::vector<std::vector<RowId>> left(buckets.number);   // by key, then number
  std::vector<std::vector<RowId>> picks(buckets.number);  // what the picker draws from
  for (const RowId row : view.rows()) left[buckets.of_code[buckets.codes[row]]].push_back(row);
  for (std::size_t b = 0; b < buckets.number; ++b) {
    std::stable_sort(left[b].begin(), left[b].end(), [&](RowId x, RowId y) { return keys[x] < keys[y]; });
    picks[b] = left[b];
  }
  std::vector<std::vector<RowId>> groups;
  for (std::size_t group = 0; group < sizes.size(); ++group) {
    std::vector<std::size_t> used;
    for (std::size_t b = 0; b < buckets.number; ++b) {
      if (sizes[group][b] > 0) used.push_back(b);
    }
    const std::size_t seed_bucket = used[random.Below(used.size())];
    RowId seed = 0;
    auto& listed = picks[seed_bucket];
    const auto is_gone = [&](RowId row) {
      return std::find(left[seed_bucket].begin(), left[seed_bucket].end(), row) == left[seed_bucket].end();
    };
    if (2 * left[seed_bucket].size() < listed.size()) std::erase_if(listed, is_gone);
    do {
      seed = listed[random.Below(listed.size())];
    } while (is_gone(seed));
    auto& taken = groups.emplace_back();
    for (const std::size_t b : used) {
      std::int64_t wanted = sizes[group][b];
      auto split = std::partition_point(left[b].begin(), left[b].end(), [&](RowId row) { return keys[row] < keys[seed]; });
      if (b == seed_bucket) {
        split = left[b].erase(std::find(left[b].begin(), left[b].end(), seed));
        taken.push_back(seed);
        --wanted;
      }
      for (; wanted > 0; --wanted) {
        const bool can_left = split != left[b].begin();
        const bool can_right = split != left[b].end();
        auto next = split;
        if (!can_right || (can_left && keys[seed] - keys[*(split - 1)] <= keys[*split] - keys[seed])) next = split - 1;
        taken.push_back(*next);
        split = left[b].erase(next);
      }
    }
  }
  return groups;
}

TEST(DrawGroups, HilbertWindowsAgreeWithAScan) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const SmallTable table = RandomRows(seed, 30 + 9 * seed);
    const View view = View::All(table.data);
    const Buckets buckets{table.data.columns[2].codes, {0, 0, 1, 2, 2}, 3};
    BucketArray bucket_sizes(3);
    for (const RowId row : view.rows()) ++bucket_sizes[buckets.of_code[buckets.codes[row]]];
    const HalvedBuckets sizes = HalveBuckets(bucket_sizes, 3, [](const BucketArray&, std::int64_t) { return true; });
    Random fast = Random::FromSeed(seed);
    Random slow = Random::FromSeed(seed);
    const Groups groups = DrawGroups(view, buckets, sizes, Neighbours::kHilbert, fast, "draw", {}).value();
    const auto expected = SlowHilbert(view, buckets, sizes, slow);
    ASSERT_EQ(groups.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(std::vector<RowId>(groups[i].begin(), groups[i].end()), expected[i]);
    }
  }
}

// Whatever the way of drawing: every row once, and from each bucket the number that was settled.
TEST(DrawGroups, TakesEveryRowOnceAndFromEachBucketItsNumber) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    for (const Neighbours neighbours : {Neighbours::kHilbert, Neighbours::kExact}) {
      SCOPED_TRACE(seed);
      const SmallTable table = RandomRows(seed, 40 + 7 * seed);
      const View view = View::All(table.data);
      const Buckets buckets{table.data.columns[2].codes, {0, 1, 1, 2, 0}, 3};
      BucketArray bucket_sizes(3);
      for (const RowId row : view.rows()) ++bucket_sizes[buckets.of_code[buckets.codes[row]]];
      const HalvedBuckets sizes =
          HalveBuckets(bucket_sizes, 1 + seed % 9, [](const BucketArray&, std::int64_t) { return true; });
      Random random = Random::FromSeed(seed);
      const Groups groups = DrawGroups(view, buckets, sizes, neighbours, random, "draw", {}).value();
      ASSERT_EQ(groups.size(), sizes.size());
      std::set<RowId> seen;
      for (std::size_t group = 0; group < groups.size(); ++group) {
        BucketArray drawn(3);
        for (const RowId row : groups[group]) {
          ++drawn[buckets.of_code[buckets.codes[row]]];
          EXPECT_TRUE(seen.insert(row).second);
        }
        EXPECT_EQ(drawn, sizes[group]);
      }
      EXPECT_EQ(seen.size(), table.data.num_rows);
      for (const int threads : {2, 5}) {
        Random again = Random::FromSeed(seed);
        EXPECT_EQ(DrawGroups(view, buckets, sizes, neighbours, again, "draw", {.threads = threads}).value().rows, groups.rows);
      }
    }
  }
}

// The first group gets the rows nearest to the one that was picked, in every bucket.
TEST(DrawGroups, ExactNeighboursAreTheNearest) {
  const SmallTable table = RandomRows(7, 200);
  const View view = View::All(table.data);
  const Buckets buckets{table.data.columns[2].codes, {0, 0, 1, 1, 1}, 2};
  HalvedBuckets sizes;
  BucketArray all(2);
  for (const RowId row : view.rows()) ++all[buckets.of_code[buckets.codes[row]]];
  sizes.arrays = {{4, 5}, {all[0] - 4, all[1] - 5}};
  sizes.groups = {0, 1};
  Random random = Random::FromSeed(1);
  const Groups groups = DrawGroups(view, buckets, sizes, Neighbours::kExact, random, "draw", {}).value();
  const auto place = [&](RowId row) {
    return std::pair(table.data.columns[0].codes[row] / 19.0, table.data.columns[1].codes[row] / 5.0);
  };
  bool found = false;  // one row of the group explains all the others
  for (const RowId seed : groups[0]) {
    const auto distance = [&](RowId row) {
      return std::hypot(place(row).first - place(seed).first, place(row).second - place(seed).second);
    };
    bool nearest = true;
    for (std::uint32_t bucket = 0; bucket < 2; ++bucket) {
      double farthest_in = 0;
      double nearest_out = 10;
      for (const RowId row : groups[0]) {
        if (buckets.of_code[buckets.codes[row]] == bucket) farthest_in = std::max(farthest_in, distance(row));
      }
      for (const RowId row : groups[1]) {
        if (buckets.of_code[buckets.codes[row]] == bucket) nearest_out = std::min(nearest_out, distance(row));
      }
      nearest = nearest && farthest_in <= nearest_out + 1e-5;
    }
    found = found || nearest;
  }
  EXPECT_TRUE(found);
}

TEST(DrawGroups, StopsWhenAsked) {
  const SmallTable table = RandomRows(1, 100);
  const View view = View::All(table.data);
  const Buckets buckets{table.data.columns[2].codes, {0, 0, 0, 0, 0}, 1};
  const HalvedBuckets sizes = HalveBuckets(BucketArray{100}, 5, [](const BucketArray&, std::int64_t) { return true; });
  std::stop_source stop;
  stop.request_stop();
  Random random = Random::FromSeed(1);
  const auto drawn = DrawGroups(view, buckets, sizes, Neighbours::kHilbert, random, "draw", {.stop = stop.get_token()});
  ASSERT_FALSE(drawn.ok());
  EXPECT_EQ(drawn.error().kind(), ErrorKind::kCancelled);
}

}  // namespace
}  // namespace cordon::engine
