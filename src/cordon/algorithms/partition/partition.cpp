// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/partition.h"

#include <algorithm>

#include "cordon/algorithms/grouping/satisfiable.h"
#include "cordon/algorithms/partition/equal_rows.h"
#include "cordon/algorithms/partition/partition_refine.h"
#include "cordon/algorithms/partition/partition_starts.h"

namespace cordon::engine {
namespace {

Groups ToGroups(const View& view, RowSets sets, std::span<const Place> left_out) {
  std::sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.front() < b.front(); });
  Groups groups;
  std::vector<RowId> rows;
  for (std::vector<Place>& set : sets) {
    rows.clear();
    for (const Place place : set) rows.push_back(view.rows()[place]);
    groups.Add(rows);
  }
  for (const Place place : left_out) groups.suppressed.push_back(view.rows()[place]);
  return groups;
}

// Whether large groups are cut before the rest is refined.
bool DividesFirst(const PartitionSearch& search, const PartitionOptions& options) {
  return options.refine && (options.size_decides || (options.divide_first && search.view.size() > options.whole_rows));
}

// The rows to divide, and groups of the others that may give and take rows.
Result<KeptGroups> SearchGroups(const PartitionSearch& search, RowSets open, const PartitionOptions& options) {
  const Run& run = search.run;
  std::vector<StartGroups> starts(1);
  if (search.to_divide > 0) {
    CORDON_TRY(starts, StartsOf(search, options));
  }
  if (run.Stopped()) return Error::Cancelled();
  for (StartGroups& start : starts) {
    if (DividesFirst(search, options)) start.groups = DivideLarge(search, std::move(start.groups));
    for (std::vector<Place>& rows : start.groups) std::sort(rows.begin(), rows.end());
    start.groups.insert(start.groups.end(), open.begin(), open.end());
  }
  KeptGroups kept{std::move(starts[0].groups), {}};
  if (!options.refine) return kept;
  RowPlaces places(search.view.size());
  // High effort goes on from where normal effort ends, so it never loses more.
  const bool search_on = options.effort == Effort::kHigh;
  RefineOptions refine = RefineBy(options.tuning, std::min(options.effort, Effort::kNormal));
  // Groups with few admitted ones near them: to look further pays (fars, beta = 4: .108 against .114).
  if (!search.model.monotone() && !options.size_decides) refine.max_near = options.tuning.far_near;
  if (HasFlatColumn(search)) refine.max_near = options.tuning.flat_near;
  const bool in_parts = search.view.size() > options.whole_rows;
  const auto refined = [&](RowSets groups, bool as_low) {
    return in_parts ? RefineInParts(search, places, std::move(groups), refine, options, false)
                    : RefineWhole(search, places, std::move(groups), as_low ? options.tuning.low : refine);
  };
  kept.groups = refined(std::move(kept.groups), false);
  for (std::size_t i = 1; i < starts.size() && !run.ShouldStop(); ++i) {
    RowSets other = refined(std::move(starts[i].groups), starts[i].as_low);
    if (TotalOf(search, places, other) < TotalOf(search, places, kept.groups)) kept.groups = std::move(other);
  }
  if (SearchesLonger(search, options) && !run.ShouldStop()) {
    if (AnnealsBoxes(search)) kept.groups = AnnealBoxes(search, places, std::move(kept.groups), refine);
    kept.groups = AnnealBriefly(search, places, std::move(kept.groups), refine);
  }
  if (search_on && !run.ShouldStop()) {
    RefineOptions further = RefineBy(options.tuning, Effort::kHigh);
    further.max_near = std::max(further.max_near, refine.max_near);
    if (HasFlatColumn(search)) further.max_near = options.tuning.flat_near;
    kept.groups = in_parts ? RefineInParts(search, places, std::move(kept.groups), further, options, true)
                           : SearchOn(search, places, std::move(kept.groups), further, 1, AnnealedParts(search));
  }
  if (options.max_suppressed > 0 && !run.Stopped()) {
    const RefineOptions moves = in_parts ? RefineBy(search.tuning, Effort::kLow) : refine;
    kept = LeaveOut(search, places, moves, std::move(kept.groups), options.max_suppressed);
  }
  if (run.Stopped()) return Error::Cancelled();
  return kept;
}

// Combinations that the model admits are groups at once. The others come first among the rows that are searched, then one
// group of each such combination.
Result<Groups> PartitionWithoutEqualRows(const View& view, const GroupModel& model, const CountedColumns& counted,
                                         const PartitionOptions& options, const Run& run) {
  GroupGate gate(view, model, counted);
  EqualRows equal = FindEqualRows(view, gate, options.tuning.spare_rows, run);
  std::vector<Place> places = std::move(equal.rest);  // in the view, of the rows that are searched
  const std::size_t to_divide = places.size();
  for (std::vector<Place>& group : equal.open) {
    for (Place& place : group) {
      places.push_back(place);
      place = static_cast<Place>(places.size() - 1);
    }
  }
  std::vector<RowId> rows;
  rows.reserve(places.size());
  for (const Place place : places) rows.push_back(view.rows()[place]);
  const View searched(view.data(), std::move(rows));
  const RankSpace space(searched, run);
  const PartitionSearch search{searched, to_divide, space, model, counted, options.tuning, run};
  CORDON_TRY(KeptGroups kept, SearchGroups(search, std::move(equal.open), options));
  for (std::vector<Place>& group : kept.groups) {
    for (Place& place : group) place = places[place];
    std::sort(group.begin(), group.end());
  }
  for (Place& place : kept.left_out) place = places[place];
  std::sort(kept.left_out.begin(), kept.left_out.end());
  for (std::vector<Place>& group : equal.done) kept.groups.push_back(std::move(group));
  return ToGroups(view, std::move(kept.groups), kept.left_out);
}

}  // namespace

Result<Groups> Partition(const View& view, const GroupModel& model, const CountedColumns& counted,
                         const PartitionOptions& options, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckSatisfiable(view, model, counted));
  run.Report("partition", 0, 0);
  if (view.size() > options.whole_rows && SearchesInParts(model, options)) {
    return PartitionWithoutEqualRows(view, model, counted, options, run);
  }
  const RankSpace space(view, run);
  const PartitionSearch search{view, view.size(), space, model, counted, options.tuning, run};
  CORDON_TRY(const KeptGroups kept, SearchGroups(search, {}, options));
  return ToGroups(view, kept.groups, kept.left_out);
}

Result<Groups> RefineGroups(const View& view, const Groups& groups, const GroupModel& model, const CountedColumns& counted,
                            const PartitionOptions& options, const Run& run) {
  std::vector<Place> place_of(view.data().num_rows);
  for (std::size_t place = 0; place < view.size(); ++place) place_of[view.rows()[place]] = static_cast<Place>(place);
  RowSets sets(groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const RowId row : groups[group]) sets[group].push_back(place_of[row]);
    std::sort(sets[group].begin(), sets[group].end());
  }
  const RankSpace space(view, run);
  const PartitionSearch search{view, 0, space, model, counted, options.tuning, run};
  CORDON_TRY(const KeptGroups kept, SearchGroups(search, std::move(sets), options));
  return ToGroups(view, kept.groups, kept.left_out);
}

}  // namespace cordon::engine
