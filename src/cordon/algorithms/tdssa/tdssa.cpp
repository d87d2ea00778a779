// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/tdssa/tdssa.h"

#include <algorithm>
#include <set>

#include "cordon/algorithms/tdssa/join_requirement.h"

namespace cordon::engine {
namespace {

// The quasi columns that are generalized: those of X and, unless that is turned off, those that join and are not in Y.
Result<std::vector<std::string>> Generalized(const TopDownInput& input, const SequentialInput& sequential) {
  const LinkedTables& linked = sequential.linked;
  std::vector<std::vector<std::string>> names;
  for (const LinkedTable& table : linked.tables) {
    names.emplace_back();
    for (const LinkedColumn& column : table.columns) names.back().push_back(column.name);
  }
  std::set<std::string> wanted;
  std::set<std::string> guarded;
  for (const JoinSpec& spec : sequential.specs) {
    CORDON_TRY(const ResolvedJoin join, Resolve(spec, names, sequential.impossible).WithContext("{}", ModelName(spec)));
    for (const ResolvedJoin::Place& place : join.x) {
      if (place.table == 0) wanted.insert(place.column);
    }
    for (const ResolvedJoin::Guarded& y : join.y) {
      if (y.place.table == 0) guarded.insert(y.place.column);
    }
  }
  for (const LinkedColumn& column : linked.tables[0].columns) {
    if (!sequential.generalize_joining || guarded.contains(column.name)) continue;
    bool joins = !column.extents.empty();
    for (const ImpossiblePairs& pairs : sequential.impossible) {
      joins = joins || pairs.current == column.name || pairs.previous == column.name;
    }
    if (joins) wanted.insert(column.name);
  }
  std::vector<std::string> columns;
  const Microdata& data = input.view.data();
  for (const std::size_t column : data.ColumnsOf(Role::kQuasi)) {
    if (wanted.contains(data.columns[column].attribute.name)) columns.push_back(data.columns[column].attribute.name);
  }
  return columns;
}

}  // namespace

Result<std::unique_ptr<TopDown>> MakeTdssa(const TopDownInput& input, const SequentialInput& sequential,
                                           const TopDownOptions& options, const Run& run) {
  TopDownInput with_join = input;
  CORDON_TRY(with_join.also_masked, Generalized(input, sequential));
  CORDON_TRY(TopDown::Plan plan, MakePlan(with_join));
  std::vector<std::string> masked;
  for (const MaskedColumn& column : plan.masked) masked.push_back(input.view.data().columns[column.column].attribute.name);
  for (const JoinSpec& spec : sequential.specs) {
    CORDON_TRY(std::unique_ptr<JoinRequirement> made, JoinRequirement::Make(spec, sequential, masked, run));
    plan.state_requirements.push_back(std::move(made));
  }
  return TopDown::Make(input.view, std::move(plan), options, run);
}

Result<Groups> Tdssa(const TopDownInput& input, const SequentialInput& sequential, const TopDownOptions& options,
                     TdssaFacts* facts, const Run& run) {
  CORDON_TRY(const std::unique_ptr<TopDown> search, MakeTdssa(input, sequential, options, run));
  CORDON_RETURN_IF_ERROR(search->ToTheEnd(run));
  if (facts != nullptr) {
    facts->top_down = FactsOf(*search);
    for (std::size_t i = 0; i < search->num_state_requirements(); ++i) {
      facts->joins.push_back(static_cast<const JoinRequirement&>(search->state_requirement(i)).Facts());
    }
  }
  return search->ToGroups(run);
}

}  // namespace cordon::engine
