// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/partition.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "cordon/algorithms/grouping/satisfiable.h"
#include "cordon/algorithms/partition/equal_rows.h"
#include "cordon/algorithms/partition/partition_cuts.h"
#include "cordon/algorithms/partition/partition_peel.h"
#include "cordon/algorithms/partition/refine.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

using Effort = PartitionOptions::Effort;
using Start = PartitionOptions::Start;

constexpr std::size_t kTaskRows = 50'000;
constexpr std::size_t kTasksAtOnce = 64;   // where tasks are many and small
constexpr std::size_t kMaxSiblings = 512;  // children of one node that are cut off one by one
constexpr std::size_t kFanOutRows = 10'000;
constexpr std::size_t kWideTable = 100;  // quasi columns

struct Search {
  const View& view;
  std::size_t to_divide;  // rows of the view that are not in groups yet; they come first
  const RankSpace& space;
  const GroupModel& model;
  const CountedColumns& counted;
  const PartitionTuning& tuning;
  const Run& run;

  // The beginning comes to its end whatever the budget, unless the table is so wide that a single cut takes long.
  GroupGate Gate() const {
    return GroupGate(view, model, counted, run.stop, space.num_quasi() > kWideTable ? run.budget : nullptr);
  }
};

struct Started {
  RowSets groups;
  double total = std::numeric_limits<double>::infinity();
  bool as_low = false;  // refined as at low effort
};

// Large runs are cut one after the other, down to tasks that are worked on side by side; parts come in the order of
// the runs, so the result is that of one thread.
class Spreading {
 public:
  explicit Spreading(const Search& search)
      : search_(search), gate_(search.Gate()), top_down_(search.space, gate_, search.tuning) {}

  void Cut(std::span<Place> rows, double price, RowSets& parts, std::vector<Place>& pool) {
    tasks_.clear();
    const std::span<Place> rest = FanOut(rows);
    const std::size_t few = tasks_.empty() ? 1 : kTasksAtOnce;
    if (!rest.empty()) Spread(rest, price, pool);
    std::vector<RowSets> made(tasks_.size());
    std::vector<std::vector<Place>> pools(tasks_.size());
    ParallelFor(search_.run.threads, tasks_.size(), few, [&](std::size_t, std::size_t begin, std::size_t end) {
      GroupGate gate = search_.Gate();
      PartitionCuts cuts(search_.space, gate, search_.tuning);
      for (std::size_t task = begin; task < end; ++task) cuts.Expel(tasks_[task], price, made[task], pools[task]);
    });
    for (std::size_t task = 0; task < tasks_.size(); ++task) {
      for (std::vector<Place>& part : made[task]) parts.push_back(std::move(part));
      pool.insert(pool.end(), pools[task].begin(), pools[task].end());
    }
  }

  // Expelled rows are cut in turn, until none is left; if that does not go on, the last of them without expulsion.
  Started WithExpulsion(std::vector<Place> rows, double price) {
    Started started;
    for (int round = 0;; ++round) {
      const std::vector<Place> input = rows;
      RowSets made;
      std::vector<Place> pool;
      Cut(rows, price, made, pool);
      std::sort(pool.begin(), pool.end());
      const bool stuck = !pool.empty() && (round >= search_.tuning.most_expulsions || pool.size() * 10 > input.size() * 9 ||
                                           !gate_.Admits(pool));
      if (stuck) {
        made.clear();
        pool.clear();
        rows = input;
        Cut(rows, -1, made, pool);
      }
      for (std::vector<Place>& part : made) started.groups.push_back(std::move(part));
      if (pool.empty()) break;
      rows = std::move(pool);
    }
    started.total = 0;
    for (const std::vector<Place>& part : started.groups) started.total += top_down_.Loss(part);
    return started;
  }

