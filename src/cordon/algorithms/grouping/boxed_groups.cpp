// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/grouping/boxed_groups.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace cordon::engine {
namespace {

constexpr std::size_t kCountedRows = 128;  // from here on a group counts its ranks, as looking at all rows takes longer
constexpr std::size_t kRanksPerRow = 4;    // unless the domains are so large that the counts would take more memory than rows

}  // namespace

template <typename Loss>
double BoxedGroups<Loss>::total() const {
  double sum = 0;
  for (GroupId g = 0; g < groups_.size(); ++g) sum += total(g);
  return sum;
}

template <typename Loss>
GroupId BoxedGroups<Loss>::Add(std::vector<Place> rows) {
  const auto g = static_cast<GroupId>(groups_.size());
  groups_.emplace_back();
  ends_.resize(ends_.size() + 4 * d_);
  Replace(g, std::move(rows));
  return g;
}

template <typename Loss>
void BoxedGroups<Loss>::Replace(GroupId g, std::vector<Place> rows) {
  Group& group = groups_[g];
  group.rows = std::move(rows);
  group.of_rank = {};
  group.of_bit = {};
  group.dirty = true;
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    places_.group[group.rows[i]] = g;
    places_.at[group.rows[i]] = static_cast<std::uint32_t>(i);
  }
  if (gate_.keep_counts()) {
    if (group.counts == nullptr) group.counts = std::make_unique<GroupCounts>(gate_.counted());
    gate_.Count(group.rows, *group.counts);
    group.room = kUnknown;
  }
  Settle(g);
}

template <typename Loss>
void BoxedGroups<Loss>::Settle(GroupId g) {
  for (std::size_t q = 0; q < d_; ++q) Rescan(g, q);
  groups_[g].loss = groups_[g].rows.empty() ? 0 : BoxLoss(g);
}

template <typename Loss>
void BoxedGroups<Loss>::Rescan(GroupId g, std::size_t q) {
  Rank lo1 = kHighestRank;
  Rank lo2 = kHighestRank;
  Rank hi1 = -1;
  Rank hi2 = -1;
  for (const Place row : groups_[g].rows) {
    const Rank rank = space_.row(row)[q];
    if (rank < lo1) {
      lo2 = lo1;
      lo1 = rank;
    } else {
      lo2 = std::min(lo2, rank);
    }
    if (rank > hi1) {
      hi2 = hi1;
      hi1 = rank;
    } else {
      hi2 = std::max(hi2, rank);
    }
  }
  Rank* const ends = &ends_[g * 4 * d_ + q];
  ends[0] = lo1;
  ends[d_] = lo2;
  ends[2 * d_] = hi1;
  ends[3 * d_] = hi2;
}

template <typename Loss>
void BoxedGroups<Loss>::CountRanks(Group& group) const {
  group.of_rank.assign(first_rank_[d_], 0);
  for (const Place row : group.rows) {
    const Rank* const ranks = space_.row(row);
    for (std::size_t q = 0; q < d_; ++q) ++group.of_rank[first_rank_[q] + static_cast<std::size_t>(ranks[q])];
  }
}

template <typename Loss>
void BoxedGroups<Loss>::CountBits(Group& group, Place row, bool more) const {
  for (std::uint64_t mask = gate_.Mask(row); mask != 0; mask &= mask - 1) {
    group.of_bit[static_cast<std::size_t>(std::countr_zero(mask))] += more ? 1U : ~0U;
  }
}

// If one value is that of nearly all rows it takes long to find the others: large groups count them.
template <typename Loss>
bool BoxedGroups<Loss>::AdmittedWithout(Group& group, Place row) const {
  if (group.of_bit.empty()) {
    group.of_bit.assign(64, 0);
    for (const Place each : group.rows) CountBits(group, each, true);
  }
  const std::uint64_t leaving = gate_.Mask(row);
  std::uint64_t left = 0;
  for (std::size_t bit = 0; bit < group.of_bit.size(); ++bit) {
    const std::uint32_t one = (leaving >> bit & 1) != 0 ? 1 : 0;
    if (group.of_bit[bit] > one) left |= std::uint64_t{1} << bit;
  }
  return gate_.AdmitsMask(left);
}

