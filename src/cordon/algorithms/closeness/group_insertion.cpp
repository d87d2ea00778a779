// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/group_insertion.h"

#include <algorithm>
#include <numeric>

namespace cordon::engine {
namespace {

constexpr std::int64_t kReach = 30;  // positions on either side, in every order

class Inserter {
 public:
  Inserter(MovableGroups& groups, const LocalityOrders& orders)
      : groups_(groups), orders_(orders), seen_(groups.num_groups() + 1, groups.rows().size()) {}

  // Into the cheapest admissible group near the row, or anywhere.
  bool Insert(std::size_t row, bool anywhere) {
    candidates_.clear();
    anywhere ? AllGroups() : NearGroups(row);
    double best = 0;
    std::size_t best_group = groups_.num_groups();
    for (const std::size_t group : candidates_) {
      // A row that lies in the box costs what the others do; no row costs less.
      if (best_group < groups_.num_groups() && static_cast<double>(groups_.loss(group)) >= best) continue;
      const double cost = static_cast<double>(groups_.LossWith(group, row)) * static_cast<double>(groups_.size(group) + 1) -
                          groups_.cost(group);
      if (best_group < groups_.num_groups() && cost >= best) continue;
      if (!groups_.AdmitsWith(group, row)) continue;
      best = cost;
      best_group = group;
    }
    if (best_group == groups_.num_groups()) return false;
    groups_.Insert(best_group, row);
    return true;
  }

 private:
  void AllGroups() {
    for (std::size_t group = 0; group < groups_.num_groups(); ++group) {
      if (groups_.size(group) > 0) candidates_.push_back(group);
    }
  }

  void NearGroups(std::size_t row) {
    const std::int64_t last = static_cast<std::int64_t>(orders_.num_rows()) - 1;
    for (std::size_t order = 0; order < orders_.size(); ++order) {
      const std::int64_t position = orders_.position(order, row);
      for (std::int64_t at = std::max<std::int64_t>(0, position - kReach); at <= std::min(last, position + kReach); ++at) {
        const std::int32_t group = groups_.group_of(orders_.at(order, static_cast<std::size_t>(at)));
        if (group == MovableGroups::kNone || seen_[group] == row) continue;
        seen_[group] = row;
        candidates_.push_back(static_cast<std::size_t>(group));
      }
    }
  }

  MovableGroups& groups_;
  const LocalityOrders& orders_;
  std::vector<std::size_t> seen_;  // by group: the row that last found it
  std::vector<std::size_t> candidates_;
};

// The rows that no group took become one, merged with what costs least until the models admit it.
void MergeRest(MovableGroups& groups, std::span<const std::uint32_t> rest) {
  const std::size_t group = groups.AddGroup();
  for (const std::uint32_t row : rest) groups.Insert(group, row);
  while (!groups.Admits(group)) {
    double best = 0;
    std::size_t best_group = group;
    for (std::size_t other = 0; other < groups.num_groups(); ++other) {
      if (other == group || groups.size(other) == 0) continue;
      // Per row that comes along: many rows at once bring the mix back to the whole's soonest.
      const double size = static_cast<double>(groups.size(group) + groups.size(other));
      const double added =
          static_cast<double>(groups.LossMerged(group, other)) * size - groups.cost(group) - groups.cost(other);
      const double score = added / static_cast<double>(groups.size(other));
      if (best_group == group || score < best) {
        best = score;
        best_group = other;
      }
    }
    CORDON_CHECK(best_group != group);
    groups.MergeInto(group, best_group);
  }
}

}  // namespace

void InsertRows(MovableGroups& groups, const LocalityOrders& orders, const Run& run) {
  std::vector<std::uint32_t> rest;
  for (std::size_t row = 0; row < groups.rows().size(); ++row) {
    if (groups.group_of(row) == MovableGroups::kNone) rest.push_back(static_cast<std::uint32_t>(row));
  }
  Inserter inserter(groups, orders);
  // Groups that have grown take rows that they refused before, so what is left is tried again; at last everywhere.
  for (const bool anywhere : {false, false, true, true}) {
    std::vector<std::uint32_t> refused;
    for (const std::uint32_t row : rest) {
      if (run.Stopped() || !inserter.Insert(row, anywhere)) refused.push_back(row);
    }
    rest = std::move(refused);
  }
  if (!rest.empty()) MergeRest(groups, rest);
}

}  // namespace cordon::engine