 private:
  // A node with very many children (a flat column of codes): one child against the rest, again and again, would take as
  // many passes as there are children. The rows of every child that is admitted become a task at once; the others are the
  // rest, which is returned.
  std::span<Place> FanOut(std::span<Place> rows) {
    const auto place = search_.space.WidestNode(rows, kMaxSiblings);
    if (rows.size() < kFanOutRows || !place) return rows;
    const auto child = [&](Place row) {
      return search_.space.ancestor(place->quasi, search_.space.row(row)[place->quasi], place->depth);
    };
    std::stable_sort(rows.begin(), rows.end(), [&](Place a, Place b) { return child(a) < child(b); });
    RowSets sets;
    std::vector<Place> rest;
    for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
      while (end < rows.size() && child(rows[end]) == child(rows[begin])) ++end;
      const std::span<const Place> run = rows.subspan(begin, end - begin);
      if (run.size() >= gate_.min_rows() && gate_.Admits(run)) {
        sets.emplace_back(run.begin(), run.end());
      } else {
        rest.insert(rest.end(), run.begin(), run.end());
      }
    }
    while (!sets.empty() && !rest.empty() && !gate_.Admits(rest)) {
      rest.insert(rest.end(), sets.back().begin(), sets.back().end());
      sets.pop_back();
    }
    std::size_t at = 0;
    for (const std::vector<Place>& set : sets) {
      std::copy(set.begin(), set.end(), rows.begin() + static_cast<std::ptrdiff_t>(at));
      tasks_.push_back(rows.subspan(at, set.size()));
      at += set.size();
    }
    std::sort(rest.begin(), rest.end());
    std::copy(rest.begin(), rest.end(), rows.begin() + static_cast<std::ptrdiff_t>(at));
    return rows.subspan(at);
  }

  // Level by level, the runs of a level side by side.
  void Spread(std::span<Place> rows, double price, std::vector<Place>& pool) {
    const auto first = static_cast<std::ptrdiff_t>(tasks_.size());
    std::vector<std::span<Place>> level = {rows};
    while (!level.empty()) {
      std::vector<std::optional<PartitionCuts::Halves>> halves(level.size());
      ParallelFor(search_.run.threads, level.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
        if (level[i].size() <= kTaskRows) return;
        GroupGate gate = search_.Gate();
        halves[i] = PartitionCuts(search_.space, gate, search_.tuning).CutOnce(level[i], price);
      });
      std::vector<std::span<Place>> next;
      for (std::size_t i = 0; i < level.size(); ++i) {
        if (!halves[i]) {
          tasks_.push_back(level[i]);
          continue;
        }
        const auto go_on = [&](std::span<Place> side, bool expelled) {
          if (expelled) {
            pool.insert(pool.end(), side.begin(), side.end());
          } else {
            next.push_back(side);
          }
        };
        go_on(halves[i]->inside, halves[i]->expel_inside);
        go_on(halves[i]->outside, halves[i]->expel_outside);
      }
      level = std::move(next);
    }
    std::sort(tasks_.begin() + first, tasks_.end(), [](const auto& a, const auto& b) { return a.data() < b.data(); });
  }

  const Search& search_;
  GroupGate gate_;
  PartitionCuts top_down_;
  std::vector<std::span<Place>> tasks_;
};

Started FromTheTop(const Search& search, double price) {
  std::vector<Place> all(search.to_divide);
  std::iota(all.begin(), all.end(), Place{0});
  return Spreading(search).WithExpulsion(std::move(all), price);
}

// Each divided further.
Started DivideAll(const Search& search, RowSets peeled) {
  std::vector<RowSets> parts(peeled.size());
  std::vector<double> totals(peeled.size());
  ParallelFor(search.run.threads, peeled.size(), 64, [&](std::size_t, std::size_t begin, std::size_t end) {
    GroupGate own = search.Gate();
    PartitionCuts top_down(search.space, own, search.tuning);
    for (std::size_t i = begin; i < end; ++i) totals[i] = top_down.Divide(peeled[i], parts[i]);
  });
  Started started;
  started.total = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    started.total += totals[i];
    for (std::vector<Place>& rows : parts[i]) started.groups.push_back(std::move(rows));
  }
  return started;
}

View RowsToDivide(const Search& search) {
  const std::span<const RowId> all = search.view.rows().first(search.to_divide);
  return View(search.view.data(), {all.begin(), all.end()});
}

Result<Started> FromPeeling(const Search& search) {
  GroupGate gate = search.Gate();
  const double price = search.tuning.peel_price * search.space.suppressed_loss();
  CORDON_TRY(RowSets peeled, Peel(RowsToDivide(search), search.space, gate, price, search.run));
  return DivideAll(search, std::move(peeled));
}

Result<Started> FromFinest(const Search& search, const FinestSteps& steps) {
  GroupGate gate = search.Gate();
  CORDON_TRY(RowSets peeled, PeelFinest(RowsToDivide(search), search.space, gate, search.tuning, steps, search.run));
  return DivideAll(search, std::move(peeled));
}

// A column in which some node has very many children.
bool HasFlatColumn(const Search& search) {
  std::vector<Place> all(search.to_divide);
  std::iota(all.begin(), all.end(), Place{0});
  return all.size() >= kFanOutRows && search.space.WidestNode(all, kMaxSiblings).has_value();
}

const RefineOptions& RefineBy(const PartitionTuning& tuning, Effort effort) {
  return effort == Effort::kLow ? tuning.low : effort == Effort::kHigh ? tuning.high : tuning.normal;
}

