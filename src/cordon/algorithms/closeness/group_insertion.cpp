// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/group_insertion.h"

#include <algorithm>
#include <numeric>

namespace cordon::engine {
namespace {

class Inserter {
 public:
  Inserter(SearchGroups& groups, const NeighbourOrders& orders, std::int64_t reach)
      : groups_(groups), orders_(orders), reach_(reach), seen_(groups.size(), orders.num_rows()) {}

  // Into the cheapest admissible group near the row, or anywhere.
  bool Insert(Place row, bool anywhere) {
    candidates_.clear();
    anywhere ? AllGroups() : NearGroups(row);
    double best = 0;
    GroupId best_group = kNoGroup;
    for (const GroupId group : candidates_) {
      // A row that lies in the box costs what the others do; no row costs less.
      if (best_group != kNoGroup && static_cast<double>(groups_.loss(group)) >= best) continue;
      const double cost = static_cast<double>(groups_.LossWith(group, groups_.ranks(row))) *
                              static_cast<double>(groups_.rows(group).size() + 1) -
                          groups_.total(group);
      if (best_group != kNoGroup && cost >= best) continue;
      if (!groups_.CanInsert(group, row)) continue;
      best = cost;
      best_group = group;
    }
    if (best_group == kNoGroup) return false;
    groups_.Insert(best_group, row);
    return true;
  }

 private:
  void AllGroups() {
    for (GroupId group = 0; group < groups_.size(); ++group) {
      if (groups_.alive(group)) candidates_.push_back(group);
    }
  }

  void NearGroups(Place row) {
    const std::int64_t last = static_cast<std::int64_t>(orders_.num_rows()) - 1;
    for (std::size_t order = 0; order < orders_.size(); ++order) {
      const std::int64_t position = orders_.position(order, row);
      for (std::int64_t at = std::max<std::int64_t>(0, position - reach_); at <= std::min(last, position + reach_); ++at) {
        const GroupId group = groups_.group_of(orders_.at(order, static_cast<std::size_t>(at)));
        if (group == kNoGroup || seen_[group] == row) continue;
        seen_[group] = row;
        candidates_.push_back(group);
      }
    }
  }

  SearchGroups& groups_;
  const NeighbourOrders& orders_;
  std::int64_t reach_;
  std::vector<std::size_t> seen_;  // by group: the row that last found it
  std::vector<GroupId> candidates_;
};

// The rows that no group took become one, merged with what costs least until the models admit it.
void MergeRest(SearchGroups& groups, std::vector<Place> rest) {
  const GroupId group = groups.Add(std::move(rest));
  while (!groups.Admitted(group)) {
    double best = 0;
    GroupId best_group = group;
    for (GroupId other = 0; other < groups.size(); ++other) {
      if (other == group || !groups.alive(other)) continue;
      // Per row that comes along: many rows at once bring the mix back to the whole's soonest.
      const auto size = static_cast<double>(groups.rows(group).size() + groups.rows(other).size());
      const double added =
          static_cast<double>(groups.LossMerged(group, other)) * size - groups.total(group) - groups.total(other);
      const double score = added / static_cast<double>(groups.rows(other).size());
      if (best_group == group || score < best) {
        best = score;
        best_group = other;
      }
    }
    CORDON_CHECK(best_group != group);
    std::vector<Place> both(groups.rows(group).begin(), groups.rows(group).end());
    both.insert(both.end(), groups.rows(best_group).begin(), groups.rows(best_group).end());
    groups.Replace(best_group, {});
    groups.Replace(group, std::move(both));
  }
}

}  // namespace

void InsertRows(SearchGroups& groups, const NeighbourOrders& orders, std::int64_t reach, const Run& run) {
  std::vector<Place> rest;
  for (Place row = 0; row < orders.num_rows(); ++row) {
    if (groups.group_of(row) == kNoGroup) rest.push_back(row);
  }
  Inserter inserter(groups, orders, reach);
  // Groups that have grown take rows that they refused before, so what is left is tried again; at last everywhere.
  for (const bool anywhere : {false, false, true, true}) {
    std::vector<Place> refused;
    for (const Place row : rest) {
      if (run.Stopped() || !inserter.Insert(row, anywhere)) refused.push_back(row);
    }
    rest = std::move(refused);
  }
  if (!rest.empty()) MergeRest(groups, std::move(rest));
}

}  // namespace cordon::engine
