// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <unordered_map>

#include "cordon/models/verify/join_pairs_internal.h"

namespace cordon::engine::internal {
namespace {

constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

// The cells of a column that two releases share, cut into parts: cells of different parts do not overlap.
struct Parts {
  std::vector<std::uint32_t> of_a;  // by code + 1; kNoPart: in no row
  std::vector<std::uint32_t> of_b;
  bool complete = true;  // inside a part every cell of a overlaps every cell of b
};

std::vector<char> CodesInUse(const LinkedTable& table, std::size_t column, const RowClasses& classes) {
  const LinkedColumn& own = table.columns[column];
  std::vector<char> used(own.texts->size() + 1);
  for (const std::uint32_t row : classes.first_row) used[static_cast<std::size_t>(own.codes[row] + 1)] = 1;
  return used;
}

Parts CutIntoParts(const LinkedColumn& a, const std::vector<char>& used_a, const LinkedColumn& b,
                   const std::vector<char>& used_b) {
  struct Cell {
    Extent extent;
    bool of_b;
    std::size_t code;
  };
  std::vector<Cell> cells;
  for (std::size_t code = 0; code < used_a.size(); ++code) {
    if (used_a[code] != 0) cells.push_back({a.extents[code], false, code});
  }
  for (std::size_t code = 0; code < used_b.size(); ++code) {
    if (used_b[code] != 0) cells.push_back({b.extents[code], true, code});
  }
  std::sort(cells.begin(), cells.end(), [](const Cell& x, const Cell& y) { return x.extent.lo < y.extent.lo; });
  Parts parts{std::vector<std::uint32_t>(used_a.size(), kNoPart), std::vector<std::uint32_t>(used_b.size(), kNoPart), true};
  std::uint32_t part = 0;
  for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end, ++part) {
    std::int64_t reach = cells[begin].extent.hi;
    // Of each side, the greatest lower and the least upper end: all pairs overlap if no cell begins after one of the others
    // ends.
    std::int64_t last_lo[2] = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min()};
    std::int64_t first_hi[2] = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()};
    for (end = begin; end < cells.size() && (end == begin || cells[end].extent.lo <= reach); ++end) {
      const Cell& cell = cells[end];
      reach = std::max(reach, cell.extent.hi);
      last_lo[cell.of_b] = std::max(last_lo[cell.of_b], cell.extent.lo);
      first_hi[cell.of_b] = std::min(first_hi[cell.of_b], cell.extent.hi);
      (cell.of_b ? parts.of_b : parts.of_a)[cell.code] = part;
    }
    parts.complete = parts.complete && last_lo[0] <= first_hi[1] && last_lo[1] <= first_hi[0];
  }
  return parts;
}

struct KeyHash {
  std::size_t operator()(const std::vector<std::uint32_t>& key) const {
    std::uint64_t hash = 1469598103934665603u;
    for (const std::uint32_t part : key) hash = (hash ^ part) * 1099511628211u + (hash >> 29);
    return static_cast<std::size_t>(hash);
  }
};

std::vector<std::uint32_t> ValuesOf(const LinkedTable& table, std::size_t column, const RowClasses& classes) {
  std::vector<std::uint32_t> values;
  values.reserve(classes.size());
  for (const std::uint32_t row : classes.first_row) {
    values.push_back(static_cast<std::uint32_t>(table.columns[column].codes[row] + 1));
  }
  return values;
}

}  // namespace

RowClasses ClassesBy(const LinkedTable& table, std::vector<std::size_t> columns, const std::vector<std::uint32_t>& more) {
  RowClasses classes;
  classes.columns = std::move(columns);
  classes.class_of.resize(table.num_rows);
  std::unordered_map<std::vector<std::uint32_t>, std::uint32_t, KeyHash> known;
  std::vector<std::uint32_t> key(classes.columns.size() + (more.empty() ? 0 : 1));
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    for (std::size_t i = 0; i < classes.columns.size(); ++i) {
      key[i] = static_cast<std::uint32_t>(table.columns[classes.columns[i]].codes[row] + 1);
    }
    if (!more.empty()) key.back() = more[row];
    const auto [found, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(classes.size()));
    if (is_new) {
      classes.first_row.push_back(static_cast<std::uint32_t>(row));
      classes.rows.push_back(0);
    }
    ++classes.rows[found->second];
    classes.class_of[row] = found->second;
  }
  return classes;
}

std::vector<std::size_t> JoiningColumns(const LinkedTables& linked, std::size_t a, std::size_t b) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < linked.tables[a].columns.size(); ++i) {
    bool joins = linked.tables[b].Find(linked.tables[a].columns[i].name).has_value();
    for (const ImpossibleCells& cells : linked.impossible) {
      joins = joins || (cells.table_a == a && cells.column_a == i && cells.table_b == b) ||
              (cells.table_b == a && cells.column_b == i && cells.table_a == b);
    }
    if (joins) columns.push_back(i);
  }
  return columns;
}

bool RowsMatch(const LinkedTables& linked, std::size_t a, std::size_t row_a, std::size_t b, std::size_t row_b) {
  const LinkedTable& left = linked.tables[a];
  const LinkedTable& right = linked.tables[b];
  for (const LinkedColumn& column : left.columns) {
    const auto other = right.Find(column.name);
    if (other && !column.extent(row_a).Overlaps(right.columns[*other].extent(row_b))) return false;
  }
  for (const ImpossibleCells& cells : linked.impossible) {
    if (cells.table_a == a && cells.table_b == b &&
        cells.Impossible(left.columns[cells.column_a].codes[row_a], right.columns[cells.column_b].codes[row_b])) {
      return false;
    }
    if (cells.table_a == b && cells.table_b == a &&
        cells.Impossible(right.columns[cells.column_a].codes[row_b], left.columns[cells.column_b].codes[row_a])) {
      return false;
    }
  }
  return true;
}

