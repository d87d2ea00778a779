// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "cordon/algorithms/partition/refine.h"
#include "cordon/algorithms/partition/regrow.h"
#include "cordon/algorithms/partition/row_orders.h"

namespace cordon::engine {
namespace {

constexpr double kStepLooks = 30;  // what a step costs whatever it finds, in boxes compared
constexpr std::size_t kLookAtClock = 256;

}  // namespace

void GroupRefinement::Anneal(const AnnealOptions& options, QuickRandom& random, const Run& run) {
  std::vector<Place> rows;
  for (GroupId g = 0; g < groups_.size(); ++g) rows.insert(rows.end(), groups_.rows(g).begin(), groups_.rows(g).end());
  if (rows.empty() || options.looks_per_row <= 0) return;
  const RowOrders orders(space_, rows, options.orders, random);
  Regrowth regrowth(space_, gate_);
  const double average = static_cast<double>(gate_.min_rows()) * groups_.total() / static_cast<double>(rows.size());
  const double unit = options.unit > 0 ? options.unit : average;
  const double work = options.looks_per_row * static_cast<double>(rows.size());
  const double begun = run.Used();
  double temperature = 0;
  std::vector<GroupId> old;
  std::vector<Place> together;
  RowSets grown;
  for (std::size_t step = 0;; ++step) {
    if (step % kLookAtClock == 0) {
      const double done = (static_cast<double>(regrowth.looks()) + kStepLooks * static_cast<double>(step)) / work;
      const double used = run.Used();
      if (run.ShouldStop() || done >= 1 || used >= options.until) break;
      const double share = std::max(done, (used - begun) / (options.until - begun));  // short of time it cools faster
      temperature = unit * options.temperature * std::pow(options.end_temperature / options.temperature, share);
    }
    const std::span<const Place> stretch = orders.Stretch(tuning_.stretch, random);
    old.clear();
    for (std::size_t count = 2 + random.Below(tuning_.most_regrown - 1); count > 0; --count) {
      const GroupId g = groups_.group_of(stretch[random.Below(stretch.size())]);
      if (g != kNoGroup && std::find(old.begin(), old.end(), g) == old.end()) old.push_back(g);
    }
    if (old.size() < 2) continue;
    together.clear();
    double before = 0;
    for (const GroupId g : old) {
      together.insert(together.end(), groups_.rows(g).begin(), groups_.rows(g).end());
      before += groups_.total(g);
    }
    if (before < kGainMargin || together.size() > tuning_.regrown_rows) continue;
    if (!regrowth.Grow(together, before + temperature * random.Exponential(), random, grown)) continue;
    for (std::size_t i = 0; i < std::max(old.size(), grown.size()); ++i) {
      if (i >= old.size()) {
        groups_.Add(std::move(grown[i]));
      } else {
        groups_.Replace(old[i], i < grown.size() ? std::move(grown[i]) : std::vector<Place>{});
      }
    }
  }
  failed_.clear();  // the groups are others now
  tree_.Build();
}

}  // namespace cordon::engine
