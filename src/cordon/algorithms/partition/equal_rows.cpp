// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/equal_rows.h"

#include <algorithm>
#include <numeric>

#include "cordon/base/hash_index.h"
#include "cordon/base/key_hash.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kLookAhead = 16;  // rows whose places in the hash table are fetched at once

// The combination of each row, numbered in the order of first rows; none if their numbers do not fit into 64 bits.
struct Combinations {
  std::vector<std::uint32_t> of_row;
  std::vector<std::uint32_t> rows;  // of each
};

std::vector<std::uint64_t> KeysOf(const View& view, const Run& run) {
  const Microdata& data = view.data();
  std::vector<std::uint64_t> factors;
  std::uint64_t product = 1;
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) {
    factors.push_back(product);
    const auto size = static_cast<std::uint64_t>(data.columns[column].attribute.domain->size());
    if (__builtin_mul_overflow(product, std::max<std::uint64_t>(size, 1), &product)) return {};
  }
  std::vector<std::uint64_t> keys(view.size());
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  ParallelFor(run.threads, view.size(), kChunkRows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t q = 0; q < quasi.size(); ++q) {
      const Codes& codes = data.columns[quasi[q]].codes;
      for (std::size_t i = begin; i < end; ++i) keys[i] += factors[q] * static_cast<std::uint64_t>(codes[view.rows()[i]]);
    }
  });
  return keys;
}

Combinations CombinationsOf(const View& view, const Run& run) {
  const std::vector<std::uint64_t> keys = KeysOf(view, run);
  Combinations made;
  if (keys.empty()) return made;
  HashIndex index;
  index.Clear();
  std::vector<std::uint64_t> known;  // by number
  made.of_row.resize(keys.size());
  for (std::size_t begin = 0; begin < keys.size(); begin += kLookAhead) {
    const std::size_t end = std::min(begin + kLookAhead, keys.size());
    for (std::size_t i = begin; i < end; ++i) index.Prefetch(KeyHash::Of(keys[i]));
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint64_t key = keys[i];
      const std::uint32_t number = index.FindOrAdd(KeyHash::Of(key), [&](std::uint32_t each) { return known[each] == key; });
      if (number == known.size()) {
        known.push_back(key);
        made.rows.push_back(0);
      }
      made.of_row[i] = number;
      ++made.rows[number];
    }
  }
  return made;
}

// Rows of combinations that have enough of them, combination by combination; the others are rest.
RowSets LargeSets(const Combinations& made, std::size_t min_rows, std::vector<Place>& rest) {
  constexpr std::uint32_t kSmall = ~std::uint32_t{0};
  RowSets sets;
  std::vector<std::uint32_t> set_of(made.rows.size(), kSmall);
  for (std::size_t number = 0; number < made.rows.size(); ++number) {
    if (made.rows[number] < min_rows) continue;
    set_of[number] = static_cast<std::uint32_t>(sets.size());
    sets.emplace_back();
    sets.back().reserve(made.rows[number]);
  }
  for (std::size_t i = 0; i < made.of_row.size(); ++i) {
    const std::uint32_t set = set_of[made.of_row[i]];
    (set == kSmall ? rest : sets[set]).push_back(static_cast<Place>(i));
  }
  return sets;
}

}  // namespace

EqualRows FindEqualRows(const View& view, GroupGate& gate, std::size_t spare, const Run& run) {
  EqualRows found;
  const Combinations combinations = CombinationsOf(view, run);
  if (combinations.of_row.empty()) {
    found.rest.resize(view.size());
    std::iota(found.rest.begin(), found.rest.end(), Place{0});
    return found;
  }
  const std::size_t open_rows = gate.min_rows() + spare;
  for (std::vector<Place>& rows : LargeSets(combinations, gate.min_rows(), found.rest)) {
    if (!gate.Admits(rows)) {
      found.rest.insert(found.rest.end(), rows.begin(), rows.end());
      continue;
    }
    if (rows.size() >= open_rows + gate.min_rows()) {
      const std::span<const Place> more = std::span(rows).subspan(open_rows);
      if (gate.Admits(std::span(rows).first(open_rows)) && gate.Admits(more)) {
        found.done.emplace_back(more.begin(), more.end());
        rows.resize(open_rows);
      }
    }
    found.open.push_back(std::move(rows));
  }
  while (!found.rest.empty() && !gate.Admits(found.rest)) {
    // There is one: all rows together are admitted, and all done rows are equal to open ones. The model may still ask for more
    // people or values than the open groups have, so done groups follow them.
    RowSets& from = found.open.empty() ? found.done : found.open;
    found.rest.insert(found.rest.end(), from.back().begin(), from.back().end());
    from.pop_back();
  }
  std::sort(found.rest.begin(), found.rest.end());
  return found;
}

}  // namespace cordon::engine
