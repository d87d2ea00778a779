// SPDX-License-Identifier: Apache-2.0
//
// Every partition of a few rows, and what one loses: the slow judge of searches.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "cordon/data/microdata.h"

namespace cordon::engine::testing {

using RowSet = std::vector<RowId>;

// Rows times what their boxes leave open, unweighted.
inline double TotalLoss(const Microdata& data, const std::vector<RowSet>& groups) {
  double total = 0;
  for (const RowSet& rows : groups) {
    if (rows.empty()) continue;
    for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) {
      Code lo = std::numeric_limits<Code>::max();
      Code hi = 0;
      for (const RowId row : rows) {
        lo = std::min(lo, data.columns[column].codes[row]);
        hi = std::max(hi, data.columns[column].codes[row]);
      }
      total += static_cast<double>(rows.size()) * data.columns[column].attribute.domain->Loss(lo, hi);
    }
  }
  return total;
}

template <typename Function>
void ForEachPartition(const RowSet& rows, std::size_t next, std::vector<RowSet>& sets, const Function& f) {
  if (next == rows.size()) return f(sets);
  for (std::size_t i = 0; i <= sets.size(); ++i) {
    if (i == sets.size()) sets.emplace_back();
    sets[i].push_back(rows[next]);
    ForEachPartition(rows, next + 1, sets, f);
    sets[i].pop_back();
    if (sets[i].empty()) {
      sets.pop_back();
      break;
    }
  }
}

// f(partition) for every partition of the rows 0 to num_rows - 1.
template <typename Function>
void ForEachPartition(std::size_t num_rows, const Function& f) {
  RowSet rows;
  for (RowId row = 0; row < num_rows; ++row) rows.push_back(row);
  std::vector<RowSet> sets;
  ForEachPartition(rows, 0, sets, f);
}

// f(partition, left out) for every partition of every subset that leaves out at most this many rows, but not all.
template <typename Function>
void ForEachPartitionWithout(std::size_t num_rows, std::size_t max_left_out, const Function& f) {
  for (std::uint32_t chosen = 1; chosen < (1U << num_rows); ++chosen) {
    RowSet rows;
    for (RowId row = 0; row < num_rows; ++row) {
      if (((chosen >> row) & 1U) != 0) rows.push_back(row);
    }
    const std::size_t left_out = num_rows - rows.size();
    if (left_out > max_left_out) continue;
    std::vector<RowSet> sets;
    ForEachPartition(rows, 0, sets, [&](const std::vector<RowSet>& partition) { f(partition, left_out); });
  }
}

}  // namespace cordon::engine::testing
