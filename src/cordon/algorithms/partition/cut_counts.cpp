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
  ranks_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Rank rank = space_.row(rows_[i])[q];
    ranks_[i] = rank;
    table.lo = std::min(table.lo, rank);
    table.hi = std::max(table.hi, rank);
  }
  const std::size_t ranks = static_cast<std::size_t>(table.hi - table.lo) + 1;
  if (ranks * num_values_ > std::min(kLargest, kSlack * rows_.size())) return false;
  // Rows rank by rank: one histogram at a time stays in the cache.
  begins_.assign(ranks + 1, 0);
  for (const Rank rank : ranks_) ++begins_[static_cast<std::size_t>(rank - table.lo) + 1];
  for (std::size_t i = 1; i <= ranks; ++i) begins_[i] += begins_[i - 1];
  by_rank_.resize(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    by_rank_[begins_[static_cast<std::size_t>(ranks_[i] - table.lo)]++] = gate_.row(rows_[i]);
  }
  if (table.below.size() < ranks + 1) table.below.resize(ranks + 1, GroupCounts(gate_.counted()));
  table.below[0].Clear();
  for (std::size_t i = 0, begin = 0; i < ranks; begin = begins_[i++]) {  // begins_[i] is now where the next rank begins
    GroupCounts& below = table.below[i + 1];
    below.Clear();
    below.Merge(table.below[i]);
    below.Add(std::span(by_rank_).subspan(begin, begins_[i] - begin));
  }
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
