// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/closeness_block.h"

#include <algorithm>
#include <unordered_map>

#include "cordon/algorithms/closeness/group_insertion.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kOrders = 16;
constexpr double kEndTemperature = 0.1;  // of the start's
constexpr double kDescent = 0.2;         // sweeps at temperature 0 after the annealing, of its own

}  // namespace

ClosenessBlock::ClosenessBlock(const ClosenessProblem& problem, std::span<const RowId> rows, const Random& random)
    : problem_(problem),
      rows_(SearchRows::Of(problem.data, problem.steering, problem.classes, rows)),
      orders_(rows_, problem.spans, kOrders, problem.classes.size(), random) {}

bool ClosenessBlock::admitted() const {
  GroupCounts all(problem_.counted);
  all.Add(rows_.ids);
  return problem_.model.Admits(all);
}

bool ClosenessBlock::Begin(const GrowthOptions& growth, QuickRandom& random, const Run& run) {
  groups_ = std::make_unique<MovableGroups>(rows_, problem_.spans, problem_.model, problem_.counted);
  GrowGroups(*groups_, orders_, problem_.outlook, problem_.spans, problem_.classes, growth, random, run);
  if (run.Enough()) return false;
  InsertRows(*groups_, orders_, run);
  return true;
}

void ClosenessBlock::BeginWith(std::span<const RowGroup> groups) {
  groups_ = std::make_unique<MovableGroups>(rows_, problem_.spans, problem_.model, problem_.counted);
  std::unordered_map<RowId, std::uint32_t> number;
  number.reserve(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) number.emplace(rows_.ids[i], static_cast<std::uint32_t>(i));
  std::vector<std::int32_t> assignment(rows_.size(), MovableGroups::kNone);
  for (const RowGroup& group : groups) {
    const std::size_t made = groups_->AddGroup();
    for (const RowId row : group) assignment[number.at(row)] = static_cast<std::int32_t>(made);
  }
  groups_->Restore(assignment);
}

void ClosenessBlock::Improve(double sweeps, double heat, QuickRandom& random, const Run& run) {
  const double before = groups_->TotalCost();
  const double temperature = heat * before / static_cast<double>(std::max<std::size_t>(1, rows_.size()));
  const std::vector<std::int32_t> assignment = groups_->Assignment();
  Anneal(*groups_, orders_,
         {.sweeps = sweeps, .start_temperature = temperature, .end_temperature = temperature * kEndTemperature}, random, run);
  Anneal(*groups_, orders_, {.sweeps = sweeps * kDescent, .start_temperature = 0}, random, run.Silent());
  if (groups_->TotalCost() > before) groups_->Restore(assignment);
}

std::vector<RowGroup> ClosenessBlock::Result() const {
  std::vector<RowGroup> made;
  for (std::size_t group = 0; group < groups_->num_groups(); ++group) {
    if (groups_->size(group) == 0) continue;
    RowGroup rows;
    for (const std::uint32_t member : groups_->members(group)) rows.push_back(rows_.ids[member]);
    made.push_back(std::move(rows));
  }
  return made;
}

}  // namespace cordon::engine
