// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/partition_refine.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include "cordon/algorithms/partition/box_anneal.h"
#include "cordon/algorithms/partition/refine.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

// Parts of neighbouring groups, side by side.
RowSets RefineParts(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options,
                    std::size_t part_rows, bool search_on) {
  std::vector<RowSets> parts;
  {
    GroupGate gate = search.Gate();
    BoxedGroups<double> all(search.space, gate, places);
    for (const std::vector<Place>& rows : groups) all.Add(rows);
    BoxTree tree(search.space, all, gate.min_rows(), options.max_visits, search.tuning);
    for (const std::vector<GroupId>& ids : tree.Parts(part_rows)) {
      parts.emplace_back();
      for (const GroupId id : ids) parts.back().push_back(std::move(groups[id]));
    }
  }
  const Run silent = search.run.Silent();
  const PartitionSearch within{search.view,    search.to_divide, search.space, search.model,
                               search.counted, search.tuning,    silent};
  std::atomic<std::uint64_t> done = 0;
  ParallelFor(search.run.threads, parts.size(), 1, [&](std::size_t part, std::size_t, std::size_t) {
    parts[part] = search_on ? SearchOn(within, places, std::move(parts[part]), options, part + 1)
                            : RefineWhole(within, places, std::move(parts[part]), options);
    search.run.Report("refine", ++done, parts.size());
  });
  RowSets joined;
  for (RowSets& part : parts) {
    for (std::vector<Place>& rows : part) joined.push_back(std::move(rows));
  }
  return joined;
}

// Whether the seams are gone over in large parts, side by side. If a model can refuse a row more, that is for low effort and
// models that mostly admit MinRows rows: census, 300,000 rows, ordered t = 0.2: .0225 against .0224 as a whole.
bool SeamsInParts(const GroupModel& model, const PartitionOptions& options) {
  return SearchesInParts(model, options) || (options.size_decides && options.effort == Effort::kLow);
}

class LeavingOut {
 public:
  LeavingOut(const PartitionSearch& search, RowPlaces& places, const RefineOptions& options)
      : search_(search), places_(places), options_(options), gate_(search.Gate()) {
    options_.rounds = search.tuning.price_rounds;
  }

  KeptGroups From(RowSets groups, std::uint64_t max_rows) {
    const std::size_t all = search_.space.num_rows() - 1;
    const std::size_t limit = std::min<std::uint64_t>(max_rows, all);
    // Mostly the limit is not reached; if it is, it is spent again, where most is won first.
    const std::span<const double> prices = search_.tuning.prices;
    std::optional<KeptGroups> kept = At(prices.last(1), all, groups);
    if (kept && kept->left_out.size() > limit) kept = At(prices, limit, groups);
    return kept ? std::move(*kept) : KeptGroups{std::move(groups), {}};
  }

 private:
  std::optional<KeptGroups> At(std::span<const double> prices, std::size_t limit, const RowSets& groups) {
    const double whole = search_.space.suppressed_loss();
    options_.max_left_out = limit;
    GroupRefinement refinement(search_.space, gate_, places_, groups, options_, search_.tuning);
    const double before = refinement.total();
    for (const double price : prices) {
      if (refinement.left_out().size() >= limit || search_.run.ShouldStop()) break;
      refinement.SetPrice(price * whole);
      refinement.Rounds(search_.run);
    }
    refinement.SetPrice(whole);
    if (refinement.total() >= before) return std::nullopt;
    KeptGroups kept{refinement.Take(), {refinement.left_out().begin(), refinement.left_out().end()}};
    std::sort(kept.left_out.begin(), kept.left_out.end());
    return kept;
  }

  const PartitionSearch& search_;
  RowPlaces& places_;
  RefineOptions options_;
  GroupGate gate_;
};

}  // namespace

const RefineOptions& RefineBy(const PartitionTuning& tuning, Effort effort) {
  return effort == Effort::kLow ? tuning.low : effort == Effort::kHigh ? tuning.high : tuning.normal;
}

double TotalOf(const PartitionSearch& search, RowPlaces& places, const RowSets& groups) {
  GroupGate gate = search.Gate();
  BoxedGroups<double> all(search.space, gate, places);
  for (const std::vector<Place>& rows : groups) all.Add(rows);
  return all.total();
}

RowSets RefineWhole(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options) {
  GroupGate gate = search.Gate();
  GroupRefinement refinement(search.space, gate, places, std::move(groups), options, search.tuning);
  refinement.Rounds(search.run);
  return refinement.Take();
}

