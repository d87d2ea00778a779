// SPDX-License-Identifier: Apache-2.0
//
// Items in the order of an unsigned key; items of equal keys stay as they were. Many items are sorted by eleven bits of the
// key at a time, from the last to the first: a pass reads and writes every item once. Bits in which all keys agree take no
// pass.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cordon::engine {

// `key_of` gives the key of an item, an unsigned integer of any width. REQUIRES: fewer than 2^32 items.
template <typename Item, typename KeyOf>
void RadixSort(std::vector<Item>& items, const KeyOf& key_of) {
  constexpr int kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  constexpr std::size_t kFew = 256;  // clearing and summing the counts of a pass takes longer than comparing so few
  if (items.size() < kFew) {
    std::stable_sort(items.begin(), items.end(), [&](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
    return;
  }
  auto differ = key_of(items[0]);
  differ = 0;
  for (const Item& item : items) differ |= key_of(item) ^ key_of(items[0]);
  std::vector<Item> other(items.size());
  for (int shift = 0; differ != 0; shift += kDigitBits, differ >>= kDigitBits) {
    if ((differ & (kDigits - 1)) == 0) continue;
    const auto digit = [&](const Item& item) { return static_cast<std::size_t>(key_of(item) >> shift) & (kDigits - 1); };
    std::array<std::uint32_t, kDigits> next{};
    for (const Item& item : items) ++next[digit(item)];
    std::uint32_t start = 0;
    for (std::uint32_t& count : next) start += std::exchange(count, start);
    for (const Item& item : items) other[next[digit(item)]++] = item;
    items.swap(other);
  }
}

}  // namespace cordon::engine
