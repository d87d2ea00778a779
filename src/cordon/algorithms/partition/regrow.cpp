// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/regrow.h"

#include <algorithm>
#include <limits>

namespace cordon::engine {
namespace {

constexpr float kNoLoss = std::numeric_limits<float>::infinity();
constexpr float kRounding = 1e-4F;  // of a sum of spans that was changed span by span

}  // namespace

Regrowth::Regrowth(const RankSpace& space, GroupGate& gate) : space_(space), gate_(gate), width_(space.num_quasi()) {
  for (std::size_t q = 0; q < width_; ++q) {
    axes_.push_back({space.span_table(q), static_cast<std::size_t>(space.num_ranks(q))});
  }
}

float Regrowth::LossWith(const Side* box, Place row) const {
  const Rank* const ranks = space_.row(row);
  float loss = 0;
  for (std::size_t q = 0; q < width_; ++q) loss += Span(q, std::min(box[q].lo, ranks[q]), std::max(box[q].hi, ranks[q]));
  return loss;
}

void Regrowth::Include(Side* box, Place row) const {
  const Rank* const ranks = space_.row(row);
  for (std::size_t q = 0; q < width_; ++q) {
    box[q].lo = std::min(box[q].lo, ranks[q]);
    box[q].hi = std::max(box[q].hi, ranks[q]);
  }
}

bool Regrowth::Admitted(std::span<const Place> group) {
  if (group.size() < gate_.min_rows() || gate_.rows_decide()) return group.size() >= gate_.min_rows();
  looks_ += group.size();
  return gate_.Admits(group);
}

void Regrowth::Take(std::size_t at, std::vector<Place>& group) {
  group.push_back(rest_[at]);
  const std::size_t last = rest_.size() - 1;
  rest_[at] = rest_[last];
  rest_.pop_back();
  with_[at] = with_[last];
  for (std::size_t q = 0; q < width_; ++q) {
    ranks_[q * stride_ + at] = ranks_[q * stride_ + last];
    spans_[q * stride_ + at] = spans_[q * stride_ + last];
  }
}

// The side of a box has grown: what the box loses with each row of the rest.
void Regrowth::Widen(std::size_t q, Side side) {
  const Rank* const ranks = &ranks_[q * stride_];
  float* const spans = &spans_[q * stride_];
  const auto widen = [&](const auto& span) __attribute__((always_inline)) {
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const float now = span(std::min(side.lo, ranks[i]), std::max(side.hi, ranks[i]));
      with_[i] += now - spans[i];
      spans[i] = now;
    }
  };
  const float* const table = axes_[q].table;
  const std::size_t size = axes_[q].size;
  if (table != nullptr) {
    widen([&](Rank lo, Rank hi) { return table[static_cast<std::size_t>(lo) * size + static_cast<std::size_t>(hi)]; });
  } else {
    widen([&](Rank lo, Rank hi) { return space_.Span(q, lo, hi); });
  }
}

// Its box is the last one. False if the rest is used up before the model admits the group, or if it would lose `limit`.
bool Regrowth::GrowOne(std::vector<Place>& group, double limit, QuickRandom& random) {
  const std::size_t first = boxes_.size();
  boxes_.resize(first + width_);
  Side* const box = &boxes_[first];
  const std::size_t start = random.Below(rest_.size());
  for (std::size_t q = 0; q < width_; ++q) box[q] = {ranks_[q * stride_ + start], ranks_[q * stride_ + start]};
  float loss = LossWith(box, rest_[start]);
  Take(start, group);
  std::fill_n(with_.begin(), rest_.size(), 0.0F);
  for (std::size_t q = 0; q < width_; ++q) {
    std::fill_n(&spans_[q * stride_], rest_.size(), 0.0F);
    Widen(q, box[q]);
  }
  bool admitted = Admitted(group);
  while (!admitted) {
    if (rest_.empty() || loss * static_cast<double>(gate_.min_rows()) >= limit) return false;
    looks_ += rest_.size();
    const auto best = static_cast<std::size_t>(
        std::min_element(with_.begin(), with_.begin() + static_cast<std::ptrdiff_t>(rest_.size())) - with_.begin());
    loss = LossWith(box, rest_[best]);
    for (std::size_t q = 0; q < width_; ++q) {
      const Rank rank = ranks_[q * stride_ + best];
      if (rank >= box[q].lo && rank <= box[q].hi) continue;
      box[q] = {std::min(box[q].lo, rank), std::max(box[q].hi, rank)};
      Widen(q, box[q]);
    }
    Take(best, group);
    // Others that the box holds now cost nothing more: in large groups of hierarchy nodes these are most of the rows. What the
    // box loses with any other row stays the same.
    admitted = Admitted(group);
    for (std::size_t at = 0; at < rest_.size() && !admitted;) {
      if (with_[at] <= loss + kRounding && LossWith(box, rest_[at]) == loss) {
        Include(box, rest_[at]);
        Take(at, group);
        admitted = Admitted(group);
      } else {
        ++at;
      }
    }
  }
  losses_.push_back(loss);
  return true;
}

bool Regrowth::Join(Place row, RowSets& groups, double& cost) {
  double least = kNoLoss;
  std::size_t best = 0;
  looks_ += groups.size();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double with = LossWith(&boxes_[i * width_], row);
    const double more = with + static_cast<double>(groups[i].size()) * (with - losses_[i]);
    if (more >= least) continue;
    if (!gate_.model().monotone()) {
      looks_ += groups[i].size();
      groups[i].push_back(row);
      const bool admitted = gate_.Admits(groups[i]);
      groups[i].pop_back();
      if (!admitted) continue;
    }
    least = more;
    best = i;
  }
  if (least == kNoLoss) return false;
  losses_[best] = LossWith(&boxes_[best * width_], row);
  Include(&boxes_[best * width_], row);
  groups[best].push_back(row);
  cost += least;
  return true;
}

bool Regrowth::Grow(std::span<const Place> rows, double limit, QuickRandom& random, RowSets& groups) {
  groups.clear();
  boxes_.clear();
  losses_.clear();
  rest_.assign(rows.begin(), rows.end());
  looks_ += rows.size();
  stride_ = rows.size();
  with_.resize(stride_);
  spans_.resize(stride_ * width_);
  ranks_.resize(stride_ * width_);
  for (std::size_t i = 0; i < stride_; ++i) {
    const Rank* const ranks = space_.row(rows[i]);
    for (std::size_t q = 0; q < width_; ++q) ranks_[q * stride_ + i] = ranks[q];
  }
  double cost = 0;
  while (rest_.size() >= gate_.min_rows()) {
    std::vector<Place> group;
    group.reserve(gate_.min_rows());
    if (!GrowOne(group, limit - cost, random)) {
      if (!rest_.empty()) return false;
      rest_ = std::move(group);
      break;
    }
    cost += static_cast<double>(losses_.back()) * static_cast<double>(group.size());
    if (cost >= limit) return false;
    groups.push_back(std::move(group));
  }
  if (groups.empty()) return false;
  for (const Place row : rest_) {
    if (!Join(row, groups, cost) || cost >= limit) return false;
  }
  return true;
}

}  // namespace cordon::engine
