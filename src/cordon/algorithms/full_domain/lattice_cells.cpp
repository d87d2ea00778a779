// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/full_domain/lattice_cells.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

std::size_t NumberKeys(std::span<const std::uint64_t> keys, std::vector<std::uint32_t>& ids, KeyNumbers& numbers) {
  numbers.Clear(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) ids[i] = numbers.NumberOf(keys[i]);
  return numbers.size();
}

}  // namespace

LatticeCells::LatticeCells(const View& view, std::vector<std::vector<Level>> levels, const Run& run)
    : levels_(std::move(levels)), num_rows_(view.weight()) {
  const Microdata& data = view.data();
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  const std::size_t num_rows = view.size();
  std::vector<std::uint64_t> keys(num_rows, 0);
  std::vector<std::uint32_t> ids(num_rows);
  KeyNumbers numbers;
  std::uint64_t radix = 1;
  std::size_t num_cells = 1;
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    const Codes& codes = data.columns[quasi[q]].codes;
    const auto size = static_cast<std::uint64_t>(data.columns[quasi[q]].attribute.domain->size());
    if (radix > std::numeric_limits<std::uint64_t>::max() / 2 / size) {  // shorten what there is
      radix = NumberKeys(keys, ids, numbers);
      std::copy(ids.begin(), ids.end(), keys.begin());
    }
    ParallelFor(run.threads, num_rows, kChunkRows, [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) keys[i] += static_cast<std::uint64_t>(codes[view.rows()[i]]) * radix;
    });
    radix *= size;
  }
  num_cells = NumberKeys(keys, ids, numbers);
  starts_.assign(num_cells + 1, 0);
  for (const std::uint32_t id : ids) ++starts_[id + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  rows_.resize(num_rows);
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  for (std::size_t i = 0; i < num_rows; ++i) rows_[next[ids[i]]++] = view.rows()[i];

  all_.codes.resize(quasi.size());
  for (std::size_t q = 0; q < quasi.size(); ++q) {
    const Codes& codes = data.columns[quasi[q]].codes;
    all_.codes[q].resize(num_cells);
    for (std::size_t cell = 0; cell < num_cells; ++cell) all_.codes[q][cell] = codes[rows_[starts_[cell]]];
  }
  all_.levels.assign(quasi.size(), 0);
  all_.cells.resize(num_cells);
  std::iota(all_.cells.begin(), all_.cells.end(), std::uint32_t{0});
  all_.rows.resize(num_cells);
  for (std::size_t cell = 0; cell < num_cells; ++cell) {
    all_.rows[cell] = 0;
    for (const RowId row : rows(cell)) all_.rows[cell] += data.weight(row);
  }
}

LevelVector LatticeCells::Top() const {
  LevelVector top;
  for (const std::vector<Level>& levels : levels_) top.push_back(static_cast<std::uint8_t>(levels.size() - 1));
  return top;
}

std::size_t CellGrouper::Group(const CellSet& set, std::span<const std::size_t> quasi, std::span<const std::uint8_t> levels) {
  const std::size_t size = set.cells.size();
  keys_.assign(size, 0);
  ids_.resize(size);
  std::uint64_t radix = 1;
  for (const std::size_t q : quasi) {
    const Level& level = cells_.levels(q)[levels[q]];
    const auto bins = static_cast<std::uint64_t>(level.num_bins());
    if (bins == 1) continue;
    if (radix > std::numeric_limits<std::uint64_t>::max() / 2 / bins) {
      radix = NumberByHash();
      std::copy(ids_.begin(), ids_.end(), keys_.begin());
    }
    part_.resize(level.bin_of.size());
    for (std::size_t code = 0; code < part_.size(); ++code)
      part_[code] = static_cast<std::uint64_t>(level.bin_of[code]) * radix;
    const Code* const codes = set.codes[q].data();
    for (std::size_t i = 0; i < size; ++i) keys_[i] += part_[codes[i]];
    radix *= bins;
  }
  return Number(radix);
}

// Few possible keys are counted off in a table, many are hashed.
std::size_t CellGrouper::Number(std::uint64_t radix) {
  return radix <= 4 * keys_.size() + 64 ? NumberByTable(radix) : NumberByHash();
}

std::size_t CellGrouper::NumberByTable(std::uint64_t radix) {
  slots_.assign(radix, kNone);
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    std::uint32_t& slot = slots_[keys_[i]];
    if (slot == kNone) slot = count++;
    ids_[i] = slot;
  }
  return count;
}

std::size_t CellGrouper::NumberByHash() { return NumberKeys(keys_, ids_, numbers_); }

}  // namespace cordon::engine