RowSets RefineWhole(const Search& search, RowPlaces& places, RowSets groups, const RefineOptions& options) {
  GroupGate gate = search.Gate();
  GroupRefinement refinement(search.space, gate, places, std::move(groups), options, search.tuning);
  refinement.Rounds(search.run);
  return refinement.Take();
}

// A little annealing, and rounds. The better groups are kept.
RowSets AnnealOnce(const Search& search, RowPlaces& places, RowSets groups, const RefineOptions& options) {
  GroupGate gate = search.Gate();
  GroupRefinement refinement(search.space, gate, places, groups, options, search.tuning);
  refinement.SetRefined();
  const double before = refinement.total();
  QuickRandom random(1);
  refinement.Anneal({search.tuning.normal_looks, search.tuning.normal_temperature, search.tuning.normal_orders}, random,
                    search.run);
  refinement.Rounds(search.run);
  return refinement.total() < before ? refinement.Take() : groups;
}

// Rounds that look further, then annealing and rounds again, as long as it pays or as there is time. Never loses: the best
// groups are kept.
RowSets SearchOn(const Search& search, RowPlaces& places, RowSets groups, const RefineOptions& options, std::uint64_t key) {
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

// Whether the finest groups are peeled first and a little annealing pays at normal effort: the table is searched as a whole,
// and the number of rows alone decides. With distinct l, fars loses 10 % less for it, in ten times the time.
bool SearchesLonger(const Search& search, const PartitionOptions& options) {
  return options.refine && options.effort != Effort::kLow && search.to_divide == search.view.size() &&
         search.view.size() <= options.whole_rows && search.Gate().rows_decide();
}

// Few groups are refined fast, and their starts say little about their ends.
Result<void> AddOtherPeelings(const Search& search, std::size_t groups, std::vector<Started>& starts) {
  const auto late = [&] { return search.run.Used() > search.tuning.start_time; };
  if (late()) return {};
  CORDON_TRY(Started peeled, FromPeeling(search));
  starts.push_back(std::move(peeled));
  if (late()) return {};
  const bool very_few = groups <= search.tuning.very_few;
  CORDON_TRY(Started other, FromFinest(search, very_few ? search.tuning.finest_from_top : search.tuning.finest_large));
  starts.push_back(std::move(other));
  return {};
}

// Models that compare with the whole refuse most cuts that lose little, so that large groups are left. They are cut with
// foresight: level by level, the groups of a level side by side, and to the ends once they are small. Only if groups of MinRows
// rows are mostly admitted: otherwise the refinement of one large group as a whole comes further (census, 300,000 rows,
// beta = 1: .4792 against .4943).
RowSets DivideLarge(const Search& search, RowSets groups) {
  RowSets made;
  RowSets level;
  for (std::vector<Place>& rows : groups) (rows.size() > kTaskRows ? level : made).push_back(std::move(rows));
  RowSets tasks;
  const int width = search.tuning.foresight;
  while (!level.empty()) {
    std::vector<std::optional<std::size_t>> inside(level.size());
    ParallelFor(search.run.threads, level.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
      if (level[i].size() <= kTaskRows) return;
      GroupGate gate = search.Gate();
      inside[i] = PartitionCuts(search.space, gate, search.tuning).CutWithForesight(level[i], width);
    });
    RowSets next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      if (!inside[i]) {
        tasks.push_back(std::move(level[i]));
        continue;
      }
      const auto middle = level[i].begin() + static_cast<std::ptrdiff_t>(*inside[i]);
      next.emplace_back(level[i].begin(), middle);
      next.emplace_back(middle, level[i].end());
    }
    level = std::move(next);
  }
  std::vector<RowSets> parts(tasks.size());
  ParallelFor(search.run.threads, tasks.size(), 1, [&](std::size_t task, std::size_t, std::size_t) {
    GroupGate gate = search.Gate();
    PartitionCuts(search.space, gate, search.tuning)
        .DivideWithForesight(std::move(tasks[task]), width, std::numeric_limits<double>::infinity(), parts[task]);
  });
  for (RowSets& part : parts) {
    for (std::vector<Place>& rows : part) made.push_back(std::move(rows));
  }
  return made;
}

