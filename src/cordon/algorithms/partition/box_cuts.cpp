// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/box_cuts.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cordon/algorithms/partition/rank_lanes.h"

namespace cordon::engine {
namespace {

constexpr double kNoCut = std::numeric_limits<double>::infinity();
constexpr double kEqualScore = 1e-12;

template <typename Lane>
class LaneCuts final : public BoxCuts {
 public:
  LaneCuts(const RankSpace& space, const PartitionTuning& tuning)
      : space_(space),
        d_(space.num_quasi()),
        width_(Lanes::Width(d_)),
        num_buckets_(tuning.tree_buckets),
        sample_(tuning.tree_sample),
        side_(2 * width_) {}

  void Resize(std::size_t num_boxes) override { boxes_.assign(num_boxes * 2 * width_, 0); }

  void Set(std::size_t box, const Rank* lows, const Rank* highs) override {
    Lane* const to = &boxes_[box * 2 * width_];
    for (std::size_t q = 0; q < d_; ++q) {
      to[q] = static_cast<Lane>(lows[q]);
      to[width_ + q] = static_cast<Lane>(highs[q]);
    }
  }

  std::size_t Cut(std::span<std::uint32_t> boxes) override {
    const std::size_t half = boxes.size() / 2;
    if (boxes.size() == 2) return half;
    seen_.clear();
    const std::size_t step = std::max<std::size_t>(boxes.size() / sample_, 1);
    for (std::size_t i = 0; i < boxes.size(); i += step) seen_.push_back(boxes[i]);
    Found best;
    for (std::size_t q = 0; q < d_; ++q) TryCuts(q, best);
    if (best.score == kNoCut) return half;  // all alike
    const auto middle = std::stable_partition(boxes.begin(), boxes.end(),
                                              [&](std::uint32_t box) { return Key(box, best.attribute) < best.threshold; });
    return static_cast<std::size_t>(middle - boxes.begin());
  }

 private:
  using Lanes = internal::RankLanes<Lane>;
  using Wide = std::conditional_t<sizeof(Lane) == 2, std::uint32_t, std::uint64_t>;
  struct Found {
    double score = kNoCut;
    std::size_t attribute = 0;
    Wide threshold = 0;  // of lo + hi: boxes below it are one side
  };

  Wide Key(std::uint32_t box, std::size_t q) const {
    const Lane* const lanes = &boxes_[box * 2 * width_];
    return static_cast<Wide>(lanes[q]) + static_cast<Wide>(lanes[width_ + q]);
  }

  // Boxes in the order of lo + hi, in buckets of about equal size; between any two of them is a cut.
  void TryCuts(std::size_t q, Found& best) {
    const std::size_t size = seen_.size();
    keys_.resize(size);
    for (std::size_t i = 0; i < size; ++i) keys_[i] = Key(seen_[i], q);
    const auto [least, most] = std::minmax_element(keys_.begin(), keys_.end());
    const Wide lo = *least;
    const Wide hi = *most;
    if (lo == hi) return;
    const Wide step = (hi - lo) / static_cast<Wide>(4 * size + 16) + 1;  // keys of a bin
    for (Wide& key : keys_) key = step == 1 ? key - lo : (key - lo) / step;
    in_bin_.assign(static_cast<std::size_t>((hi - lo) / step) + 1, 0);
    for (const Wide bin : keys_) ++in_bin_[bin];
    bucket_of_.resize(in_bin_.size());
    first_bin_.clear();
    in_bucket_.clear();
    for (std::size_t bin = 0; bin < in_bin_.size(); ++bin) {
      if (in_bucket_.empty() || in_bucket_.back() * num_buckets_ >= size) {
        in_bucket_.push_back(0);
        first_bin_.push_back(bin);
      }
      in_bucket_.back() += in_bin_[bin];
      bucket_of_[bin] = static_cast<std::uint32_t>(in_bucket_.size() - 1);
    }
    const std::size_t count = in_bucket_.size();
    buckets_.resize(count * 2 * width_);
    for (std::size_t bucket = 0; bucket < count; ++bucket) Lanes::Empty(&buckets_[bucket * 2 * width_], width_);
    for (std::size_t i = 0; i < size; ++i) {
      Lanes::Unite(&buckets_[bucket_of_[keys_[i]] * 2 * width_], &boxes_[seen_[i] * 2 * width_], width_);
    }
    left_.assign(count, 0);
    Lanes::Empty(side_.data(), width_);
    std::size_t below = 0;
    for (std::size_t bucket = 0; bucket + 1 < count; ++bucket) {
      below += in_bucket_[bucket];
      left_[bucket + 1] = LossWith(bucket) * static_cast<double>(below);
    }
    Lanes::Empty(side_.data(), width_);
    std::size_t above = 0;
    for (std::size_t bucket = count; bucket-- > 1;) {
      above += in_bucket_[bucket];
      if (in_bucket_[bucket] == 0) continue;  // the last of them may have none
      const double score = left_[bucket] + LossWith(bucket) * static_cast<double>(above);
      if (std::min(above, size - above) * num_buckets_ < size) continue;
      if (score < best.score - kEqualScore) best = {score, q, lo + static_cast<Wide>(first_bin_[bucket]) * step};
    }
  }

  // Of the side, which takes up the bucket.
  double LossWith(std::size_t bucket) {
    Lanes::Unite(side_.data(), &buckets_[bucket * 2 * width_], width_);
    double sum = 0;
    for (std::size_t q = 0; q < d_; ++q) sum += space_.Span(q, side_[q], side_[width_ + q]);
    return sum;
  }

  const RankSpace& space_;
  std::size_t d_;
  std::size_t width_;
  std::size_t num_buckets_;
  std::size_t sample_;
  std::vector<Lane> boxes_;
  std::vector<std::uint32_t> seen_;
  // Along one attribute: boxes by bins of their keys, bins by buckets.
  std::vector<Wide> keys_;
  std::vector<std::uint32_t> in_bin_;
  std::vector<std::uint32_t> bucket_of_;
  std::vector<std::uint32_t> in_bucket_;
  std::vector<std::size_t> first_bin_;  // of a bucket
  std::vector<Lane> buckets_;
  std::vector<Lane> side_;
  std::vector<double> left_;
};

}  // namespace

std::unique_ptr<BoxCuts> BoxCuts::Make(const RankSpace& space, const PartitionTuning& tuning) {
  if (space.narrow()) return std::make_unique<LaneCuts<std::int16_t>>(space, tuning);
  return std::make_unique<LaneCuts<std::int32_t>>(space, tuning);
}

std::vector<std::vector<std::uint32_t>> BoxCuts::Parts(std::span<const std::size_t> rows, std::size_t max_rows) {
  std::vector<std::uint32_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::vector<std::uint32_t>> parts;
  std::vector<std::span<std::uint32_t>> open;
  if (!all.empty()) open.emplace_back(all);
  while (!open.empty()) {
    const std::span<std::uint32_t> boxes = open.back();
    open.pop_back();
    std::size_t sum = 0;
    for (const std::uint32_t box : boxes) sum += rows[box];
    if (sum <= max_rows || boxes.size() == 1) {
      parts.emplace_back(boxes.begin(), boxes.end());
      continue;
    }
    const std::size_t cut = Cut(boxes);
    open.push_back(boxes.subspan(cut));
    open.push_back(boxes.first(cut));
  }
  return parts;
}

}  // namespace cordon::engine