// After a row has left: the ends are where they were or further inside. REQUIRES: some row is left.
template <typename Loss>
void BoxedGroups<Loss>::MoveEnds(GroupId g, std::size_t q) {
  const std::uint32_t* const count = &groups_[g].of_rank[first_rank_[q]];
  Rank* const ends = &ends_[g * 4 * d_ + q];
  const bool single = groups_[g].rows.size() == 1;
  Rank lo = ends[0];
  while (count[lo] == 0) ++lo;
  Rank hi = ends[2 * d_];
  while (count[hi] == 0) --hi;
  Rank lo2 = lo;
  if (count[lo] < 2 && !single) {
    do ++lo2;
    while (count[lo2] == 0);
  }
  Rank hi2 = hi;
  if (count[hi] < 2 && !single) {
    do --hi2;
    while (count[hi2] == 0);
  }
  ends[0] = lo;
  ends[d_] = single ? kHighestRank : lo2;
  ends[2 * d_] = hi;
  ends[3 * d_] = single ? -1 : hi2;
}

template <typename Loss>
Loss BoxedGroups<Loss>::BoxLoss(GroupId g) const {
  const Rank* const low = lows(g);
  const Rank* const high = highs(g);
  return Sum([&](std::size_t q) { return low[q]; }, [&](std::size_t q) { return high[q]; });
}

template <typename Loss>
void BoxedGroups<Loss>::Insert(GroupId g, Place row) {
  Group& group = groups_[g];
  places_.group[row] = g;
  places_.at[row] = static_cast<std::uint32_t>(group.rows.size());
  group.rows.push_back(row);
  group.dirty = true;
  if (group.counts != nullptr) group.counts->Add(gate_.row(row));
  group.room = group.room > 0 ? group.room - 1 : kUnknown;
  if (!group.of_bit.empty()) CountBits(group, row, true);
  Rank* const ends = &ends_[g * 4 * d_];
  const Rank* const ranks = space_.row(row);
  for (std::size_t q = 0; q < d_; ++q) {
    const Rank rank = ranks[q];
    if (!group.of_rank.empty()) ++group.of_rank[first_rank_[q] + static_cast<std::size_t>(rank)];
    if (rank < ends[q]) {
      ends[d_ + q] = ends[q];
      ends[q] = rank;
    } else if (rank < ends[d_ + q]) {
      ends[d_ + q] = rank;
    }
    if (rank > ends[2 * d_ + q]) {
      ends[3 * d_ + q] = ends[2 * d_ + q];
      ends[2 * d_ + q] = rank;
    } else if (rank > ends[3 * d_ + q]) {
      ends[3 * d_ + q] = rank;
    }
  }
  group.loss = BoxLoss(g);
}

template <typename Loss>
void BoxedGroups<Loss>::Remove(Place row) {
  const GroupId g = places_.group[row];
  Group& group = groups_[g];
  const std::uint32_t at = places_.at[row];
  group.rows[at] = group.rows.back();
  places_.at[group.rows[at]] = at;
  group.rows.pop_back();
  places_.group[row] = kNoGroup;
  group.dirty = true;
  if (group.counts != nullptr) group.counts->Remove(gate_.row(row));
  group.room = group.room > 0 ? group.room - 1 : kUnknown;
  if (!group.of_bit.empty()) CountBits(group, row, false);
  if (group.rows.empty()) return Settle(g);
  const Rank* const ends = &ends_[g * 4 * d_];
  const Rank* const ranks = space_.row(row);
  if (!group.of_rank.empty()) {
    for (std::size_t q = 0; q < d_; ++q) --group.of_rank[first_rank_[q] + static_cast<std::size_t>(ranks[q])];
  } else if (group.rows.size() >= kCountedRows && group.rows.size() * kRanksPerRow >= first_rank_[d_]) {
    CountRanks(group);
  }
  const bool several = group.rows.size() > 1;
  bool moved = false;
  for (std::size_t q = 0; q < d_; ++q) {
    if (several && ends[q] == ends[2 * d_ + q]) continue;  // all are equal, and stay so
    if (ranks[q] > ends[d_ + q] && ranks[q] < ends[3 * d_ + q]) continue;
    moved = true;
    if (group.of_rank.empty()) {
      Rescan(g, q);
    } else {
      MoveEnds(g, q);
    }
  }
  if (moved) group.loss = BoxLoss(g);
}

template <typename Loss>
void BoxedGroups<Loss>::Swap(Place a, Place b) {
  const GroupId of_a = places_.group[a];
  const GroupId of_b = places_.group[b];
  Remove(a);
  Remove(b);
  Insert(of_b, a);
  Insert(of_a, b);
}

template <typename Loss>
Loss BoxedGroups<Loss>::LossWith(GroupId g, const Rank* in) const {
  const Rank* const lo = lows(g);
  const Rank* const hi = highs(g);
  return Sum([&](std::size_t q) { return std::min(in[q], lo[q]); }, [&](std::size_t q) { return std::max(in[q], hi[q]); });
}