// The cuts, or one peeling, or more if it takes the refinement to tell which is the better one: models that can refuse a row
// more let some starts improve and others hardly, so the loss of a start says little.
Result<std::vector<Started>> ChooseStarts(const Search& search, const PartitionOptions& options, Started cuts) {
  std::vector<Started> starts;
  starts.push_back(std::move(cuts));
  // Peeling keeps or drops a flat column of very many values as a whole, and cuts what it keeps one value at a time.
  if (options.effort == Effort::kLow || HasFlatColumn(search) || search.run.Used() > search.tuning.start_time) return starts;
  // Columns whose labels give no levels cannot be peeled; the cuts serve as well.
  const bool finest = SearchesLonger(search, options) && search.space.num_quasi() <= search.tuning.finest_quasi;
  Result<Started> peeled = finest ? FromFinest(search, search.tuning.finest) : FromPeeling(search);
  if (!peeled.ok()) return starts;
  const std::size_t groups = search.view.size() / std::max<std::size_t>(search.Gate().min_rows(), 1);
  if (finest && groups <= search.tuning.few_groups) {
    starts.push_back(std::move(peeled).value());
    CORDON_RETURN_IF_ERROR(AddOtherPeelings(search, groups, starts));
    return starts;
  }
  if (search.model.monotone() || options.size_decides || !options.refine) {
    if (starts[0].total < search.tuning.expel_advantage * peeled.value().total) return starts;
    starts.clear();
  }
  starts.push_back(std::move(peeled).value());
  return starts;
}

Result<std::vector<Started>> StartsOf(const Search& search, const PartitionOptions& options) {
  std::vector<Started> starts;
  if (options.start == Start::kTopDown) {
    starts.push_back(FromTheTop(search, -1));
    return starts;
  }
  if (options.start == Start::kPeel) {
    CORDON_TRY(Started peeled, FromPeeling(search));
    starts.push_back(std::move(peeled));
    return starts;
  }
  Started cuts = FromTheTop(search, search.tuning.expel_price * search.space.suppressed_loss());
  const bool keeps_low = options.refine && options.effort != Effort::kLow && search.model.monotone() &&
                         search.to_divide == search.view.size() && search.view.size() <= options.whole_rows;
  if (!keeps_low) return ChooseStarts(search, options, std::move(cuts));
  // What low effort finds is kept, so that no more is lost than there.
  Started low = cuts;
  low.as_low = true;
  CORDON_TRY(starts, ChooseStarts(search, options, std::move(cuts)));
  starts.push_back(std::move(low));
  return starts;
}

double TotalOf(const Search& search, RowPlaces& places, const RowSets& groups) {
  GroupGate gate = search.Gate();
  BoxedGroups<double> all(search.space, gate, places);
  for (const std::vector<Place>& rows : groups) all.Add(rows);
  return all.total();
}

