// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/cut_counts.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace cordon::engine {
namespace {

constexpr std::size_t kSlack = 8;                       // entries of a table for each row
constexpr std::size_t kLargest = std::size_t{1} << 20;  // entries

}  // namespace

CutCounts::CutCounts(const RankSpace& space, const GroupGate& gate, const CutRows& rows)
    : gate_(gate),
      rows_(rows),
      num_counts_(gate.counted().num_counts()),
      tables_(space.num_quasi()),
      inside_(num_counts_),
      outside_(num_counts_),
      group_(gate.counted()) {
  if (usable()) num_first_ = static_cast<std::size_t>(gate.counted().histogram_size(0));
}

void CutCounts::Begin(std::size_t begin, std::size_t size) {
  begin_ = begin;
  size_ = size;
  ++question_;
  counted_ = false;
  all_.clear();
}

// f(rank, value, weight) of every value of every row.
template <typename Function>
void CutCounts::ForEachValue(std::size_t q, const Function& f) const {
  const std::uint16_t* values = rows_.values(begin_);
  const std::uint32_t* const weights = rows_.weights(begin_);
  const std::size_t num_values = rows_.num_values();
  const std::size_t width = rows_.width();
  rows_.WithLanes(begin_, [&](const auto* lanes) {
    lanes += q;
    if (num_values == 1 && weights == nullptr) {
      for (std::size_t i = 0; i < size_; ++i, lanes += width) f(static_cast<Rank>(*lanes), values[i], 1);
      return;
    }
    for (std::size_t i = 0; i < size_; ++i, lanes += width) {
      const Count weight = weights == nullptr ? 1 : weights[i];
      for (std::size_t value = 0; value < num_values; ++value) f(static_cast<Rank>(*lanes), *values++, weight);
    }
  });
}

bool CutCounts::MakeTable(std::size_t q, Table& table) {
  table.lo = std::numeric_limits<Rank>::max();
  table.hi = -1;
  ForEachValue(q, [&](Rank rank, std::uint16_t, Count) {
    table.lo = std::min(table.lo, rank);
    table.hi = std::max(table.hi, rank);
  });
  const std::size_t ranks = static_cast<std::size_t>(table.hi - table.lo) + 1;
  if (ranks * num_counts_ > std::min(kLargest, kSlack * size_)) return false;
  table.below.assign((ranks + 1) * num_counts_, 0);
  Count* const at = table.below.data() + num_counts_;
  const Rank least = table.lo;
  const std::size_t num_counts = num_counts_;
  ForEachValue(q, [&](Rank rank, std::uint16_t value, Count weight) {
    at[static_cast<std::size_t>(rank - least) * num_counts + value] += weight;
  });
  for (std::size_t i = num_counts_; i < table.below.size(); ++i) table.below[i] += table.below[i - num_counts_];
  return true;
}

void CutCounts::CountInside(std::size_t q, Rank lo, Rank hi) {
  if (counted_ && attribute_ == q && lo_ == lo && hi_ == hi) return;
  counted_ = true;
  attribute_ = q;
  lo_ = lo;
  hi_ = hi;
  Table& table = tables_[q];
  if (table.question != question_) {
    table.question = question_;
    table.made = false;
  } else if (!table.made) {
    table.made = MakeTable(q, table);
  }
  if (table.made) {
    const Count* const upper = &table.below[(static_cast<std::size_t>(std::min(hi, table.hi) - table.lo) + 1) * num_counts_];
    const Count* const lower = &table.below[static_cast<std::size_t>(std::max(lo, table.lo) - table.lo) * num_counts_];
    for (std::size_t i = 0; i < num_counts_; ++i) inside_[i] = upper[i] - lower[i];
    return;
  }
  std::fill(inside_.begin(), inside_.end(), 0);
  Count* const inside = inside_.data();
  ForEachValue(q,
               [&](Rank rank, std::uint16_t value, Count weight) { inside[value] += rank >= lo && rank <= hi ? weight : 0; });
}

bool CutCounts::Admits(std::span<const Count> counts) {
  group_.Set(std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(num_first_), std::int64_t{0}),
             counts);
  return gate_.model().Admits(group_);
}

bool CutCounts::AdmitsInside(std::size_t q, Rank lo, Rank hi) {
  CountInside(q, lo, hi);
  return Admits(inside_);
}

bool CutCounts::AdmitsOutside(std::size_t q, Rank lo, Rank hi) {
  CountInside(q, lo, hi);
  if (all_.empty()) {
    all_.assign(num_counts_, 0);
    Count* const all = all_.data();
    ForEachValue(q, [&](Rank, std::uint16_t value, Count weight) { all[value] += weight; });
  }
  for (std::size_t i = 0; i < num_counts_; ++i) outside_[i] = all_[i] - inside_[i];
  return Admits(outside_);
}

}  // namespace cordon::engine
