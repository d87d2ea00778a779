// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/hash_map.h"

#include <gtest/gtest.h>

#include <map>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

TEST(HashMap, CountsLikeAMap) {
  Random random = Random::FromSeed(3);
  KeyCounts counts;
  std::map<std::uint64_t, std::uint32_t> map;
  for (int step = 0; step < 200'000; ++step) {
    // Keys that agree in many bits, and long runs of removals.
    const std::uint64_t key = random.Below(200) << (random.Below(2) == 0 ? 0 : 32);
    if (random.Below(1000) < (step / 20'000 % 2 == 0 ? 600u : 400u)) {
      ASSERT_EQ(counts.Increment(key), ++map[key]);
    } else if (map.contains(key)) {
      const std::uint32_t left = --map[key];
      if (left == 0) map.erase(key);
      ASSERT_EQ(counts.Decrement(key), left);
    }
    ASSERT_EQ(counts.size(), map.size());
    const std::uint64_t other = random.Below(200);
    ASSERT_EQ(counts.Get(other), map.contains(other) ? map[other] : 0);
  }
}

TEST(HashMap, MakesWhatIsNotThereUnlessItIsAbsent) {
  HashMap<std::array<std::uint64_t, 2>, int, -1> map;
  const auto make = [](int value) { return [value] { return value; }; };
  EXPECT_EQ(map.GetOrMake({1, 2}, make(-1)), -1);
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.GetOrMake({1, 2}, make(0)), 0);
  EXPECT_EQ(map.GetOrMake({1, 2}, make(7)), 0);
  EXPECT_EQ(map.GetOrMake({2, 1}, make(7)), 7);
  EXPECT_EQ(map.size(), 2u);
  map.Clear(1000);
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.Get({1, 2}), -1);
}

// Every key has the same place: only linear probing and shifting back tell them apart.
struct OnePlace {
  static std::uint64_t Of(int) { return ~std::uint64_t{0}; }
};

TEST(HashMap, KeysOfTheSamePlaceStayApart) {
  HashMap<int, int, 0, OnePlace> map;
  for (int key = 0; key < 100; ++key) map.Set(key, key + 1);
  for (int key = 0; key < 100; key += 3) map.Erase(key);
  for (int key = 0; key < 100; ++key) EXPECT_EQ(map.Get(key), key % 3 == 0 ? 0 : key + 1);
  int sum = 0;
  map.ForEach([&](int key, int value) { sum += value - key; });
  EXPECT_EQ(sum, 66);
}

}  // namespace
}  // namespace cordon::engine
