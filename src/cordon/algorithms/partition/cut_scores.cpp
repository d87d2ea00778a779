// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/cut_scores.h"

#include <algorithm>

#include "cordon/algorithms/partition/rank_lanes.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxValues = 4096;
constexpr std::size_t kBins = 256;
constexpr std::size_t kMaxKept = std::size_t{1} << 22;  // lanes of rows that stay allocated

template <typename Value>
void Grow(std::vector<Value>& values, std::size_t size) {
  if (values.size() < size) values.resize(size);
}

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
double CutScores<Lane>::Find(std::span<const Place> rows, double price, Wanted wanted, std::vector<PartitionCut>& cuts) {
  cuts.clear();
  cuts_ = &cuts;
  price_ = price;
  wanted_ = wanted;
  TakeRows(rows);
  const double whole = BoxLoss(box_.data(), rows.size());
  below_ = whole - kGainMargin;
  if (whole >= kGainMargin && rows.size() >= (price < 0 ? 2 : 1) * gate_.min_rows()) {
    for (std::size_t q = 0; q < d_; ++q) {
      if (box_[q] < box_[width_ + q]) ScoreAttribute(rows.size(), q);
    }
  }
  if (rows_.size() > kMaxKept) rows_ = {};
  return whole;
}

template <typename Lane>
void CutScores<Lane>::TakeRows(std::span<const Place> rows) {
  Grow(rows_, rows.size() * width_);
  internal::RankLanes<Lane>::Empty(box_.data(), width_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Rank* const from = space_.row(rows[i]);
    Lane* const to = &rows_[i * width_];
    for (std::size_t q = 0; q < d_; ++q) to[q] = static_cast<Lane>(from[q]);
    internal::RankLanes<Lane>::Include(box_.data(), to, width_);
  }
  if (!gate_.has_masks()) return;
  Grow(masks_, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) masks_[i] = gate_.Mask(rows[i]);
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

// The values that occur, or bins of them if a numeric attribute has very many.
template <typename Lane>
void CutScores<Lane>::FindValues(std::size_t num_rows, std::size_t q) {
  const Rank lo = box_[q];
  const auto width = static_cast<std::size_t>(box_[width_ + q] - lo) + 1;
  values_.clear();
  last_.clear();
  Grow(slot_, width);
  if (width <= 4 * num_rows + 64) {
    seen_.assign(width, 0);
    for (std::size_t i = 0; i < num_rows; ++i) ++seen_[static_cast<std::size_t>(rank(i, q) - lo)];
    std::size_t bin_rows = 1;
    if (width > kMaxValues && !space_.has_nodes(q)) {
      const auto distinct = width - static_cast<std::size_t>(std::count(seen_.begin(), seen_.end(), 0U));
      if (distinct > kMaxValues) bin_rows = num_rows / kBins + 1;
    }
    std::size_t filled = bin_rows;
    for (std::size_t i = 0; i < width; ++i) {
      if (seen_[i] == 0) continue;
      if (filled >= bin_rows) {
        values_.push_back(lo + static_cast<Rank>(i));
        last_.push_back(0);
        filled = 0;
      }
      filled += seen_[i];
      last_.back() = lo + static_cast<Rank>(i);
      slot_[i] = static_cast<std::uint32_t>(values_.size() - 1);
    }
    return;
  }
  for (std::size_t i = 0; i < num_rows; ++i) values_.push_back(rank(i, q));
  std::sort(values_.begin(), values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
  last_ = values_;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    slot_[static_cast<std::size_t>(values_[i] - lo)] = static_cast<std::uint32_t>(i);
  }
}

// A box and a count for each value, and for all before and all from there on.
template <typename Lane>
void CutScores<Lane>::SumUp(std::size_t num_rows, std::size_t q) {
  const std::size_t size = 2 * width_;
  const std::size_t n = values_.size();
  const Rank lo = box_[q];
  Grow(at_, size * n);
  Grow(prefix_, size * (n + 1));
  Grow(suffix_, size * (n + 1));
  count_before_.assign(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) internal::RankLanes<Lane>::Empty(&at_[size * i], width_);
  for (std::size_t i = 0; i < num_rows; ++i) {
    const std::uint32_t slot = slot_[static_cast<std::size_t>(rank(i, q) - lo)];
    internal::RankLanes<Lane>::Include(&at_[size * slot], &rows_[i * width_], width_);
    ++count_before_[slot + 1];
  }
  internal::RankLanes<Lane>::Empty(prefix_.data(), width_);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(&prefix_[size * i], size, &prefix_[size * (i + 1)]);
    internal::RankLanes<Lane>::Unite(&prefix_[size * (i + 1)], &at_[size * i], width_);
    count_before_[i + 1] += count_before_[i];
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
  for (std::size_t i = 0; i < num_rows; ++i) mask_at_[slot_[static_cast<std::size_t>(rank(i, q) - lo)]] |= masks_[i];
  for (std::size_t i = 0; i < n; ++i) mask_before_[i + 1] = mask_before_[i] | mask_at_[i];
  for (std::size_t i = n; i-- > 0;) mask_from_[i] = mask_from_[i + 1] | mask_at_[i];
}

template <typename Lane>
void CutScores<Lane>::ScoreAttribute(std::size_t num_rows, std::size_t q) {
  FindValues(num_rows, q);
  SumUp(num_rows, q);
  if (space_.has_nodes(q)) return ScoreNodes(q);
  for (std::size_t i = 1; i < values_.size(); ++i) Score(q, 0, i - 1);
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
