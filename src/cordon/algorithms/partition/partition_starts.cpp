// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/partition_starts.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "cordon/algorithms/partition/partition_cuts.h"
#include "cordon/algorithms/partition/partition_peel.h"
#include "cordon/algorithms/partition/partition_refine.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

using Start = PartitionOptions::Start;

constexpr std::size_t kTaskRows = 50'000;
constexpr std::size_t kTasksAtOnce = 64;   // where tasks are many and small
constexpr std::size_t kMaxSiblings = 512;  // children of one node that are cut off one by one
constexpr std::size_t kFanOutRows = 10'000;

// Large runs are cut one after the other, down to tasks that are worked on side by side; parts come in the order of
// the runs, so the result is that of one thread.
class Spreading {
 public:
  explicit Spreading(const PartitionSearch& search)
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
  StartGroups WithExpulsion(std::vector<Place> rows, double price) {
    StartGroups started;
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

  const PartitionSearch& search_;
  GroupGate gate_;
  PartitionCuts top_down_;
  std::vector<std::span<Place>> tasks_;
};

StartGroups FromTheTop(const PartitionSearch& search, double price) {
  std::vector<Place> all(search.to_divide);
  std::iota(all.begin(), all.end(), Place{0});
  return Spreading(search).WithExpulsion(std::move(all), price);
}

// Each divided further.
StartGroups DivideAll(const PartitionSearch& search, RowSets peeled) {
  std::vector<RowSets> parts(peeled.size());
  std::vector<double> totals(peeled.size());
  ParallelFor(search.run.threads, peeled.size(), 64, [&](std::size_t, std::size_t begin, std::size_t end) {
    GroupGate own = search.Gate();
    PartitionCuts top_down(search.space, own, search.tuning);
    for (std::size_t i = begin; i < end; ++i) totals[i] = top_down.Divide(peeled[i], parts[i]);
  });
  StartGroups started;
  started.total = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    started.total += totals[i];
    for (std::vector<Place>& rows : parts[i]) started.groups.push_back(std::move(rows));
  }
  return started;
}

View RowsToDivide(const PartitionSearch& search) {
  const std::span<const RowId> all = search.view.rows().first(search.to_divide);
  return View(search.view.data(), {all.begin(), all.end()});
}

Result<StartGroups> FromPeeling(const PartitionSearch& search) {
  GroupGate gate = search.Gate();
  const double price = search.tuning.peel_price * search.space.suppressed_loss();
  CORDON_TRY(RowSets peeled, Peel(RowsToDivide(search), search.space, gate, price, search.run));
  return DivideAll(search, std::move(peeled));
}

Result<StartGroups> FromFinest(const PartitionSearch& search, const FinestSteps& steps) {
  GroupGate gate = search.Gate();
  CORDON_TRY(RowSets peeled, PeelFinest(RowsToDivide(search), search.space, gate, search.tuning, steps, search.run));
  return DivideAll(search, std::move(peeled));
}

// Few groups are refined fast, and their starts say little about their ends.
Result<void> AddOtherPeelings(const PartitionSearch& search, std::size_t groups, std::vector<StartGroups>& starts) {
  const auto late = [&] { return search.run.Used() > search.tuning.start_time; };
  if (late()) return {};
  CORDON_TRY(StartGroups peeled, FromPeeling(search));
  starts.push_back(std::move(peeled));
  if (late()) return {};
  const bool very_few = groups <= search.tuning.very_few;
  CORDON_TRY(StartGroups other, FromFinest(search, very_few ? search.tuning.finest_from_top : search.tuning.finest_large));
  starts.push_back(std::move(other));
  return {};
}

