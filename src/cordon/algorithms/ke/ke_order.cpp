// SPDX-License-Identifier: Apache-2.0
//
// The order under (k,e)-anonymity: rows are sorted by their distances from the least value. Rows of equal value stay in
// their order.
#include <algorithm>
#include <bit>
#include <utility>

#include "cordon/algorithms/ke/ke.h"
#include "cordon/base/radix_sort.h"

namespace cordon::engine {
namespace {

// A key and its row. In one word where both fit: half the memory to move.
struct Apart {
  std::uint64_t distance;
  RowId of;

  std::uint64_t key(int) const { return distance; }
  RowId row(int) const { return of; }
};
struct Packed {
  std::uint64_t bits;

  std::uint64_t key(int row_bits) const { return bits >> row_bits; }
  RowId row(int row_bits) const { return static_cast<RowId>(bits & ((std::uint64_t{1} << row_bits) - 1)); }
};

template <typename Item>
KeOrder OrderOf(std::vector<Item> items, std::int64_t least, int row_bits) {
  RadixSort(items, [row_bits](const Item& item) { return item.key(row_bits); });
  KeOrder order;
  order.rows.resize(items.size());
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < items.size(); ++i) distinct += items[i].key(row_bits) != items[i - 1].key(row_bits) ? 1 : 0;
  order.axis.values.reserve(distinct);
  order.axis.counts.reserve(distinct);
  for (std::size_t i = 0; i < items.size(); ++i) {
    order.rows[i] = items[i].row(row_bits);
    const std::uint64_t key = items[i].key(row_bits);
    if (i == 0 || key != items[i - 1].key(row_bits)) {
      order.axis.values.push_back(static_cast<std::int64_t>(key + static_cast<std::uint64_t>(least)));
      order.axis.counts.push_back(0);
    }
    ++order.axis.counts.back();
  }
  return order;
}

}  // namespace

KeOrder OrderByValue(std::span<const std::int64_t> values) {
  if (values.empty()) return {};
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const std::int64_t least = *lowest;
  const auto distance = [&](std::int64_t value) {
    return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(least);
  };
  const int key_bits = static_cast<int>(std::bit_width(distance(*highest)));
  const int row_bits = static_cast<int>(std::bit_width(values.size()));
  if (key_bits + row_bits <= 64) {
    std::vector<Packed> items(values.size());
    for (std::size_t row = 0; row < values.size(); ++row) items[row] = {distance(values[row]) << row_bits | row};
    return OrderOf(std::move(items), least, row_bits);
  }
  std::vector<Apart> items(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) items[row] = {distance(values[row]), static_cast<RowId>(row)};
  return OrderOf(std::move(items), least, 0);
}

}  // namespace cordon::engine