template <typename Loss>
Loss BoxedGroups<Loss>::LossWithout(GroupId g, Place out) const {
  if (groups_[g].rows.size() == 1) return 0;
  const Rank* const lo = lows(g);
  const Rank* const hi = highs(g);
  const Rank* const gone = space_.row(out);
  return Sum([&](std::size_t q) { return gone[q] == lo[q] ? lo[d_ + q] : lo[q]; },
             [&](std::size_t q) { return gone[q] == hi[q] ? hi[d_ + q] : hi[q]; });
}

// Of a group of one row the second ends are out of any range and give way to the row that comes.
template <typename Loss>
Loss BoxedGroups<Loss>::LossSwapped(GroupId g, Place out, Place in) const {
  const Rank* const lo = lows(g);
  const Rank* const hi = highs(g);
  const Rank* const gone = space_.row(out);
  const Rank* const come = space_.row(in);
  return Sum([&](std::size_t q) { return std::min(come[q], gone[q] == lo[q] ? lo[d_ + q] : lo[q]); },
             [&](std::size_t q) { return std::max(come[q], gone[q] == hi[q] ? hi[d_ + q] : hi[q]); });
}

template <typename Loss>
Loss BoxedGroups<Loss>::LeastLossSwapped(GroupId g, Place in) const {
  const Rank* const lo = lows(g) + d_;
  const Rank* const hi = highs(g) + d_;
  const Rank* const come = space_.row(in);
  return Sum([&](std::size_t q) { return std::min(come[q], lo[q]); }, [&](std::size_t q) { return std::max(come[q], hi[q]); });
}

template <typename Loss>
Loss BoxedGroups<Loss>::LossMerged(GroupId a, GroupId b) const {
  return Sum([&](std::size_t q) { return std::min(lo(a, q), lo(b, q)); },
             [&](std::size_t q) { return std::max(hi(a, q), hi(b, q)); });
}

// Whether this many rows may come or go whichever they are: then the model need not be asked. Worth it if that takes long.
template <typename Loss>
bool BoxedGroups<Loss>::HasRoom(Group& group, std::int64_t rows) const {
  if (!gate_.asks_long() || group.rows.size() < kCountedRows) return false;
  if (group.room == kUnknown) group.room = gate_.model().Room(*group.counts);
  return group.room >= rows;
}

template <typename Loss>
bool BoxedGroups<Loss>::CanRemove(GroupId g, Place row) {
  Group& group = groups_[g];
  if (group.rows.size() <= gate_.min_rows()) return false;
  if (gate_.has_masks() && group.rows.size() >= kCountedRows) return AdmittedWithout(group, row);
  if (group.counts == nullptr) return gate_.Admits(group.rows, row);
  if (HasRoom(group, 1)) return true;
  group.counts->Remove(gate_.row(row));
  const bool can = gate_.model().Admits(*group.counts);
  group.counts->Add(gate_.row(row));
  return can;
}

template <typename Loss>
bool BoxedGroups<Loss>::CanInsert(GroupId g, Place row) {
  Group& group = groups_[g];
  if (gate_.model().monotone()) return true;
  if (group.counts == nullptr) return gate_.Admits(group.rows, {}, row);
  if (HasRoom(group, 1)) return true;
  group.counts->Add(gate_.row(row));
  const bool can = gate_.model().Admits(*group.counts);
  group.counts->Remove(gate_.row(row));
  return can;
}

template <typename Loss>
bool BoxedGroups<Loss>::CanSwap(GroupId g, Place out, Place in) {
  Group& group = groups_[g];
  if (gate_.Exchangeable(out, in)) return true;
  if (group.counts == nullptr) return gate_.Admits(group.rows, out, in);
  if (HasRoom(group, 2)) return true;
  group.counts->Remove(gate_.row(out));
  group.counts->Add(gate_.row(in));
  const bool can = gate_.model().Admits(*group.counts);
  group.counts->Remove(gate_.row(in));
  group.counts->Add(gate_.row(out));
  return can;
}

template <typename Loss>
bool BoxedGroups<Loss>::Admitted(GroupId g) const {
  const Group& group = groups_[g];
  if (group.rows.empty()) return true;
  return group.counts == nullptr ? gate_.Admits(group.rows) : gate_.model().Admits(*group.counts);
}

template class BoxedGroups<float>;
template class BoxedGroups<double>;

}  // namespace cordon::engine