// The cuts, or one peeling, or more if it takes the refinement to tell which is the better one: models that can refuse a row
// more let some starts improve and others hardly, so the loss of a start says little.
Result<std::vector<StartGroups>> ChooseStarts(const PartitionSearch& search, const PartitionOptions& options,
                                              StartGroups cuts) {
  std::vector<StartGroups> starts;
  starts.push_back(std::move(cuts));
  // Peeling keeps or drops a flat column of very many values as a whole, and cuts what it keeps one value at a time.
  if (options.effort == Effort::kLow || HasFlatColumn(search) || search.run.Used() > search.tuning.start_time) return starts;
  // Columns whose labels give no levels cannot be peeled; the cuts serve as well.
  const bool finest = SearchesLonger(search, options) && search.space.num_quasi() <= search.tuning.finest_quasi;
  Result<StartGroups> peeled = finest ? FromFinest(search, search.tuning.finest) : FromPeeling(search);
  if (!peeled.ok()) return starts;
  const std::size_t groups = search.view.size() / std::max<std::size_t>(search.Gate().min_rows(), 1);
  if (finest && groups <= search.tuning.few_groups) {
    starts.push_back(std::move(peeled).value());
    // Annealing box by box leaves the start far behind.
    if (!AnnealsBoxes(search)) CORDON_RETURN_IF_ERROR(AddOtherPeelings(search, groups, starts));
    return starts;
  }
  if (search.model.monotone() || options.size_decides || !options.refine) {
    if (starts[0].total < search.tuning.expel_advantage * peeled.value().total) return starts;
    starts.clear();
  }
  starts.push_back(std::move(peeled).value());
  return starts;
}

// Large tables are peeled in the time of the cuts, and peeled groups improve more: census, 10,000,000 rows, k = 10, low effort:
// .0057 instead of .0062.
bool PeelsAlone(const PartitionSearch& search, const PartitionOptions& options) {
  const bool large = search.view.size() > options.whole_rows || search.to_divide < search.view.size();
  return large && options.refine && search.model.monotone() && search.space.num_quasi() <= search.tuning.finest_quasi &&
         !HasFlatColumn(search);
}

}  // namespace

Result<std::vector<StartGroups>> StartsOf(const PartitionSearch& search, const PartitionOptions& options) {
  std::vector<StartGroups> starts;
  if (options.start == Start::kTopDown) {
    starts.push_back(FromTheTop(search, -1));
    return starts;
  }
  if (options.start == Start::kPeel) {
    CORDON_TRY(StartGroups peeled, FromPeeling(search));
    starts.push_back(std::move(peeled));
    return starts;
  }
  if (PeelsAlone(search, options)) {
    Result<StartGroups> peeled = FromPeeling(search);
    if (peeled.ok()) {
      starts.push_back(std::move(peeled).value());
      return starts;
    }
  }
  StartGroups cuts = FromTheTop(search, search.tuning.expel_price * search.space.suppressed_loss());
  const bool keeps_low = options.refine && options.effort != Effort::kLow &&
                         (search.model.monotone() || options.size_decides) && search.to_divide == search.view.size() &&
                         search.view.size() <= options.whole_rows;
  if (!keeps_low) return ChooseStarts(search, options, std::move(cuts));
  // What low effort finds is kept, so that no more is lost than there.
  StartGroups low = cuts;
  low.as_low = true;
  CORDON_TRY(starts, ChooseStarts(search, options, std::move(cuts)));
  starts.push_back(std::move(low));
  return starts;
}

bool SearchesLonger(const PartitionSearch& search, const PartitionOptions& options) {
  return options.refine && options.effort != Effort::kLow && search.to_divide == search.view.size() &&
         search.view.size() <= options.whole_rows && search.Gate().rows_decide();
}

bool HasFlatColumn(const PartitionSearch& search) {
  std::vector<Place> all(search.to_divide);
  std::iota(all.begin(), all.end(), Place{0});
  return all.size() >= kFanOutRows && search.space.WidestNode(all, kMaxSiblings).has_value();
}

RowSets DivideLarge(const PartitionSearch& search, RowSets groups) {
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

}  // namespace cordon::engine
