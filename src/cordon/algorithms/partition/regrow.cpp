// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/regrow.h"

#include <algorithm>
#include <limits>

namespace cordon::engine {
namespace {

constexpr double kNoLoss = std::numeric_limits<double>::infinity();

}  // namespace

double Regrowth::CostOf(std::span<const Place> rows) const {
  double sum = 0;
  for (std::size_t q = 0; q < space_.num_quasi(); ++q) {
    Rank lo = kHighestRank;
    Rank hi = -1;
    for (const Place row : rows) {
      lo = std::min(lo, space_.row(row)[q]);
      hi = std::max(hi, space_.row(row)[q]);
    }
    sum += space_.Span(q, lo, hi);
  }
  return sum * static_cast<double>(rows.size());
}

// False if the rest is used up before the model admits the group.
bool Regrowth::GrowOne(std::vector<Place>& rest, QuickRandom& random, std::vector<Place>& group) {
  const std::size_t width = space_.num_quasi();
  const auto take = [&](std::size_t at) {
    const Rank* const ranks = space_.row(rest[at]);
    for (std::size_t q = 0; q < width; ++q) {
      lo_[q] = group.empty() ? ranks[q] : std::min(lo_[q], ranks[q]);
      hi_[q] = group.empty() ? ranks[q] : std::max(hi_[q], ranks[q]);
    }
    group.push_back(rest[at]);
    rest[at] = rest.back();
    rest.pop_back();
  };
  take(random.Below(rest.size()));
  while (group.size() < gate_.min_rows() || !gate_.Admits(group)) {
    if (rest.empty()) return false;
    double least = kNoLoss;
    std::size_t best = 0;
    looks_ += rest.size();
    for (std::size_t at = 0; at < rest.size(); ++at) {
      const Rank* const ranks = space_.row(rest[at]);
      double loss = 0;
      for (std::size_t q = 0; q < width; ++q) loss += space_.Span(q, std::min(lo_[q], ranks[q]), std::max(hi_[q], ranks[q]));
      if (loss >= least) continue;
      least = loss;
      best = at;
    }
    take(best);
  }
  return true;
}

bool Regrowth::Join(Place row, RowSets& groups, double& cost) {
  double least = kNoLoss;
  std::size_t best = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double before = CostOf(groups[i]);
    groups[i].push_back(row);
    const double more = CostOf(groups[i]) - before;
    if (more < least && (gate_.model().monotone() || gate_.Admits(groups[i]))) {
      least = more;
      best = i;
    }
    groups[i].pop_back();
  }
  if (least == kNoLoss) return false;
  groups[best].push_back(row);
  cost += least;
  return true;
}

bool Regrowth::Grow(std::vector<Place> rows, double limit, QuickRandom& random, RowSets& groups) {
  groups.clear();
  double cost = 0;
  while (rows.size() >= gate_.min_rows()) {
    std::vector<Place> group;
    if (!GrowOne(rows, random, group)) {
      rows = std::move(group);
      break;
    }
    cost += CostOf(group);
    if (cost >= limit) return false;
    groups.push_back(std::move(group));
  }
  for (const Place row : rows) {
    if (!Join(row, groups, cost) || cost >= limit) return false;
  }
  return !groups.empty();
}

}  // namespace cordon::engine
