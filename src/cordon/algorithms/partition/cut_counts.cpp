// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/cut_counts.h"

#include <algorithm>
#include <limits>

namespace cordon::engine {
namespace {

constexpr std::size_t kSlack = 8;                       // entries of a table for each row
constexpr std::size_t kLargest = std::size_t{1} << 20;  // entries

}  // namespace

CutCounts::CutCounts(const RankSpace& space, const GroupGate& gate)
    : space_(space), gate_(gate), tables_(space.num_quasi()), inside_(gate.counted()), outside_(gate.counted()) {
  if (!gate.keep_counts() || gate.counted().num_sparse() > 0 || gate.counted().persons() != nullptr) return;
  num_values_ = gate.counted().num_counts();
}

bool CutCounts::Has(std::size_t q) {
  Table& table = tables_[q];
  if (table.question != question_) {
    table.question = question_;
    table.made = usable() && Make(q, table);
  }
  return table.made;
}

bool CutCounts::Make(std::size_t q, Table& table) {
  table.lo = std::numeric_limits<Rank>::max();
  table.hi = -1;
  for (const Place place : rows_) {
    const Rank rank = space_.row(place)[q];
    table.lo = std::min(table.lo, rank);
    table.hi = std::max(table.hi, rank);
  }
  const std::size_t ranks = static_cast<std::size_t>(table.hi - table.lo) + 1;
  if (ranks * num_values_ > std::min(kLargest, kSlack * rows_.size())) return false;
  if (table.below.size() < ranks + 1) table.below.resize(ranks + 1, GroupCounts(gate_.counted()));
  for (std::size_t i = 0; i <= ranks; ++i) table.below[i].Clear();
  for (const Place place : rows_) {
    table.below[static_cast<std::size_t>(space_.row(place)[q] - table.lo) + 1].Add(gate_.row(place));
  }
  for (std::size_t i = 1; i <= ranks; ++i) table.below[i].Merge(table.below[i - 1]);
  return true;
}

bool CutCounts::Admits(std::size_t q, Rank lo, Rank hi, bool outside) {
  const Table& table = tables_[q];
  inside_.Clear();
  inside_.Merge(table.below[static_cast<std::size_t>(std::min(hi, table.hi) - table.lo) + 1]);
  inside_.Split(table.below[static_cast<std::size_t>(std::max(lo, table.lo) - table.lo)]);
  if (!outside) return gate_.model().Admits(inside_);
  outside_.Clear();
  outside_.Merge(table.below[static_cast<std::size_t>(table.hi - table.lo) + 1]);
  outside_.Split(inside_);
  return gate_.model().Admits(outside_);
}

}  // namespace cordon::engine
