// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/partition/partition_refine.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "cordon/algorithms/partition/box_anneal.h"
#include "cordon/algorithms/partition/box_cuts.h"
#include "cordon/algorithms/partition/refine.h"
#include "cordon/base/parallel_for.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kBoxesAtOnce = 1024;

// Groups, and the part in which each has been refined to its end, or kNoHome.
struct HomedGroups {
  RowSets groups;
  std::vector<std::uint32_t> homes;
};

// Of neighbouring groups.
std::vector<std::vector<std::uint32_t>> ChooseParts(const PartitionSearch& search, const RowSets& groups,
                                                    std::size_t part_rows) {
  const std::size_t d = search.space.num_quasi();
  const std::unique_ptr<BoxCuts> cuts = BoxCuts::Make(search.space, search.tuning);
  cuts->Resize(groups.size());
  std::vector<std::size_t> rows(groups.size());
  ParallelFor(search.run.threads, groups.size(), kBoxesAtOnce, [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<Rank> lows(d);
    std::vector<Rank> highs(d);
    for (std::size_t g = begin; g < end; ++g) {
      lows.assign(d, kHighestRank);
      highs.assign(d, -1);
      for (const Place row : groups[g]) {
        const Rank* const ranks = search.space.row(row);
        for (std::size_t q = 0; q < d; ++q) {
          lows[q] = std::min(lows[q], ranks[q]);
          highs[q] = std::max(highs[q], ranks[q]);
        }
      }
      cuts->Set(g, lows.data(), highs.data());
      rows[g] = groups[g].size();
    }
  });
  return cuts->Parts(rows, part_rows);
}

// Parts of neighbouring groups, side by side. REQUIRES: there are groups, each with rows.
HomedGroups RefineParts(const PartitionSearch& search, RowPlaces& places, HomedGroups all, const RefineOptions& options,
                        std::size_t part_rows, bool search_on) {
  std::vector<HomedGroups> parts;
  for (const std::vector<std::uint32_t>& ids : ChooseParts(search, all.groups, part_rows)) {
    parts.emplace_back();
    for (const std::uint32_t id : ids) {
      parts.back().groups.push_back(std::move(all.groups[id]));
      parts.back().homes.push_back(all.homes[id]);
    }
  }
  const Run silent = search.run.Silent();
  const PartitionSearch within{search.view,    search.to_divide, search.space, search.model,
                               search.counted, search.tuning,    silent};
  std::atomic<std::uint64_t> done = 0;
  ParallelFor(search.run.threads, parts.size(), 1, [&](std::size_t part, std::size_t, std::size_t) {
    auto& [groups, homes] = parts[part];
    if (search_on) {
      groups = SearchOn(within, places, std::move(groups), options, part + 1, 1);
      homes.assign(groups.size(), BoxTree::kNoHome);
    } else {
      GroupGate gate = search.Gate();
      GroupRefinement refinement(search.space, gate, places, std::move(groups), options, search.tuning);
      refinement.LookAcross(homes);
      refinement.Rounds(silent);
      groups = refinement.Take();
      homes.clear();
      for (const bool settled : refinement.Settled()) {
        homes.push_back(settled ? static_cast<std::uint32_t>(part) : BoxTree::kNoHome);
      }
    }
    search.run.Report("refine", ++done, parts.size());
  });
  HomedGroups joined;
  for (HomedGroups& part : parts) {
    for (std::vector<Place>& rows : part.groups) joined.groups.push_back(std::move(rows));
    joined.homes.insert(joined.homes.end(), part.homes.begin(), part.homes.end());
  }
  return joined;
}

// Whether annealing goes on until a budget of time is used up.
bool TakesTime(const PartitionSearch& search) { return search.run.budget != nullptr && search.tuning.uses_time; }

