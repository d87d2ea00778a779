// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/cut_scores.h"

#include <algorithm>

#include "cordon/algorithms/partition/rank_lanes.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxValues = 4096;
constexpr std::size_t kBins = 256;
constexpr std::size_t kAtOnce = 2048;  // ranks of the attributes that are looked at together; their boxes stay in the cache

}  // namespace

template <typename Lane>
CutScores<Lane>::CutScores(const RankSpace& space, const GroupGate& gate)
    : space_(space),
      gate_(gate),
      d_(space.num_quasi()),
      width_(internal::RankLanes<Lane>::Width(d_)),
      box_(2 * width_),
      inside_box_(2 * width_),
      outside_box_(2 * width_) {}

template <typename Lane>
double CutScores<Lane>::Find(const Lane* rows, std::span<const Place> places, double price, Wanted wanted,
                             std::vector<PartitionCut>& cuts) {
  cuts.clear();
  cuts_ = &cuts;
  price_ = price;
  wanted_ = wanted;
  rows_ = rows;
  internal::RankLanes<Lane>::Around(rows, places.size(), width_, box_.data());
  if (gate_.has_masks()) {
    internal::Grow(masks_, places.size());
    for (std::size_t i = 0; i < places.size(); ++i) masks_[i] = gate_.Mask(places[i]);
  }
  const double whole = BoxLoss(box_.data(), places.size());
  below_ = whole - kGainMargin;
  if (whole >= kGainMargin && places.size() >= (price < 0 ? 2 : 1) * gate_.min_rows()) {
    along_.clear();
    for (std::size_t q = 0; q < d_; ++q) {
      if (box_[q] >= box_[width_ + q]) continue;
      const Along next{q, box_[q], static_cast<std::size_t>(box_[width_ + q] - box_[q]) + 1, 0};
      if (!along_.empty() && along_.back().slots + along_.back().width + next.width > kAtOnce) {
        ScoreAlong(places.size(), along_);
        along_.clear();
      }
      along_.push_back(next);
      if (along_.size() > 1) along_.back().slots = along_[along_.size() - 2].slots + along_[along_.size() - 2].width;
    }
    ScoreAlong(places.size(), along_);
  }
  return whole;
}

template <typename Lane>
double CutScores<Lane>::BoxLoss(const Lane* box, std::size_t count) const {
  double even = 0;
  double odd = 0;
  std::size_t q = 0;
  for (; q + 2 <= d_; q += 2) {
    even += space_.Span(q, box[q], box[width_ + q]);
    odd += space_.Span(q + 1, box[q + 1], box[width_ + q + 1]);
  }
  if (q < d_) even += space_.Span(q, box[q], box[width_ + q]);
  return (even + odd) * static_cast<double>(count);
}

// Rows are looked at once for several attributes: what one of them waits for, the others need not.
template <typename Lane>
void CutScores<Lane>::ScoreAlong(std::size_t num_rows, std::span<Along> along) {
  if (along.empty()) return;
  const std::size_t width = along.back().slots + along.back().width;
  internal::Grow(slot_, width);
  all_values_.clear();
  all_last_.clear();
  count_at_.clear();
  slots_.clear();
  seen_.assign(width, 0);
  for (const Along& each : along) {
    if (Listed(num_rows, each)) slots_.push_back({each.q, seen_.data() + each.slots - each.lo});
  }
  const Lane* row = rows_;
  for (std::size_t i = 0; i < num_rows; ++i, row += width_) {
    for (const Slots& each : slots_) ++each.of[row[each.q]];
  }
  for (Along& each : along) FindValues(num_rows, each);
  UniteAtValues(num_rows, along);
  for (const Along& each : along) {
    SumUp(num_rows, each);
    if (space_.has_nodes(each.q)) {
      ScoreNodes(each.q);
    } else {
      for (std::size_t i = 1; i < values_.size(); ++i) Score(each.q, 0, i - 1);
    }
  }
}