RowSets AnnealBriefly(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options) {
  const PartitionTuning& tuning = search.tuning;
  const std::size_t rows = search.space.num_rows();
  const bool very_few = rows / std::max<std::size_t>(search.Gate().min_rows(), 1) <= tuning.very_few;
  const std::size_t times = std::clamp<std::size_t>(
      tuning.normal_rows / rows, very_few && !AnnealsBoxes(search) ? tuning.normal_few : 1, tuning.normal_most);
  QuickRandom random(1);
  for (std::size_t i = 0; i < times && !search.run.ShouldStop(); ++i) {
    GroupGate gate = search.Gate();
    GroupRefinement refinement(search.space, gate, places, groups, options, tuning);
    refinement.SetRefined();
    const double before = refinement.total();
    refinement.Anneal({tuning.normal_looks, tuning.normal_temperature, tuning.normal_orders}, random, search.run);
    refinement.Rounds(search.run);
    if (refinement.total() < before) groups = refinement.Take();
  }
  return groups;
}

bool AnnealsBoxes(const PartitionSearch& search) {
  const std::size_t min_rows = search.Gate().min_rows();
  return min_rows >= search.tuning.box_rows && search.view.size() / min_rows <= search.tuning.few_groups &&
         RowBits::Fits(search.space);
}

RowSets AnnealBoxes(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options) {
  const PartitionTuning& tuning = search.tuning;
  const std::size_t rows = search.space.num_rows();
  const std::size_t min_rows = search.Gate().min_rows();
  const double per_row = rows / min_rows <= tuning.very_few ? tuning.box_work_very_few : tuning.box_work;
  BoxAnnealing annealing(search.space, min_rows, groups);
  QuickRandom random(1);
  annealing.Anneal({.work = std::max(tuning.box_least_work, per_row * static_cast<double>(rows)),
                    .start_temperature = tuning.box_temperature,
                    .end_temperature = tuning.box_end_temperature,
                    .slack = tuning.box_slack},
                   random, search.run);
  RowSets made = RefineWhole(search, places, annealing.Best(), options);
  const bool gains = TotalOf(search, places, made) < TotalOf(search, places, groups);
  return gains ? std::move(made) : std::move(groups);
}

RowSets SearchOn(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options,
                 std::uint64_t key) {
  GroupGate gate = search.Gate();
  GroupRefinement refinement(search.space, gate, places, std::move(groups), options, search.tuning);
  refinement.Rounds(search.run);
  RowSets best = refinement.Take();
  double least = refinement.total();
  QuickRandom random(key);
  const bool by_time = search.run.budget != nullptr;
  int idle = 0;
  for (int cycle = 0; (by_time ? idle < search.tuning.idle_cycles : cycle < search.tuning.cycles) && !search.run.ShouldStop();
       ++cycle) {
    search.run.Report("anneal", static_cast<std::uint64_t>(cycle),
                      by_time ? 0 : static_cast<std::uint64_t>(search.tuning.cycles));
    refinement.Anneal({search.tuning.looks_per_row, search.tuning.start_temperature, search.tuning.orders}, random, search.run);
    refinement.Rounds(search.run);
    const double total = refinement.total();
    const bool pays = least - total > search.tuning.least_cycle_gain * least;
    idle = total < least ? 0 : idle + 1;
    if (total < least) {
      least = total;
      best = refinement.Take();
    }
    if (!pays && !by_time) break;
  }
  return best;
}

bool SearchesInParts(const GroupModel& model, const PartitionOptions& options) { return options.refine && model.monotone(); }

RowSets RefineInParts(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& refine,
                      const PartitionOptions& options, bool search_on) {
  RefineOptions within = refine;
  within.rounds = std::min(refine.rounds, search.tuning.part_rounds);
  if (options.effort == Effort::kLow && SearchesInParts(search.model, options)) {
    const std::size_t part_rows = search.tuning.low_parts * options.part_rows;
    return RefineParts(search, places, std::move(groups), within, part_rows, search_on);
  }
  RowSets refined = RefineParts(search, places, std::move(groups), within, options.part_rows, search_on);
  RefineOptions seams = RefineBy(search.tuning, Effort::kLow);
  seams.max_visits = refine.max_visits;
  if (!SeamsInParts(search.model, options)) return RefineWhole(search, places, std::move(refined), seams);
  return RefineParts(search, places, std::move(refined), seams, options.whole_rows, false);
}

KeptGroups LeaveOut(const PartitionSearch& search, RowPlaces& places, const RefineOptions& options, RowSets groups,
                    std::uint64_t max_rows) {
  return LeavingOut(search, places, options).From(std::move(groups), max_rows);
}

}  // namespace cordon::engine