// Parts with about as many rows each, cut along an order of the boxes by their middles on all attributes, which come in a
// random order. So the borders lie elsewhere each time.
std::vector<RowSets> DealOut(const PartitionSearch& search, RowSets groups, std::size_t parts, QuickRandom& random) {
  const std::size_t d = search.space.num_quasi();
  std::vector<std::size_t> attributes(d);
  std::iota(attributes.begin(), attributes.end(), 0);
  for (std::size_t i = d; i > 1; --i) std::swap(attributes[i - 1], attributes[random.Below(i)]);
  std::vector<Rank> middles(groups.size() * d);
  std::size_t num_rows = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    num_rows += groups[g].size();
    for (std::size_t i = 0; i < d; ++i) {
      Rank lo = kHighestRank;
      Rank hi = -1;
      for (const Place row : groups[g]) {
        const Rank rank = search.space.row(row)[attributes[i]];
        lo = std::min(lo, rank);
        hi = std::max(hi, rank);
      }
      middles[g * d + i] = lo + hi;
    }
  }
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto of = [&](std::size_t g) { return std::span(middles).subspan(g * d, d); };
    return std::lexicographical_compare(of(a).begin(), of(a).end(), of(b).begin(), of(b).end());
  });
  std::vector<RowSets> dealt(parts);
  std::size_t before = 0;
  for (const std::size_t g : order) {
    const std::size_t rows = groups[g].size();
    dealt[std::min(before * parts / num_rows, parts - 1)].push_back(std::move(groups[g]));
    before += rows;
  }
  std::erase_if(dealt, [](const RowSets& part) { return part.empty(); });
  return dealt;
}

// Cools down once, in stretches: for each the groups are dealt out again, and the parts are annealed side by side.
RowSets AnnealInParts(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& options,
                      const AnnealOptions& cooling, std::size_t parts, QuickRandom& random) {
  const Run silent = search.run.Silent();
  const int stretches = search.tuning.anneal_stretches;
  const double begun = search.run.Used();
  std::size_t rows = 0;
  for (const std::vector<Place>& group : groups) rows += group.size();
  const double min_rows = static_cast<double>(search.Gate().min_rows());
  const auto temperature = [&](int stretch) {
    return cooling.temperature *
           std::pow(cooling.end_temperature / cooling.temperature, static_cast<double>(stretch) / stretches);
  };
  AnnealOptions anneal = cooling;
  anneal.looks_per_row = cooling.looks_per_row / stretches;
  anneal.unit = min_rows * TotalOf(search, places, groups) / static_cast<double>(rows);
  for (int stretch = 0; stretch < stretches && !search.run.ShouldStop(); ++stretch) {
    anneal.temperature = temperature(stretch);
    anneal.end_temperature = temperature(stretch + 1);
    anneal.until = begun + (cooling.until - begun) * (stretch + 1) / stretches;
    std::vector<RowSets> dealt = DealOut(search, std::move(groups), parts, random);
    std::vector<QuickRandom> randoms;
    for (std::size_t part = 0; part < dealt.size(); ++part) randoms.emplace_back(random.Next());
    ParallelFor(search.run.threads, dealt.size(), 1, [&](std::size_t part, std::size_t, std::size_t) {
      GroupGate gate = search.Gate();
      GroupRefinement refinement(search.space, gate, places, std::move(dealt[part]), options, search.tuning);
      refinement.Anneal(anneal, randoms[part], silent);
      dealt[part] = refinement.Take();
    });
    groups.clear();
    for (RowSets& part : dealt) {
      for (std::vector<Place>& made : part) groups.push_back(std::move(made));
    }
  }
  return groups;
}