PairIndex::PairIndex(const LinkedTables& linked, std::size_t a, const RowClasses& classes_a, std::size_t b,
                     const RowClasses& classes_b) {
  const LinkedTable& left = linked.tables[a];
  const LinkedTable& right = linked.tables[b];
  std::vector<std::vector<std::uint32_t>> keys_a(classes_a.size());
  std::vector<std::vector<std::uint32_t>> keys_b(classes_b.size());
  for (std::size_t column = 0; column < left.columns.size(); ++column) {
    const auto other = right.Find(left.columns[column].name);
    if (!other) continue;
    const LinkedColumn* own = &left.columns[column];
    const LinkedColumn* its = &right.columns[*other];
    const Parts parts = CutIntoParts(*own, CodesInUse(left, column, classes_a), *its, CodesInUse(right, *other, classes_b));
    std::vector<std::uint32_t> values_a = ValuesOf(left, column, classes_a);
    std::vector<std::uint32_t> values_b = ValuesOf(right, *other, classes_b);
    for (std::size_t i = 0; i < keys_a.size(); ++i) keys_a[i].push_back(parts.of_a[values_a[i]]);
    for (std::size_t i = 0; i < keys_b.size(); ++i) keys_b[i].push_back(parts.of_b[values_b[i]]);
    if (parts.complete) continue;
    filters_.push_back({std::move(values_a), std::move(values_b),
                        [own, its](std::uint32_t x, std::uint32_t y) { return own->extents[x].Overlaps(its->extents[y]); }});
  }
  for (const ImpossibleCells& cells : linked.impossible) {
    const ImpossibleCells* each = &cells;
    if (cells.table_a == a && cells.table_b == b) {
      filters_.push_back({ValuesOf(left, cells.column_a, classes_a), ValuesOf(right, cells.column_b, classes_b),
                          [each](std::uint32_t x, std::uint32_t y) {
                            return !each->Impossible(static_cast<Code>(x) - 1, static_cast<Code>(y) - 1);
                          }});
    } else if (cells.table_a == b && cells.table_b == a) {
      filters_.push_back({ValuesOf(left, cells.column_b, classes_a), ValuesOf(right, cells.column_a, classes_b),
                          [each](std::uint32_t x, std::uint32_t y) {
                            return !each->Impossible(static_cast<Code>(y) - 1, static_cast<Code>(x) - 1);
                          }});
    }
  }
  std::unordered_map<std::vector<std::uint32_t>, std::size_t, KeyHash> known;
  for (std::uint32_t i = 0; i < keys_a.size(); ++i) {
    const auto [found, is_new] = known.try_emplace(keys_a[i], blocks_.size());
    if (is_new) blocks_.emplace_back();
    blocks_[found->second].a.push_back(i);
  }
  for (std::uint32_t i = 0; i < keys_b.size(); ++i) {
    const auto found = known.find(keys_b[i]);
    if (found == known.end()) {
      complete_ = false;  // nobody matches it
    } else {
      blocks_[found->second].b.push_back(i);
    }
  }
  complete_ = complete_ && filters_.empty();
  for (const Block& block : blocks_) {
    std::int64_t rows_a = 0;
    std::int64_t rows_b = 0;
    for (const std::uint32_t i : block.a) rows_a += classes_a.rows[i];
    for (const std::uint32_t i : block.b) rows_b += classes_b.rows[i];
    complete_ = complete_ && rows_a == rows_b;
    candidate_pairs_ += static_cast<std::uint64_t>(block.a.size()) * block.b.size();
  }
}

void PairIndex::Matches(const Block& block, std::uint32_t each, std::vector<std::uint32_t>& found) const {
  found.clear();
  if (filters_.empty()) {
    found = block.b;
    return;
  }
  const std::size_t words = (block.b.size() + 63) / 64;
  std::vector<std::uint64_t> all(words, ~std::uint64_t{0});
  if (block.allowed.empty()) block.allowed.resize(filters_.size());
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const Filter& filter = filters_[i];
    const std::uint32_t value = filter.value_a[each];
    auto& by_value = block.allowed[i];
    if (by_value.size() <= value) by_value.resize(value + 1);
    std::vector<std::uint64_t>& bits = by_value[value];
    if (bits.empty()) {
      bits.resize(words);
      for (std::size_t at = 0; at < block.b.size(); ++at) {
        if (filter.allows(value, filter.value_b[block.b[at]])) bits[at / 64] |= std::uint64_t{1} << (at % 64);
      }
    }
    for (std::size_t word = 0; word < words; ++word) all[word] &= bits[word];
  }
  if (block.b.size() % 64 != 0 && words > 0) all.back() &= (std::uint64_t{1} << (block.b.size() % 64)) - 1;
  for (std::size_t word = 0; word < words; ++word) {
    for (std::uint64_t rest = all[word]; rest != 0; rest &= rest - 1) {
      found.push_back(block.b[word * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
    }
  }
}

}  // namespace cordon::engine::internal
