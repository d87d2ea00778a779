// SPDX-License-Identifier: Apache-2.0
//
// Rows in the order of their keys; rows of equal keys stay as they were. Many rows are sorted by eleven bits of the key at a
// time, from the last to the first: a pass that reads and writes every row once, and none where all bits are the same.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "cordon/data/codes.h"

namespace cordon::engine {

template <typename Key>
struct KeyedRow {
  Key key;
  RowId row;
};

// REQUIRES: keys below 2^key_bits.
template <typename Key>
void SortByKey(std::vector<KeyedRow<Key>>& rows, int key_bits) {
  constexpr int kDigitBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  if (rows.size() < 2 * kDigits) {
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    return;
  }
  std::vector<KeyedRow<Key>> other(rows.size());
  for (int shift = 0; shift < key_bits; shift += kDigitBits) {
    const auto digit = [&](const KeyedRow<Key>& row) { return static_cast<std::size_t>(row.key >> shift) & (kDigits - 1); };
    std::array<std::size_t, kDigits> next{};
    for (const KeyedRow<Key>& row : rows) ++next[digit(row)];
    if (next[digit(rows[0])] == rows.size()) continue;
    std::size_t start = 0;
    for (std::size_t& count : next) start += std::exchange(count, start);
    for (const KeyedRow<Key>& row : rows) other[next[digit(row)]++] = row;
    rows.swap(other);
  }
}

}  // namespace cordon::engine
