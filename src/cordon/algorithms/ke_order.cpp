// SPDX-License-Identifier: Apache-2.0
//
// The sort under (k,e)-anonymity: keys are distances from the least value, sorted digit by digit from the lowest. Digits
// that all keys share cost one look. Stable, so rows of equal value stay in their order.
#include <algorithm>
#include <array>
#include <utility>

#include "cordon/algorithms/ke.h"

namespace cordon {
namespace {

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr int kPasses = (64 + kDigitBits - 1) / kDigitBits;

struct Keyed {
  std::uint64_t key;
  RowId row;
};

std::size_t DigitOf(std::uint64_t key, int pass) { return (key >> (pass * kDigitBits)) & (kDigits - 1); }

void SortKeyed(std::vector<Keyed>& items) {
  using Histogram = std::array<std::size_t, kDigits>;
  std::vector<Histogram> counts(kPasses);  // of all digits in one look
  std::uint64_t highest = 0;
  for (const Keyed& item : items) highest = std::max(highest, item.key);
  int passes = 0;
  while (passes < kPasses && (highest >> (passes * kDigitBits)) != 0) ++passes;
  for (int pass = 0; pass < passes; ++pass) counts[pass].fill(0);
  for (const Keyed& item : items) {
    for (int pass = 0; pass < passes; ++pass) ++counts[pass][DigitOf(item.key, pass)];
  }
  std::vector<Keyed> other(items.size());
  for (int pass = 0; pass < passes; ++pass) {
    Histogram& places = counts[pass];
    if (places[DigitOf(items.front().key, pass)] == items.size()) continue;
    std::size_t before = 0;
    for (std::size_t& place : places) before += std::exchange(place, before);
    for (const Keyed& item : items) other[places[DigitOf(item.key, pass)]++] = item;
    items.swap(other);
  }
}

}  // namespace

KeOrder OrderByValue(std::span<const std::int64_t> values) {
  KeOrder order;
  if (values.empty()) return order;
  const std::int64_t least = *std::min_element(values.begin(), values.end());
  std::vector<Keyed> items(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) {
    items[row] = {static_cast<std::uint64_t>(values[row]) - static_cast<std::uint64_t>(least), static_cast<RowId>(row)};
  }
  SortKeyed(items);
  order.rows.resize(items.size());
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < items.size(); ++i) distinct += items[i].key != items[i - 1].key ? 1 : 0;
  order.axis.values.reserve(distinct);
  order.axis.counts.reserve(distinct);
  for (std::size_t i = 0; i < items.size(); ++i) {
    order.rows[i] = items[i].row;
    if (i == 0 || items[i].key != items[i - 1].key) {
      order.axis.values.push_back(static_cast<std::int64_t>(items[i].key + static_cast<std::uint64_t>(least)));
      order.axis.counts.push_back(0);
    }
    ++order.axis.counts.back();
  }
  return order;
}

}  // namespace cordon
