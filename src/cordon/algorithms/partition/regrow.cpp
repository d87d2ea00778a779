// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/regrow.h"

#include <algorithm>
#include <limits>

namespace cordon::engine {
namespace {

constexpr float kNoLoss = std::numeric_limits<float>::infinity();

}  // namespace

Regrowth::Regrowth(const RankSpace& space, GroupGate& gate) : space_(space), gate_(gate), width_(space.num_quasi()) {
  for (std::size_t q = 0; q < width_; ++q) {
    axes_.push_back({space.span_table(q), static_cast<std::size_t>(space.num_ranks(q))});
  }
}

float Regrowth::LossWith(const Side* box, Place row, float enough) const {
  const Rank* const ranks = space_.row(row);
  float loss = 0;
  for (std::size_t q = 0; q < width_; ++q) {
    loss += Span(q, std::min(box[q].lo, ranks[q]), std::max(box[q].hi, ranks[q]));
    if (loss > enough) break;
  }
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

void Regrowth::Take(std::size_t at, std::vector<Place>& group, Side* box) {
  Include(box, rest_[at]);
  group.push_back(rest_[at]);
  rest_[at] = rest_.back();
  rest_.pop_back();
  with_[at] = with_[rest_.size()];
}

// Its box is the last one. False if the rest is used up before the model admits the group.
bool Regrowth::GrowOne(std::vector<Place>& group, QuickRandom& random) {
  const std::size_t first = boxes_.size();
  boxes_.resize(first + width_, {kHighestRank, -1});
  Side* const box = &boxes_[first];
  with_.resize(rest_.size());
  Take(random.Below(rest_.size()), group, box);
  float loss = 0;
  for (std::size_t q = 0; q < width_; ++q) loss += Span(q, box[q].lo, box[q].hi);
  bool admitted = Admitted(group);
  while (!admitted) {
    if (rest_.empty()) return false;
    float least = kNoLoss;
    std::size_t best = 0;
    looks_ += rest_.size();
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      with_[at] = LossWith(box, rest_[at], least);
      if (with_[at] >= least) continue;
      least = with_[at];
      best = at;
    }
    Take(best, group, box);
    loss = least;
    // Others that the box holds now cost nothing more: in large groups of hierarchy nodes these are most of the rows.
    admitted = Admitted(group);
    for (std::size_t at = 0; at < rest_.size() && !admitted;) {
      if (with_[at] == least && LossWith(box, rest_[at], least) == least) {
        Take(at, group, box);
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
    const double with = LossWith(&boxes_[i * width_], row, kNoLoss);
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
  losses_[best] = LossWith(&boxes_[best * width_], row, kNoLoss);
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
  double cost = 0;
  while (rest_.size() >= gate_.min_rows()) {
    std::vector<Place> group;
    group.reserve(gate_.min_rows());
    if (!GrowOne(group, random)) {
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
