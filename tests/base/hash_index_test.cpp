// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/hash_index.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

TEST(HashIndex, ThingsWithTheSameHashStayApart) {
  HashIndex index;
  std::vector<std::string> things;
  const auto number_of = [&](const std::string& thing) {
    const std::uint32_t number = index.FindOrAdd(things.size() % 2 == 0 ? 0 : ~std::uint64_t{0},
                                                 [&](std::uint32_t each) { return things[each] == thing; });
    if (number == things.size()) things.push_back(thing);
    return number;
  };
  // The hash alternates, so every thing is looked for under the hash under which it was added.
  for (int i = 0; i < 200; ++i) EXPECT_EQ(number_of(std::to_string(i)), static_cast<std::uint32_t>(i));
  EXPECT_EQ(index.size(), 200u);
  const auto is = [&](const std::string& thing) { return [&](std::uint32_t each) { return things[each] == thing; }; };
  EXPECT_EQ(index.Find(0, is("198")), 198u);
  EXPECT_EQ(index.Find(~std::uint64_t{0}, is("199")), 199u);
  EXPECT_EQ(index.Find(0, is("199")), std::nullopt);
  EXPECT_EQ(index.Find(0, is("200")), std::nullopt);
  index.Clear();
  EXPECT_EQ(index.size(), 0u);
  EXPECT_EQ(index.Find(0, is("198")), std::nullopt);
}

TEST(KeyNumbers, NumbersLikeAMap) {
  for (const std::uint64_t range : {1u, 10u, 1000u, 100'000u}) {
    Random random = Random::FromSeed(range);
    KeyNumbers numbers;
    numbers.Clear(random.Below(100));
    std::map<std::uint64_t, std::uint32_t> map;
    for (int step = 0; step < 50'000; ++step) {
      // Keys as searches make them: a sum of two small numbers, one of them times a large power.
      const std::uint64_t key = random.Below(range) + (random.Below(range) << (random.Below(2) == 0 ? 20 : 44));
      const auto known = map.try_emplace(key, static_cast<std::uint32_t>(map.size())).first;
      ASSERT_EQ(numbers.NumberOf(key), known->second);
    }
    EXPECT_EQ(numbers.size(), map.size());
  }
}

}  // namespace
}  // namespace cordon::engine