// Parts of neighbouring groups, side by side.
RowSets RefineParts(const Search& search, RowPlaces& places, RowSets groups, const RefineOptions& options,
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
  const Search within{search.view, search.to_divide, search.space, search.model, search.counted, search.tuning, silent};
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

// Whether a large table need not be seen as a whole. At low effort that loses 1.5 % more on rows like adult; for models that
// can refuse a row more it was not measured.
bool SearchesInParts(const GroupModel& model, const PartitionOptions& options) {
  return model.monotone() && options.effort != Effort::kLow;
}

// Whether the seams are gone over in large parts, side by side. If a model can refuse a row more, that is for low effort and
// models that mostly admit MinRows rows: census, 300,000 rows, ordered t = 0.2: .0225 against .0224 as a whole.
bool SeamsInParts(const GroupModel& model, const PartitionOptions& options) {
  return SearchesInParts(model, options) || (options.size_decides && options.effort == Effort::kLow);
}

// Small parts with all moves, then larger ones, or all at once, with the moves that cross the seams of the small ones cheaply.
RowSets RefineInParts(const Search& search, RowPlaces& places, RowSets groups, const RefineOptions& refine,
                      const PartitionOptions& options, bool search_on) {
  RefineOptions within = refine;
  within.rounds = std::min(refine.rounds, search.tuning.part_rounds);
  RowSets refined = RefineParts(search, places, std::move(groups), within, options.part_rows, search_on);
  RefineOptions seams = RefineBy(search.tuning, Effort::kLow);
  seams.max_visits = refine.max_visits;
  if (!SeamsInParts(search.model, options)) return RefineWhole(search, places, std::move(refined), seams);
  return RefineParts(search, places, std::move(refined), seams, options.whole_rows, false);
}

struct Left {
  RowSets groups;
  std::vector<Place> out;  // ascending
};

// Rows that cost more than a suppressed one go. The release loses no more than it did: if it would, it stays as it is.
class LeaveOut {
 public:
  LeaveOut(const Search& search, RowPlaces& places, const RefineOptions& options)
      : search_(search), places_(places), options_(options), gate_(search.Gate()) {
    options_.rounds = search.tuning.price_rounds;
  }

  Left From(RowSets groups, std::uint64_t max_rows) {
    const std::size_t all = search_.space.num_rows() - 1;
    const std::size_t limit = std::min<std::uint64_t>(max_rows, all);
    // Mostly the limit is not reached; if it is, it is spent again, where most is won first.
    const std::span<const double> prices = search_.tuning.prices;
    std::optional<Left> left = At(prices.last(1), all, groups);
    if (left && left->out.size() > limit) left = At(prices, limit, groups);
    return left ? std::move(*left) : Left{std::move(groups), {}};
  }

 private:
  std::optional<Left> At(std::span<const double> prices, std::size_t limit, const RowSets& groups) {
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
    Left left{refinement.Take(), {refinement.left_out().begin(), refinement.left_out().end()}};
    std::sort(left.out.begin(), left.out.end());
    return left;
  }

  const Search& search_;
  RowPlaces& places_;
  RefineOptions options_;
  GroupGate gate_;
};

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

// The rows to divide, and groups of the others that may give and take rows.
Result<Left> SearchGroups(const Search& search, RowSets open, const PartitionOptions& options) {
  const Run& run = search.run;
  std::vector<Started> starts(1);
  if (search.to_divide > 0) {
    CORDON_TRY(starts, StartsOf(search, options));
  }
  if (run.Stopped()) return Error::Cancelled();
  for (Started& start : starts) {
    if (options.refine && options.size_decides) start.groups = DivideLarge(search, std::move(start.groups));
    for (std::vector<Place>& rows : start.groups) std::sort(rows.begin(), rows.end());
    start.groups.insert(start.groups.end(), open.begin(), open.end());
  }
  Left left{std::move(starts[0].groups), {}};
  if (!options.refine) return left;
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
  left.groups = refined(std::move(left.groups), false);
  for (std::size_t i = 1; i < starts.size() && !run.ShouldStop(); ++i) {
    RowSets other = refined(std::move(starts[i].groups), starts[i].as_low);
    if (TotalOf(search, places, other) < TotalOf(search, places, left.groups)) left.groups = std::move(other);
  }
  if (SearchesLonger(search, options) && !run.ShouldStop()) {
    left.groups = AnnealOnce(search, places, std::move(left.groups), refine);
  }
  if (search_on && !run.ShouldStop()) {
    RefineOptions further = RefineBy(options.tuning, Effort::kHigh);
    further.max_near = std::max(further.max_near, refine.max_near);
    if (HasFlatColumn(search)) further.max_near = options.tuning.flat_near;
    left.groups = in_parts ? RefineInParts(search, places, std::move(left.groups), further, options, true)
                           : SearchOn(search, places, std::move(left.groups), further, 1);
  }
  if (options.max_suppressed > 0 && !run.Stopped()) {
    const RefineOptions moves = in_parts ? RefineBy(search.tuning, Effort::kLow) : refine;
    left = LeaveOut(search, places, moves).From(std::move(left.groups), options.max_suppressed);
  }
  if (run.Stopped()) return Error::Cancelled();
  return left;
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
  const Search search{searched, to_divide, space, model, counted, options.tuning, run};
  CORDON_TRY(Left left, SearchGroups(search, std::move(equal.open), options));
  for (std::vector<Place>& group : left.groups) {
    for (Place& place : group) place = places[place];
    std::sort(group.begin(), group.end());
  }
  for (Place& place : left.out) place = places[place];
  std::sort(left.out.begin(), left.out.end());
  for (std::vector<Place>& group : equal.done) left.groups.push_back(std::move(group));
  return ToGroups(view, std::move(left.groups), left.out);
}

}  // namespace

Result<Groups> Partition(const View& view, const GroupModel& model, const CountedColumns& counted,
                         const PartitionOptions& options, const Run& run) {
  CORDON_RETURN_IF_ERROR(CheckSatisfiable(view, model, counted));
  run.Report("partition", 0, 0);
  if (view.size() > options.whole_rows && options.refine && SearchesInParts(model, options)) {
    return PartitionWithoutEqualRows(view, model, counted, options, run);
  }
  const RankSpace space(view, run);
  const Search search{view, view.size(), space, model, counted, options.tuning, run};
  CORDON_TRY(const Left left, SearchGroups(search, {}, options));
  return ToGroups(view, left.groups, left.out);
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
  const Search search{view, 0, space, model, counted, options.tuning, run};
  CORDON_TRY(const Left left, SearchGroups(search, std::move(sets), options));
  return ToGroups(view, left.groups, left.out);
}

}  // namespace cordon::engine
