// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/radix_sort.h"

#include <gtest/gtest.h>

#include "cordon/base/random.h"
#include "cordon/base/rational.h"

namespace cordon::engine {
namespace {

template <typename Key>
void AgreesWithAStableSort(int bits) {
  struct Item {
    Key key;
    std::uint32_t number;
  };
  for (const std::size_t size : {0u, 1u, 100u, 255u, 256u, 20'000u}) {
    Random random = Random::FromSeed(size + static_cast<std::uint64_t>(bits));
    std::vector<Item> items;
    for (std::uint32_t number = 0; number < size; ++number) {
      auto key = static_cast<Key>((static_cast<UInt128>(random.Next()) << 64) | random.Next());
      key >>= static_cast<int>(8 * sizeof(Key)) - bits;
      if (random.Below(2) == 0) key = (key >> 5) << 5;
      items.push_back({key, number});
    }
    std::vector<Item> expected = items;
    std::stable_sort(expected.begin(), expected.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
    RadixSort(items, [](const Item& item) { return item.key; });
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(items[i].number, expected[i].number) << bits << " bits, " << size << " items";
  }
}

TEST(RadixSort, AgreesWithAStableSort) {
  for (const int bits : {1, 11, 12, 49, 64}) AgreesWithAStableSort<std::uint64_t>(bits);
  for (const int bits : {11, 64, 65, 100, 128}) AgreesWithAStableSort<UInt128>(bits);
}

}  // namespace
}  // namespace cordon::engine
