// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/closeness_block.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "cordon/algorithms/closeness/group_insertion.h"

namespace cordon::engine {

ClosenessBlock::ClosenessBlock(const ClosenessProblem& problem, std::span<const RowId> rows, const Random& random)
    : problem_(problem),
      view_(problem.data, {rows.begin(), rows.end()}),
      rows_(SearchRows::Of(problem.data, problem.steering, problem.classes, rows)),
      orders_(rows_, problem.spans, problem.tuning.orders, problem.classes.size(), random),
      space_(view_, {}, BoxSpans::kSmallTable),
      gate_(view_, problem.model, problem.counted, {}, nullptr, std::numeric_limits<std::size_t>::max()),
      places_(view_.size()) {}

void ClosenessBlock::Clear() {
  places_ = RowPlaces(view_.size());
  groups_ = std::make_unique<SearchGroups>(space_, gate_, places_);
}

bool ClosenessBlock::admitted() const {
  GroupCounts all(problem_.counted);
  all.Add(rows_.ids);
  return problem_.model.Admits(all);
}

bool ClosenessBlock::Begin(const GrowthOptions& growth, QuickRandom& random, const Run& run) {
  Clear();
  GrowGroups(*groups_, rows_, orders_, problem_.outlook, problem_.spans, problem_.classes, growth, problem_.tuning, random,
             run);
  if (run.ShouldStop()) return false;
  InsertRows(*groups_, orders_, problem_.tuning.reach, run);
  return true;
}

void ClosenessBlock::BeginWith(std::span<const RowGroup> groups) {
  Clear();
  std::unordered_map<RowId, std::uint32_t> number;
  number.reserve(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) number.emplace(rows_.ids[i], static_cast<std::uint32_t>(i));
  for (const RowGroup& group : groups) {
    std::vector<Place> members;
    for (const RowId row : group) members.push_back(number.at(row));
    std::sort(members.begin(), members.end());
    groups_->Add(std::move(members));
  }
}

void ClosenessBlock::Improve(double sweeps, double heat, QuickRandom& random, const Run& run) {
  const double before = groups_->total();
  const double temperature = heat * before / static_cast<double>(std::max<std::size_t>(1, rows_.size()));
  const std::vector<GroupId> assignment = places_.group;
  Anneal(*groups_, rows_, orders_,
         {.sweeps = sweeps, .start_temperature = temperature, .end_temperature = temperature * problem_.tuning.end_temperature},
         problem_.tuning, random, run);
  Anneal(*groups_, rows_, orders_, {.sweeps = sweeps * problem_.tuning.descent, .start_temperature = 0}, problem_.tuning,
         random, run.Silent());
  if (groups_->total() <= before) return;
  std::vector<std::vector<Place>> members(groups_->size());
  for (Place row = 0; row < assignment.size(); ++row) members[assignment[row]].push_back(row);
  for (GroupId group = 0; group < members.size(); ++group) groups_->Replace(group, std::move(members[group]));
}

std::vector<RowGroup> ClosenessBlock::Result() const {
  std::vector<RowGroup> made;
  for (GroupId group = 0; group < groups_->size(); ++group) {
    if (!groups_->alive(group)) continue;
    RowGroup rows;
    for (const Place member : groups_->rows(group)) rows.push_back(rows_.ids[member]);
    made.push_back(std::move(rows));
  }
  return made;
}

}  // namespace cordon::engine
