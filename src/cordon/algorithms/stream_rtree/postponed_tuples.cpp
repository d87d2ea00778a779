// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/stream_rtree/postponed_tuples.h"

#include <algorithm>
#include <limits>

#include "cordon/algorithms/engine/box_kernels.h"
#include "cordon/algorithms/stream_rtree/release_probability.h"

namespace cordon::engine {

void PostponedTuples::Gather(const LeafStore& leaves, Index slot, const ChainSampler& sampler) {
  leaves.CopyBox(slot, box_lo_, box_hi_);
  sampler.FindWithin(box_lo_, box_hi_, chains_);
  arrivals_.resize(chains_.size());
  points_.resize(leaves.num_axes() * chains_.size());
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    const auto chain = static_cast<std::size_t>(chains_[i]);
    arrivals_[i] = sampler.arrival(chain);
    const double* point = sampler.point(chain);
    for (std::size_t axis = 0; axis < leaves.num_axes(); ++axis) points_[axis * chains_.size() + i] = point[axis];
  }
}

double PostponedTuples::SmallPenalty(const LeafStore& leaves, Index tuple, std::int64_t need) {
  const std::size_t size = arrivals_.size();
  const double* point = leaves.point(tuple);
  box_lo_.assign(point, point + leaves.num_axes());
  box_hi_ = box_lo_;
  constexpr double kUsed = std::numeric_limits<double>::infinity();
  used_.resize(size);
  for (std::size_t i = 0; i < size; ++i) used_[i] = arrivals_[i] == leaves.tuple(tuple).position ? kUsed : 0;
  double penalty = 0;
  for (std::int64_t round = 0; round < need; ++round) {
    penalties_ = used_;
    for (std::size_t axis = 0; axis < leaves.num_axes(); ++axis) {
      const double* points = points_.data() + axis * size;
      internal::AddWidths(points, points, box_lo_[axis], box_hi_[axis], leaves.scales()[axis], penalties_.data(), size);
    }
    std::size_t best = 0;
    penalty = kUsed;
    for (std::size_t i = 0; i < size; ++i) {
      if (penalties_[i] >= penalty) continue;
      best = i;
      penalty = penalties_[i];
    }
    if (penalty == kUsed) return penalty;
    used_[best] = kUsed;
    for (std::size_t axis = 0; axis < leaves.num_axes(); ++axis) {
      box_lo_[axis] = std::min(box_lo_[axis], points_[axis * size + best]);
      box_hi_[axis] = std::max(box_hi_[axis], points_[axis * size + best]);
    }
  }
  return penalty;
}

void PostponedTuples::Select(const LeafStore& leaves, Index slot, const ChainSampler& sampler, const Rules& rules,
                             std::vector<Index>& held) {
  const LeafStore::Leaf& leaf = leaves.leaf(slot);
  const std::int64_t most = leaf.size - rules.k;
  if (most <= 0) return;
  Gather(leaves, slot, sampler);
  candidates_.clear();
  for (const Index tuple : leaves.members(slot)) {
    const LeafStore::Waiting& waiting = leaves.tuple(tuple);
    if (waiting.holds >= rules.max_holds || waiting.position < rules.not_before) continue;
    const double small = SmallPenalty(leaves, tuple, rules.need);
    if (small == std::numeric_limits<double>::infinity()) continue;
    const double time = HoldTime(leaf.penalty, small, rules.log_growth);
    if (time > 1) candidates_.push_back({time, waiting.position, tuple});
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return a.time != b.time ? a.time > b.time : a.position > b.position;
  });
  // What stays must still have enough different values.
  std::vector<Index> staying(leaves.members(slot).begin(), leaves.members(slot).end());
  for (const Candidate& candidate : candidates_) {
    if (static_cast<std::int64_t>(staying.size()) == rules.k) return;
    std::erase(staying, candidate.tuple);
    if (leaves.Diverse(staying)) {
      held.push_back(candidate.tuple);
    } else {
      staying.push_back(candidate.tuple);
    }
  }
}

}  // namespace cordon::engine
