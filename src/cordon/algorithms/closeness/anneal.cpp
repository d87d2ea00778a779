// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/anneal.h"

#include <algorithm>
#include <cmath>

namespace cordon::engine {
namespace {

constexpr double kLeastGain = 1e-6;  // at temperature 0: smaller gains are noise of float sums
constexpr std::size_t kStopEvery = 4096;
constexpr double kHotTime = 0.9;  // of a budget; the rest is for going down

class Annealer {
 public:
  Annealer(SearchGroups& groups, const SearchRows& rows, const NeighbourOrders& orders, const ClosenessTuning& tuning,
           QuickRandom& random)
      : groups_(groups), rows_(rows), orders_(orders), tuning_(tuning), random_(random) {}

  void Step(double temperature) {
    const Place row = NextRow();
    const GroupId group = groups_.group_of(row);
    // Metropolis: accept a change below this.
    const double limit = temperature > 0 ? temperature * random_.Exponential() : -kLeastGain;
    if (random_.Unit() < tuning_.same_value_share) {
      if (groups_.rows(group).size() > 1 && groups_.LossWithout(group, row) < groups_.loss(group)) SwapAlike(row, group, limit);
    } else if (const GroupId other = NearGroup(); other != group) {
      MoveOrSwap(row, group, other, limit);
    }
  }

 private:
  // Stretches of an order, each from a random place: rows that stand together have their groups in the cache together.
  Place NextRow() {
    if (left_ == 0) {
      left_ = tuning_.stretch;
      order_ = random_.Below(orders_.size());
      position_ = random_.Below(rows_.size());
    }
    --left_;
    position_ = position_ + 1 < rows_.size() ? position_ + 1 : 0;
    return orders_.at(order_, position_);
  }

  double Total(GroupId group, float loss) const {
    return static_cast<double>(loss) * static_cast<double>(groups_.rows(group).size());
  }

  // The best row of the same class near some other member of the row's own group.
  void SwapAlike(Place row, GroupId group, double limit) {
    const std::span<const Place> members = groups_.rows(group);
    const Place near = members[random_.Below(members.size())];
    if (near == row) return;
    const std::size_t value_class = rows_.value_classes[row];
    const std::size_t place = orders_.FindInClass(order_, value_class, orders_.position(order_, near));
    const std::size_t begin =
        std::max(orders_.class_begin(value_class) + tuning_.same_value_reach, place) - tuning_.same_value_reach;
    const std::size_t end = std::min(orders_.class_end(value_class), place + tuning_.same_value_reach + 1);
    double best = limit;
    auto best_row = static_cast<Place>(rows_.size());
    for (std::size_t at = begin; at < end; ++at) {
      const Place other = orders_.in_class(order_, at);
      const GroupId other_group = groups_.group_of(other);
      if (other_group == group) continue;
      const double here = Total(group, groups_.LossSwapped(group, row, other)) - groups_.total(group);
      if (here >= 0) continue;
      const double change =
          here + Total(other_group, groups_.LossSwapped(other_group, other, row)) - groups_.total(other_group);
      if (change < best && MixAllows(row, group, other, other_group)) {
        best = change;
        best_row = other;
      }
    }
    if (best_row < rows_.size()) groups_.Swap(row, best_row);
  }

  // The group of a row that stands near.
  GroupId NearGroup() {
    const std::int64_t reach = tuning_.window;
    const std::int64_t last = static_cast<std::int64_t>(rows_.size()) - 1;
    const std::int64_t step = static_cast<std::int64_t>(random_.Below(2 * static_cast<std::uint64_t>(reach) + 1)) - reach;
    const std::int64_t position = std::clamp<std::int64_t>(static_cast<std::int64_t>(position_) + step, 0, last);
    return groups_.group_of(orders_.at(order_, static_cast<std::size_t>(position)));
  }

  void MoveOrSwap(Place row, GroupId group, GroupId other_group, double limit) {
    const float without = groups_.LossWithout(group, row);
    const bool at_border = without < groups_.loss(group);
    const double before = groups_.total(group) + groups_.total(other_group);
    const auto size = static_cast<double>(groups_.rows(group).size());
    const auto other_size = static_cast<double>(groups_.rows(other_group).size());
    double best = limit;
    const auto moved = [&](float with) {
      return static_cast<double>(without) * (size - 1) + static_cast<double>(with) * (other_size + 1) - before;
    };
    bool move = moved(groups_.loss(other_group)) < best;  // as if the row lay in the other's box
    if (move) {
      const double change = moved(groups_.LossWith(other_group, groups_.ranks(row)));
      move = change < best && groups_.CanRemove(group, row) && groups_.CanInsert(other_group, row);
      if (move) best = change;
    }
    auto swap = static_cast<Place>(rows_.size());
    if (at_border) {
      const std::span<const Place> members = groups_.rows(other_group);
      const std::size_t tries = std::min(members.size(), tuning_.swaps_tried);
      std::size_t at = members.size() > tuning_.swaps_tried ? random_.Below(members.size()) : 0;
      // The row's own group is at best as it is without it, the other at best without any one of its rows on each side:
      // mostly that settles it.
      const double others = Total(group, without) - before;
      const bool hopeless = Total(other_group, groups_.LeastLossSwapped(other_group, row)) + others >= best;
      for (std::size_t i = 0; !hopeless && i < tries; ++i, at = at + 1 == members.size() ? 0 : at + 1) {
        const Place other = members[at];
        const double there = Total(other_group, groups_.LossSwapped(other_group, other, row));
        if (there + others >= best) continue;
        const double change = there - before + Total(group, groups_.LossSwapped(group, row, other));
        if (change >= best || !MixAllows(row, group, other, other_group)) continue;
        best = change;
        swap = other;
      }
    }
    if (swap < rows_.size()) {
      groups_.Swap(row, swap);
    } else if (move) {
      groups_.Remove(row);
      groups_.Insert(other_group, row);
    }
  }

  bool MixAllows(Place row, GroupId group, Place other, GroupId other_group) {
    return groups_.CanSwap(group, row, other) && groups_.CanSwap(other_group, other, row);
  }

  SearchGroups& groups_;
  const SearchRows& rows_;
  const NeighbourOrders& orders_;
  const ClosenessTuning& tuning_;
  QuickRandom& random_;
  std::size_t order_ = 0;     // the order that is walked along,
  std::size_t position_ = 0;  // the row's place in it
  std::size_t left_ = 0;      // and how far yet
};

}  // namespace

void Anneal(SearchGroups& groups, const SearchRows& rows, const NeighbourOrders& orders, const AnnealOptions& options,
            const ClosenessTuning& tuning, QuickRandom& random, const Run& run) {
  const std::size_t steps = static_cast<std::size_t>(options.sweeps * static_cast<double>(rows.size()));
  Annealer annealer(groups, rows, orders, tuning, random);
  const bool hot = options.start_temperature > 0;
  const double begun = run.Used();
  const double end = hot ? kHotTime : 1;  // of the time
  double temperature = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    if (step % kStopEvery == 0) {
      // Short of time it cools faster, by the time that is left.
      const double used = run.Used();
      if (run.Stopped() || used >= end) return;
      run.Report("search", step, steps);
      const double by_steps = static_cast<double>(step) / static_cast<double>(steps);
      const double share = step == 0 ? 0 : std::max(by_steps, (used - begun) / (end - begun));
      if (hot) {
        temperature = options.start_temperature * std::pow(options.end_temperature / options.start_temperature, share);
      }
    }
    annealer.Step(temperature);
  }
}

}  // namespace cordon::engine
