// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/neighbour_orders.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace cordon::engine {
namespace {

// The values of one attribute at each level, coarse first.
std::vector<std::vector<std::uint32_t>> Levels(const Domain& domain) {
  std::vector<std::vector<std::uint32_t>> levels;
  const std::size_t size = static_cast<std::size_t>(domain.size());
  if (domain.is_categorical()) {
    const Hierarchy& hierarchy = *domain.hierarchy();
    for (int level = hierarchy.num_levels() - 1; level >= 0; --level) {
      std::vector<std::uint32_t> values(size);
      for (std::size_t leaf = 0; leaf < size; ++leaf) {
        values[leaf] =
            static_cast<std::uint32_t>(hierarchy.first_leaf(hierarchy.node_at_level(static_cast<Code>(leaf), level)));
      }
      if (levels.empty() ? values != std::vector<std::uint32_t>(size, 0) : values != levels.back()) {
        levels.push_back(std::move(values));
      }
    }
    return levels;
  }
  for (const int parts : {6, 18, 0}) {
    std::vector<std::uint32_t> values(size);
    for (std::size_t code = 0; code < size; ++code) {
      // Losses are shares of the range, so cells of equal loss are cells of equal width.
      const bool missing = domain.missing() == static_cast<Code>(code);
      values[code] = parts == 0 ? static_cast<std::uint32_t>(code)
                     : missing  ? static_cast<std::uint32_t>(parts)
                                : static_cast<std::uint32_t>(domain.Loss(0, static_cast<Code>(code)) * parts * 0.999999);
    }
    levels.push_back(std::move(values));
  }
  return levels;
}

using KeyedRow = std::pair<NeighbourKey, std::uint32_t>;

// As std::sort would: first by the first bits of the keys, then each run of those alone. Keys begin with coarse levels, so runs
// are short.
void SortKeys(std::vector<KeyedRow>& keys, std::vector<KeyedRow>& spare) {
  constexpr int kBits = 12;
  const auto run_of = [](const KeyedRow& each) { return static_cast<std::size_t>(each.first.high >> (64 - kBits)); };
  std::vector<std::uint32_t> begins((std::size_t{1} << kBits) + 1, 0);
  for (const KeyedRow& each : keys) ++begins[run_of(each) + 1];
  for (std::size_t run = 1; run < begins.size(); ++run) begins[run] += begins[run - 1];
  spare.resize(keys.size());
  for (const KeyedRow& each : keys) spare[begins[run_of(each)]++] = each;
  std::uint32_t begin = 0;
  for (std::size_t run = 0; run + 1 < begins.size(); begin = begins[run++]) {  // begins[run] is now where the next run begins
    if (begins[run] - begin > 1) std::sort(spare.begin() + begin, spare.begin() + begins[run]);
  }
  keys.swap(spare);
}

}  // namespace

NeighbourTokens::NeighbourTokens(const BoxSpans& spans, Random random) {
  std::vector<std::vector<std::vector<std::uint32_t>>> levels;
  std::vector<std::size_t> deck;
  for (std::size_t q = 0; q < spans.width(); ++q) {
    levels.push_back(Levels(spans.domain(q)));
    deck.insert(deck.end(), levels.back().size(), q);
  }
  random.Shuffle(std::span(deck));
  std::vector<std::size_t> next(spans.width());
  for (const std::size_t q : deck) {
    std::vector<std::uint32_t>& values = levels[q][next[q]++];
    const std::uint32_t most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    tokens_.push_back({q, static_cast<int>(std::bit_width(most)), std::move(values)});
  }
}

NeighbourKey NeighbourTokens::Key(const Code* row) const {
  NeighbourKey key;
  int used = 0;
  for (const Token& token : tokens_) {
    const std::uint64_t value = token.values[row[token.quasi]];
    for (int left = token.bits; left > 0 && used < 128;) {
      const int room = used < 64 ? 64 - used : 128 - used;
      const int take = std::min(left, room);
      const std::uint64_t bits = (value >> (left - take)) & (~std::uint64_t{0} >> (64 - take));
      (used < 64 ? key.high : key.low) |= bits << (room - take);
      used += take;
      left -= take;
    }
  }
  return key;
}

NeighbourOrders::NeighbourOrders(const SearchRows& rows, const BoxSpans& spans, std::size_t num_orders, std::size_t num_classes,
                                 const Random& random)
    : class_starts_(num_classes + 1) {
  for (const std::uint8_t value_class : rows.value_classes) ++class_starts_[value_class + 1u];
  for (std::size_t c = 0; c < num_classes; ++c) class_starts_[c + 1] += class_starts_[c];
  std::vector<KeyedRow> keys(rows.size());
  std::vector<KeyedRow> spare;
  for (std::size_t r = 0; r < num_orders; ++r) {
    const NeighbourTokens tokens(spans, random.Substream("order", r));
    for (std::size_t i = 0; i < rows.size(); ++i) keys[i] = {tokens.Key(rows.row(i)), static_cast<std::uint32_t>(i)};
    SortKeys(keys, spare);
    Order order{std::vector<std::uint32_t>(rows.size()), std::vector<std::uint32_t>(rows.size()),
                std::vector<std::uint32_t>(rows.size()), std::vector<std::uint32_t>(rows.size())};
    std::vector<std::size_t> next(class_starts_.begin(), class_starts_.end() - 1);
    for (std::uint32_t position = 0; position < rows.size(); ++position) {
      const std::uint32_t row = keys[position].second;
      order.rows[position] = row;
      order.positions[row] = position;
      const std::size_t place = next[rows.value_classes[row]]++;
      order.by_class[place] = row;
      order.class_positions[place] = position;
    }
    orders_.push_back(std::move(order));
  }
}

std::size_t NeighbourOrders::FindInClass(std::size_t order, std::size_t value_class, std::uint32_t position) const {
  const std::uint32_t* const all = orders_[order].class_positions.data();
  return static_cast<std::size_t>(std::lower_bound(all + class_begin(value_class), all + class_end(value_class), position) -
                                  all);
}

}  // namespace cordon::engine