// The values that occur, or bins of them if a numeric attribute has very many.
template <typename Lane>
void CutScores<Lane>::FindValues(std::size_t num_rows, Along& along) {
  const std::span<const std::uint32_t> seen = std::span(seen_).subspan(along.slots, along.width);
  std::uint32_t* const slot = &slot_[along.slots];
  along.begin = all_values_.size();
  if (Listed(num_rows, along)) {
    std::size_t bin_rows = 1;
    if (along.width > kMaxValues && !space_.has_nodes(along.q)) {
      const auto distinct = along.width - static_cast<std::size_t>(std::count(seen.begin(), seen.end(), 0U));
      if (distinct > kMaxValues) bin_rows = num_rows / kBins + 1;
    }
    std::size_t filled = bin_rows;
    for (std::size_t i = 0; i < along.width; ++i) {
      if (seen[i] == 0) continue;
      if (filled >= bin_rows) {
        all_values_.push_back(along.lo + static_cast<Rank>(i));
        all_last_.push_back(0);
        count_at_.push_back(0);
        filled = 0;
      }
      filled += seen[i];
      count_at_.back() += seen[i];
      all_last_.back() = along.lo + static_cast<Rank>(i);
      slot[i] = static_cast<std::uint32_t>(all_values_.size() - 1);
    }
    along.end = all_values_.size();
    return;
  }
  for (std::size_t i = 0; i < num_rows; ++i) all_values_.push_back(rank(i, along.q));
  const auto first = all_values_.begin() + static_cast<std::ptrdiff_t>(along.begin);
  std::sort(first, all_values_.end());
  for (auto each = first; each != all_values_.end(); ++each) {
    if (each == first || *each != *(each - 1)) count_at_.push_back(0);
    ++count_at_.back();
  }
  all_values_.erase(std::unique(first, all_values_.end()), all_values_.end());
  all_last_.insert(all_last_.end(), first, all_values_.end());
  along.end = all_values_.size();
  for (std::size_t i = along.begin; i < along.end; ++i) {
    slot[static_cast<std::size_t>(all_values_[i] - along.lo)] = static_cast<std::uint32_t>(i);
  }
}

// The box of the rows at each value.
template <typename Lane>
void CutScores<Lane>::UniteAtValues(std::size_t num_rows, std::span<const Along> along) {
  const std::size_t size = 2 * width_;
  internal::Grow(all_at_, size * all_values_.size());
  for (std::size_t i = 0; i < all_values_.size(); ++i) internal::RankLanes<Lane>::Empty(&all_at_[size * i], width_);
  slots_.clear();
  for (const Along& each : along) slots_.push_back({each.q, slot_.data() + each.slots - each.lo});
  if (width_ == internal::RankLanes<Lane>::kLanes) {
    UniteRows<1>(num_rows);
  } else {
    UniteRows<0>(num_rows);
  }
}

// kBlocks: of a row's lanes; 0: any number.
template <typename Lane>
template <std::size_t kBlocks>
void CutScores<Lane>::UniteRows(std::size_t num_rows) {
  const std::size_t width = kBlocks == 0 ? width_ : kBlocks * internal::RankLanes<Lane>::kLanes;
  const std::span<const Slots> slots = slots_;
  Lane* const at = all_at_.data();
  const Lane* row = rows_;
  for (std::size_t i = 0; i < num_rows; ++i, row += width) {
    for (const Slots& each : slots) internal::RankLanes<Lane>::Include(at + 2 * width * each.of[row[each.q]], row, width);
  }
}

// For each value boxes and counts of all before and of all from there on.
template <typename Lane>
void CutScores<Lane>::SumUp(std::size_t num_rows, const Along& along) {
  const std::size_t size = 2 * width_;
  const std::size_t n = along.end - along.begin;
  values_ = std::span(all_values_).subspan(along.begin, n);
  last_ = std::span(all_last_).subspan(along.begin, n);
  at_ = &all_at_[size * along.begin];
  internal::Grow(prefix_, size * (n + 1));
  internal::Grow(suffix_, size * (n + 1));
  internal::Grow(count_before_, n + 1);
  count_before_[0] = 0;
  internal::RankLanes<Lane>::Empty(prefix_.data(), width_);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(&prefix_[size * i], size, &prefix_[size * (i + 1)]);
    internal::RankLanes<Lane>::Unite(&prefix_[size * (i + 1)], &at_[size * i], width_);
    count_before_[i + 1] = count_before_[i] + count_at_[along.begin + i];
  }
  internal::RankLanes<Lane>::Empty(&suffix_[size * n], width_);
  for (std::size_t i = n; i-- > 0;) {
    std::copy_n(&suffix_[size * (i + 1)], size, &suffix_[size * i]);
    internal::RankLanes<Lane>::Unite(&suffix_[size * i], &at_[size * i], width_);
  }
  if (!gate_.has_masks()) return;
  mask_at_.assign(n, 0);
  mask_before_.assign(n + 1, 0);
  mask_from_.assign(n + 1, 0);
  const std::uint32_t* const slot = &slot_[along.slots];
  for (std::size_t i = 0; i < num_rows; ++i) {
    mask_at_[slot[static_cast<std::size_t>(rank(i, along.q) - along.lo)] - along.begin] |= masks_[i];
  }
  for (std::size_t i = 0; i < n; ++i) mask_before_[i + 1] = mask_before_[i] | mask_at_[i];
  for (std::size_t i = n; i-- > 0;) mask_from_[i] = mask_from_[i + 1] | mask_at_[i];
}

