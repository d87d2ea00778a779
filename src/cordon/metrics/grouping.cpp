// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/grouping.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

#include "cordon/base/hash_index.h"
#include "cordon/base/hash_map.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kParts = 256;

std::uint64_t Mix(std::uint64_t key) {  // spreads dense keys over all bits: the finalizer of MurmurHash3
  key = (key ^ (key >> 33)) * 0xff51afd7ed558ccdULL;
  key = (key ^ (key >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return key ^ (key >> 33);
}

// Appends a column to the keys of the rows; true if it fits into what is left of 64 bits.
struct Keys {
  std::vector<std::uint64_t> of_row;
  int bits = 0;

  bool Append(const CodedColumn& column, int threads) {
    // Codes start at kNull = -1.
    const int width = static_cast<int>(std::bit_width(column.size));
    if (bits + width > 64) return false;
    if (width == 0) return true;  // no text, all cells absent: and no shift by 64
    ParallelFor(threads, of_row.size(), kChunkRows, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        of_row[row] |= static_cast<std::uint64_t>((*column.codes)[row] + 1) << bits;
      }
    });
    bits += width;
    return true;
  }

  // The same partition of the rows in as few bits as it needs: numbers in order of first appearance.
  void Renumber() {
    KeyNumbers numbers;
    for (std::uint64_t& key : of_row) key = numbers.NumberOf(key);
    bits = static_cast<int>(std::bit_width(numbers.size()));
  }
};

// One key per row: equal exactly if the codes are equal in every column.
std::vector<std::uint64_t> KeysOf(std::span<const CodedColumn> columns, std::size_t num_rows, int threads) {
  Keys keys;
  keys.of_row.resize(num_rows);
  for (const CodedColumn& column : columns) {
    if (keys.Append(column, threads)) continue;
    // Rows are fewer than 2^32 and so are the codes of a column: after this it fits.
    keys.Renumber();
    CORDON_CHECK(keys.Append(column, threads));
  }
  return std::move(keys.of_row);
}

// Rows of each distinct key; equal keys all lie in `keys`.
void CountDistinct(std::span<const std::uint64_t> keys, std::vector<std::uint64_t>& counts) {
  HashMap<std::uint64_t, std::uint64_t, 0> rows_of;
  rows_of.Clear(keys.size());
  for (const std::uint64_t key : keys) rows_of.Increment(key);
  rows_of.ForEach([&](std::uint64_t, std::uint64_t rows) { counts.push_back(rows); });
}

// Spreads the keys over parts small enough for a cache, then counts each part.
std::vector<std::uint64_t> CountDistinct(const std::vector<std::uint64_t>& keys, int threads) {
  const auto part_of = [](std::uint64_t key) { return static_cast<std::size_t>(Mix(key) >> 56); };
  std::vector<std::array<std::size_t, kParts>> next(NumChunks(keys.size(), kChunkRows));
  ParallelFor(threads, keys.size(), kChunkRows, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    next[chunk].fill(0);
    for (std::size_t row = begin; row < end; ++row) ++next[chunk][part_of(keys[row])];
  });
  std::array<std::size_t, kParts + 1> starts{};
  std::size_t place = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    starts[part] = place;
    for (auto& of_chunk : next) place += std::exchange(of_chunk[part], place);
  }
  starts[kParts] = place;
  std::vector<std::uint64_t> spread(keys.size());
  ParallelFor(threads, keys.size(), kChunkRows, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) spread[next[chunk][part_of(keys[row])]++] = keys[row];
  });
  std::vector<std::vector<std::uint64_t>> counts(kParts);
  ParallelFor(threads, kParts, 1, [&](std::size_t part, std::size_t, std::size_t) {
    CountDistinct(std::span(spread).subspan(starts[part], starts[part + 1] - starts[part]), counts[part]);
  });
  std::vector<std::uint64_t> all;
  for (const auto& of_part : counts) all.insert(all.end(), of_part.begin(), of_part.end());
  return all;
}