// Of how many rows the parts are in which the seams are gone over, side by side; 0: as a whole. If a model can refuse a row
// more, parts are for groups that were cut first, and for low effort: if the model mostly admits MinRows rows (census, 300,000
// rows, ordered t = 0.2: .0225 against .0224 as a whole), or, in larger parts, if no group is so large that its part has few
// others that could take up its rows.
std::size_t SeamRows(const GroupModel& model, const RowSets& groups, const PartitionOptions& options) {
  if (SearchesInParts(model, options) || (options.size_decides && options.effort == Effort::kLow)) return options.whole_rows;
  if (!options.divide_first) return 0;
  const std::size_t part_rows = options.tuning.seam_parts * options.whole_rows;
  const bool small = std::all_of(groups.begin(), groups.end(), [&](const std::vector<Place>& rows) {
    return rows.size() <= part_rows / options.tuning.seam_share;
  });
  return small ? part_rows : 0;
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
    refinement.Anneal({.looks_per_row = tuning.normal_looks,
                       .temperature = tuning.normal_temperature,
                       .end_temperature = tuning.end_temperature,
                       .orders = tuning.normal_orders},
                      random, search.run);
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
                 std::uint64_t key, std::size_t parts) {
  const PartitionTuning& tuning = search.tuning;
  GroupGate gate = search.Gate();
  std::optional<GroupRefinement> refinement;
  refinement.emplace(search.space, gate, places, std::move(groups), options, tuning);
  refinement->Rounds(search.run);
  RowSets best = refinement->Take();
  double least = refinement->total();
  QuickRandom random(key);
  const bool by_time = TakesTime(search);
  int idle = 0;
  for (int cycle = 0; (by_time ? idle < tuning.idle_cycles : cycle < tuning.cycles) && !search.run.ShouldStop(); ++cycle) {
    search.run.Report("anneal", static_cast<std::uint64_t>(cycle), by_time ? 0 : static_cast<std::uint64_t>(tuning.cycles));
    const double used = search.run.Used();
    const AnnealOptions cooling{.looks_per_row = by_time ? tuning.timed_looks_per_row : tuning.looks_per_row,
                                .temperature = tuning.start_temperature,
                                .end_temperature = tuning.end_temperature,
                                .orders = tuning.orders,
                                .until = used + tuning.annealed_time * (1 - used)};
    if (parts == 1) {
      refinement->Anneal(cooling, random, search.run);
    } else {
      RowSets made = AnnealInParts(search, places, refinement->Take(), options, cooling, parts, random);
      refinement.emplace(search.space, gate, places, std::move(made), options, tuning);
    }
    refinement->Rounds(search.run);
    const double total = refinement->total();
    const bool pays = least - total > tuning.least_cycle_gain * least;
    idle = total < least ? 0 : idle + 1;
    if (total < least) {
      least = total;
      best = refinement->Take();
    }
    if (!pays && !by_time) break;
  }
  return best;
}

std::size_t AnnealedParts(const PartitionSearch& search) {
  if (!TakesTime(search)) return 1;
  const std::size_t most = std::max<std::size_t>(search.view.size() / search.tuning.annealed_rows, 1);
  return std::min(most, static_cast<std::size_t>(std::max(search.run.threads, 1)));
}

bool SearchesInParts(const GroupModel& model, const PartitionOptions& options) { return options.refine && model.monotone(); }

RowSets RefineInParts(const PartitionSearch& search, RowPlaces& places, RowSets groups, const RefineOptions& refine,
                      const PartitionOptions& options, bool search_on) {
  RefineOptions within = refine;
  within.rounds = std::min(refine.rounds, search.tuning.part_rounds);
  HomedGroups all{std::move(groups), {}};
  all.homes.assign(all.groups.size(), BoxTree::kNoHome);
  if (options.effort == Effort::kLow && SearchesInParts(search.model, options)) {
    const std::size_t part_rows = search.tuning.low_parts * options.part_rows;
    return RefineParts(search, places, std::move(all), within, part_rows, search_on).groups;
  }
  all = RefineParts(search, places, std::move(all), within, options.part_rows, search_on);
  RefineOptions seams = RefineBy(search.tuning, Effort::kLow);
  seams.max_visits = refine.max_visits;
  const std::size_t seam_rows = SeamRows(search.model, all.groups, options);
  if (seam_rows == 0) return RefineWhole(search, places, std::move(all.groups), seams);
  return RefineParts(search, places, std::move(all), seams, seam_rows, false).groups;
}

KeptGroups LeaveOut(const PartitionSearch& search, RowPlaces& places, const RefineOptions& options, RowSets groups,
                    std::uint64_t max_rows) {
  return LeavingOut(search, places, options).From(std::move(groups), max_rows);
}

}  // namespace cordon::engine