// Every node strictly below the common one, at every depth; a chain of nodes over the same values counts once.
template <typename Lane>
void CutScores<Lane>::ScoreNodes(std::size_t q) {
  const std::size_t n = values_.size();
  const auto above = [&](std::size_t i, int depth) { return space_.ancestor(q, values_[i], depth); };
  int depth = 0;
  while (depth < space_.depth(q) && above(0, depth) == above(n - 1, depth)) ++depth;
  const int top = depth;
  for (; depth < space_.depth(q); ++depth) {
    for (std::size_t first = 0; first < n;) {
      const NodeId node = above(first, depth);
      std::size_t last = first;
      while (last + 1 < n && above(last + 1, depth) == node) ++last;
      const bool scored_above = depth > top && (first == 0 || above(first - 1, depth - 1) != above(first, depth - 1)) &&
                                (last + 1 == n || above(last + 1, depth - 1) != above(last, depth - 1));
      if (!scored_above) Score(q, first, last);
      first = last + 1;
    }
  }
}

// The rows at values first..last against the rest.
template <typename Lane>
void CutScores<Lane>::Score(std::size_t q, std::size_t first, std::size_t last) {
  const std::size_t size = 2 * width_;
  const std::uint32_t inside = count_before_[last + 1] - count_before_[first];
  const std::uint32_t outside = count_before_[values_.size()] - inside;
  bool inside_good = inside >= gate_.min_rows();
  bool outside_good = outside >= gate_.min_rows();
  if (gate_.has_masks()) {
    if (inside_good) {
      std::uint64_t mask = first == 0 ? mask_before_[last + 1] : 0;
      for (std::size_t i = first; first > 0 && i <= last; ++i) mask |= mask_at_[i];
      inside_good = gate_.AdmitsMask(mask);
    }
    outside_good = outside_good && gate_.AdmitsMask(mask_before_[first] | mask_from_[last + 1]);
  }
  if (!inside_good && !outside_good) return;
  if (price_ < 0 && !(inside_good && outside_good)) return;
  const Lane* inside_box = &prefix_[size * (last + 1)];
  const Lane* outside_box = &suffix_[size * (last + 1)];
  if (first > 0) {
    std::copy_n(&at_[size * first], size, inside_box_.data());
    for (std::size_t i = first + 1; i <= last; ++i)
      internal::RankLanes<Lane>::Unite(inside_box_.data(), &at_[size * i], width_);
    std::copy_n(&prefix_[size * first], size, outside_box_.data());
    internal::RankLanes<Lane>::Unite(outside_box_.data(), outside_box, width_);
    inside_box = inside_box_.data();
    outside_box = outside_box_.data();
  }
  const PartitionCut cut{0, q, values_[first], last_[last], PartitionCut::Side::kNone};
  const double inside_loss = inside_good ? BoxLoss(inside_box, inside) : 0;
  if (inside_good && outside_good) {
    if (inside_loss < below_) Offer(cut, inside_loss + BoxLoss(outside_box, outside), PartitionCut::Side::kNone);
    // If only the numbers of rows are known to do, either side may still turn out not to be admitted.
    if (price_ < 0 || gate_.exact()) return;
  }
  if (inside_good) Offer(cut, inside_loss + price_ * outside, PartitionCut::Side::kOutside);
  if (outside_good) Offer(cut, BoxLoss(outside_box, outside) + price_ * inside, PartitionCut::Side::kInside);
}

template <typename Lane>
void CutScores<Lane>::Offer(PartitionCut cut, double total, PartitionCut::Side expelled) {
  if (total >= below_) return;
  if (wanted_ == Wanted::kBest) below_ = total;
  cut.total = total;
  cut.expelled = expelled;
  cuts_->push_back(cut);
}

template class CutScores<std::int16_t>;
template class CutScores<std::int32_t>;

}  // namespace cordon::engine