// Rows of each group that is "*" throughout: one, but for groups that are named.
std::vector<std::uint64_t> StarGroups(const Release& release, const std::vector<std::size_t>& named) {
  const StarRows is_star(release);
  std::map<Code, std::uint64_t> rows_of;
  for (std::size_t row = 0; is_star.possible() && row < release.num_rows; ++row) {
    if (is_star(row)) ++rows_of[named.empty() ? 0 : release.columns[named.front()].text.codes[row]];
  }
  std::vector<std::uint64_t> groups;
  for (const auto& [group, rows] : rows_of) groups.push_back(rows);
  return groups;
}

// Takes suppressed rows out of the groups that look like them: a whole group of that size, else from the largest on. Which
// one of those of its size is taken from does not matter.
void TakeAway(std::uint64_t rows, std::vector<std::uint64_t> star_groups, std::vector<std::uint64_t>& groups) {
  std::sort(star_groups.rbegin(), star_groups.rend());
  const auto whole = std::find(star_groups.begin(), star_groups.end(), rows);
  if (whole != star_groups.end()) std::iter_swap(star_groups.begin(), whole);
  for (const std::uint64_t size : star_groups) {
    const std::uint64_t taken = std::min(size, rows);
    const auto group = std::find(groups.begin(), groups.end(), size);
    rows -= taken;
    *group -= taken;
    if (*group == 0) groups.erase(group);
    if (rows == 0) return;
  }
}

}  // namespace

StarRows::StarRows(const Release& release) {
  for (const std::size_t i : release.ColumnsOf(Role::kQuasi)) {
    const Column& column = release.columns[i].text;
    const auto star = column.dictionary->Find("*");
    if (!star) {
      columns_.clear();
      return;
    }
    columns_.push_back(&column.codes);
    stars_.push_back(*star);
  }
}

std::vector<CodedColumn> QuasiColumns(const Release& release) {
  std::vector<CodedColumn> columns;
  for (const std::size_t i : release.ColumnsOf(Role::kQuasi)) {
    columns.push_back({&release.columns[i].text.codes, release.columns[i].text.dictionary->size()});
  }
  return columns;
}

std::vector<CodedColumn> QuasiColumns(const Microdata& data) {
  std::vector<CodedColumn> columns;
  for (const std::size_t i : data.ColumnsOf(Role::kQuasi)) {
    columns.push_back({&data.columns[i].codes, static_cast<std::size_t>(data.columns[i].attribute.domain->size())});
  }
  return columns;
}

std::vector<std::uint64_t> CountCombinations(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run) {
  return CountDistinct(KeysOf(columns, num_rows, run.threads), run.threads);
}

RowGroups NumberRows(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run) {
  const std::vector<std::uint64_t> keys = KeysOf(columns, num_rows, run.threads);
  RowGroups groups;
  groups.of_row.resize(num_rows);
  KeyNumbers numbers;
  for (std::size_t row = 0; row < num_rows; ++row) {
    const std::uint32_t group = numbers.NumberOf(keys[row]);
    if (group == groups.first_row.size()) groups.first_row.push_back(static_cast<RowId>(row));
    groups.of_row[row] = group;
  }
  return groups;
}

std::uint64_t StarredRows(const Release& release) {
  if (release.starred) return *release.starred;
  if (!release.permuted.empty()) return 0;  // cells are exact: none is suppressed
  const StarRows is_star(release);
  std::uint64_t rows = 0;
  for (std::size_t row = 0; is_star.possible() && row < release.num_rows; ++row) rows += is_star(row);
  return rows;
}

GroupSizes GroupSizesOf(const Release& release, const Run& run) {
  GroupSizes sizes;
  const std::vector<std::size_t> named = release.ColumnsOf(Role::kGroup);
  std::vector<CodedColumn> columns;
  // If cells are exact, what a row is hidden among is its named group alone.
  if (release.permuted.empty() || named.empty()) columns = QuasiColumns(release);
  for (const std::size_t i : named) {
    columns.push_back({&release.columns[i].text.codes, release.columns[i].text.dictionary->size()});
  }
  sizes.groups = CountCombinations(columns, release.num_rows, run);
  sizes.star_rows = StarredRows(release);
  if (sizes.star_rows > 0) TakeAway(sizes.star_rows, StarGroups(release, named), sizes.groups);
  return sizes;
}

std::uint64_t RowsLeftOut(const Release& release) {
  return release.input_size > release.num_rows ? release.input_size - release.num_rows : 0;
}

}  // namespace cordon::engine
