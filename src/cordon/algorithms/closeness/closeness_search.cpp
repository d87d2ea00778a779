// SPDX-License-Identifier: Apache-2.0
#include "cordon/algorithms/closeness/closeness_search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "cordon/algorithms/closeness/closeness_block.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/algorithms/partition/partition.h"
#include "cordon/base/parallel_for.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kMaxShardRows = 130'000;
constexpr std::int64_t kMaxLookAhead = 4096;  // rows of a group, if the models ask for many
constexpr std::size_t kMaxValues = 2048;      // of sensitive columns; of more, a group's counts are too long to be moved about
constexpr std::size_t kBlocksPerTried = 8;    // of which one is annealed first, to see whether it pays
constexpr std::int64_t kMaxGrown = 128;       // growing larger cores row by row takes too long; others' groups do then

SearchPlan PlanOf(const ClosenessSearchOptions& options, const MixLookahead& outlook, bool loose, bool large) {
  const ClosenessTuning& tuning = options.tuning;
  SearchPlan plan = tuning.normal;
  if (options.effort == Effort::kLow) plan = tuning.low;
  if (options.effort == Effort::kHigh) plan = tuning.high;
  if (loose) plan.sweeps *= tuning.loose_sweeps;
  if (options.effort != Effort::kLow && !loose && !large && !outlook.HasCaps()) plan.sweeps *= tuning.whole_sweeps;
  if (options.effort == Effort::kNormal && outlook.HasCaps()) {
    const bool mostly_rare = outlook.ShareNeeding(tuning.host_size) > tuning.mostly_rare;
    if (!mostly_rare) plan.ways = 1;
    plan.sweeps *= mostly_rare ? tuning.rare_sweeps : tuning.capped_sweeps;
  }
  if (plan.ways == 1) plan.trial_sweeps = 0;
  if (options.growth) plan.ways = 1;
  if (options.sweeps) plan.sweeps = *options.sweeps;
  return plan;
}

double HeatFor(const ClosenessTuning& tuning, double sweeps) {
  return std::min(tuning.most_heat, tuning.least_heat + sweeps / tuning.full_sweeps);
}

// The column whose mix is hardest to keep: that of the first model that compares with the whole.
std::optional<std::string> SteeringColumn(std::span<const ModelSpec> specs) {
  std::optional<std::string> other;
  for (const ModelSpec& spec : specs) {
    const std::vector<std::string> sensitive = SensitiveColumns(spec);
    if (sensitive.empty()) continue;
    if (std::holds_alternative<TClosenessSpec>(spec) || std::holds_alternative<BetaLikenessSpec>(spec)) return sensitive[0];
    if (!other) other = sensitive[0];
  }
  return other;
}

// Ways to begin, the likeliest first. If the mix asks for more rows than the models do, cores of a few times the
// least size leave room for rows between them; if it does not, small cores and nearly all rows in them are best.
std::vector<GrowthOptions> Ways(const ClosenessProblem& problem, std::int64_t least, const ClosenessSearchOptions& options) {
  if (options.growth) return {*options.growth};
  const auto times = [&](double factor) { return static_cast<std::int64_t>(std::ceil(factor * static_cast<double>(least))); };
  std::vector<GrowthOptions> ways = {{least, 0.8}, {least, 1}, {least, 0.6}, {times(1.2), 0.8}, {times(1.5), 0.8}};
  if (problem.outlook.HasCaps()) {
    ways = {{times(1.2), 0.9}, {times(1.6), 1}, {times(3), 1}, {least, 0.9}, {least, 0.8}};
  }
  if (problem.outlook.LooksAhead()) ways = {{times(2), 1}, {times(4), 1}, {least, 0.8}, {times(3), 1}, {times(8), 1}};
  if (least > problem.model.MinRows()) {
    ways = {{times(2.7), 0.5}, {times(2), 0.5}, {times(4), 0.5}, {times(1.4), 0.8}, {times(5), 1}};
  }
  std::erase_if(ways, [](const GrowthOptions& way) { return way.size > kMaxGrown; });
  return ways;
}

using Grouping = std::vector<RowGroup>;

// One block from nothing: every way is begun and tried a little, the best one goes on. False if the time was used up
// before there was any.
bool Solve(ClosenessBlock& block, std::span<const GrowthOptions> ways, std::span<const Grouping> starts, const SearchPlan& plan,
           const ClosenessTuning& tuning, const Random& random, const Run& run) {
  double best_cost = 0;
  bool grown = true;  // the best
  Grouping best;
  const auto consider = [&](bool is_grown, QuickRandom& quick) {
    const double heat = is_grown ? HeatFor(tuning, plan.trial_sweeps) : tuning.starts_heat;
    if (plan.trial_sweeps > 0 && run.Used() <= tuning.start_time) block.Improve(plan.trial_sweeps, heat, quick, run.Silent());
    if (!best.empty() && block.cost() >= best_cost) return;
    best_cost = block.cost();
    grown = is_grown;
    best = block.Result();
  };
  for (std::size_t way = 0; way < std::min(plan.ways, ways.size()) && !run.Stopped(); ++way) {
    if (run.Used() > tuning.start_time && !(starts.empty() && best.empty())) break;  // others' groups will do
    QuickRandom quick(random.Substream("way", way));
    if (!block.Begin(ways[way], quick, run)) break;
    consider(true, quick);
  }
  for (std::size_t start = 0; start < starts.size() && !run.Stopped(); ++start) {
    QuickRandom quick(random.Substream("start", start));
    block.BeginWith(starts[start]);
    if (!best.empty() && block.cost() > tuning.near * best_cost) continue;
    consider(false, quick);
  }
  if (best.empty()) return false;
  QuickRandom quick(random.Substream("improve"));
  block.BeginWith(best);
  block.Improve(plan.sweeps, grown ? HeatFor(tuning, plan.sweeps) : tuning.starts_heat, quick, run);
  return true;
}

// Shards with nearly the same mix of values each: rows in order of class and place, dealt out in turn.
std::vector<RowGroup> Deal(const ClosenessProblem& problem, const SearchRows& rows, std::size_t num_shards,
                           const Random& random) {
  const NeighbourTokens tokens(problem.spans, random.Substream("deal"));
  struct Place {
    std::uint8_t value_class;
    NeighbourKey key;
    std::uint32_t row;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    places[i] = {rows.value_classes[i], tokens.Key(rows.row(i)), static_cast<std::uint32_t>(i)};
  }
  std::sort(places.begin(), places.end());
  std::vector<RowGroup> shards(num_shards);
  for (std::size_t i = 0; i < places.size(); ++i) shards[i % num_shards].push_back(rows.ids[places[i].row]);
  return shards;
}

bool AllAdmitted(const ClosenessProblem& problem, std::span<const RowGroup> shards) {
  return std::all_of(shards.begin(), shards.end(), [&](const RowGroup& rows) {
    GroupCounts counts(problem.counted);
    counts.Add(rows);
    return problem.model.Admits(counts);
  });
}

// Neighbouring groups together, in the order of the tokens, cut into blocks of about shard_rows rows.
std::vector<std::vector<RowGroup>> CutBlocks(const ClosenessProblem& problem, std::vector<RowGroup> groups,
                                             const Random& random) {
  const NeighbourTokens tokens(problem.spans, random);
  std::vector<RowId> heads;
  for (const RowGroup& group : groups) heads.push_back(group.front());
  const SearchRows rows = SearchRows::Of(problem.data, problem.steering, problem.classes, heads);
  std::vector<std::pair<NeighbourKey, std::size_t>> order;
  for (std::size_t i = 0; i < groups.size(); ++i) order.emplace_back(tokens.Key(rows.row(i)), i);
  std::sort(order.begin(), order.end());
  std::vector<std::vector<RowGroup>> blocks(1);
  std::size_t in_block = 0;
  for (const auto& [key, group] : order) {
    if (in_block >= problem.tuning.shard_rows) {
      blocks.emplace_back();
      in_block = 0;
    }
    in_block += groups[group].size();
    blocks.back().push_back(std::move(groups[group]));
  }
  return blocks;
}

std::vector<RowGroup> Gather(std::vector<std::vector<RowGroup>> parts) {
  std::vector<RowGroup> all;
  for (std::vector<RowGroup>& part : parts) {
    for (RowGroup& group : part) all.push_back(std::move(group));
  }
  return all;
}

double CostOf(const ClosenessProblem& problem, std::span<const RowGroup> groups) {
  double cost = 0;
  for (const RowGroup& group : groups) {
    const SearchRows rows = SearchRows::Of(problem.data, problem.steering, problem.classes, group);
    for (std::size_t q = 0; q < rows.width; ++q) {
      Code lo = rows.row(0)[q];
      Code hi = lo;
      for (std::size_t i = 1; i < rows.size(); ++i) {
        lo = std::min(lo, rows.row(i)[q]);
        hi = std::max(hi, rows.row(i)[q]);
      }
      cost += static_cast<double>(problem.spans.Span(q, lo, hi)) * static_cast<double>(rows.size());
    }
  }
  return cost;
}

// Rounds of blocks of neighbours, cut again each time, so that rows find groups from anywhere in the table. If the first blocks
// of a round gain a smaller share than plan.least_gain, the others are left as they are and it is the last round.
Grouping ImproveInBlocks(const ClosenessProblem& problem, Grouping groups, double heat, const SearchPlan& plan,
                         const Random& random, const Run& run) {
  for (int round = 0; round < plan.rounds && !run.ShouldStop(); ++round) {
    const Random own = random.Substream("round", static_cast<std::uint64_t>(round));
    std::vector<std::vector<RowGroup>> blocks = CutBlocks(problem, std::move(groups), own);
    std::vector<double> before(blocks.size());
    std::vector<double> after(blocks.size());
    const auto improve = [&](std::size_t number) {
      RowGroup rows;
      for (const RowGroup& group : blocks[number]) rows.insert(rows.end(), group.begin(), group.end());
      const Random block_random = own.Substream("block", number);
      ClosenessBlock block(problem, rows, block_random);
      QuickRandom quick(block_random.Substream("improve"));
      block.BeginWith(blocks[number]);
      before[number] = block.cost();
      block.Improve(plan.round_sweeps, heat, quick, run.Silent());
      after[number] = block.cost();
      blocks[number] = block.Result();
    };
    // Blocks come in an order of the rows, so those tried first are from all over the table.
    const std::size_t tried = plan.least_gain > 0 ? blocks.size() / kBlocksPerTried : 0;
    ParallelFor(run.threads, tried, 1, [&](std::size_t i, std::size_t, std::size_t) { improve(i * kBlocksPerTried); });
    const double cost = std::accumulate(before.begin(), before.end(), 0.0);
    const bool last = tried > 0 && cost - std::accumulate(after.begin(), after.end(), 0.0) < plan.least_gain * cost;
    ParallelFor(run.threads, last ? 0 : blocks.size(), 1, [&](std::size_t number, std::size_t, std::size_t) {
      if (number % kBlocksPerTried != 0 || number / kBlocksPerTried >= tried) improve(number);
    });
    groups = Gather(std::move(blocks));
    if (last) break;
  }
  return groups;
}

// Groups of a table of many blocks, shard by shard. Growing them takes long, so it is tried in the first shard. Where even cuts
// of the whole table lose less per row, none is grown.
class ShardGrowth {
 public:
  ShardGrowth(const ClosenessProblem& problem, std::span<const RowGroup> shards, std::span<const GrowthOptions> ways,
              const SearchPlan& plan, const Random& random, const Run& run)
      : problem_(problem), shards_(shards), ways_(ways), plan_(plan), random_(random), run_(run), solved_(shards.size()) {}

  // What the first shard loses per row; infinite if there are no shards.
  double Try() {
    if (shards_.empty()) return std::numeric_limits<double>::infinity();
    SearchPlan brief = plan_;
    brief.ways = 1;
    brief.trial_sweeps = 0;
    brief.sweeps = std::min(plan_.sweeps, problem_.tuning.low.sweeps);
    as_planned_ = plan_.ways == 1 && brief.sweeps == plan_.sweeps;
    return SolveShard(0, brief);
  }
  // None if the time was used up before. REQUIRES: tried.
  Grouping Finish() {
    const std::size_t first = as_planned_ ? 1 : 0;
    ParallelFor(run_.threads, shards_.size() - first, 1, [&](std::size_t shard, std::size_t, std::size_t) {
      if (!run_.ShouldStop()) SolveShard(first + shard, plan_);
    });
    const bool whole = std::none_of(solved_.begin(), solved_.end(), [](const Grouping& groups) { return groups.empty(); });
    return whole ? Gather(std::move(solved_)) : Grouping();
  }

 private:
  double SolveShard(std::size_t shard, const SearchPlan& how) {
    const Random own = random_.Substream("shard", shard);
    ClosenessBlock block(problem_, shards_[shard], own);
    if (Solve(block, ways_, {}, how, problem_.tuning, own, run_.Silent())) solved_[shard] = block.Result();
    run_.Report("search", ++done_, shards_.size());
    return block.cost() / static_cast<double>(shards_[shard].size());
  }

  const ClosenessProblem& problem_;
  std::span<const RowGroup> shards_;
  std::span<const GrowthOptions> ways_;
  const SearchPlan& plan_;
  const Random& random_;
  const Run& run_;
  std::vector<Grouping> solved_;
  std::atomic<std::uint64_t> done_ = 0;
  bool as_planned_ = false;
};

std::size_t NumValues(const CountedColumns& counted) {
  std::size_t values = 0;
  for (std::size_t i = 0; i < counted.num_histograms(); ++i) values += static_cast<std::size_t>(counted.histogram_size(i));
  return values;
}

Grouping GroupingOf(const Groups& groups) {
  Grouping made;
  for (std::size_t group = 0; group < groups.size(); ++group) made.emplace_back(groups[group].begin(), groups[group].end());
  return made;
}

Groups GroupsOf(Grouping grouping) {
  Groups groups;
  for (RowGroup& group : grouping) {
    std::sort(group.begin(), group.end());
    groups.Add(group);
  }
  return groups;
}

// Groups that others made, moved on from there.
Grouping ImproveWhole(const ClosenessProblem& problem, const Grouping& groups, double sweeps, const Random& random,
                      const Run& run) {
  RowGroup rows;
  for (const RowGroup& group : groups) rows.insert(rows.end(), group.begin(), group.end());
  ClosenessBlock block(problem, rows, random);
  QuickRandom quick(random.Substream("improve"));
  block.BeginWith(groups);
  block.Improve(sweeps, problem.tuning.starts_heat, quick, run);
  return block.Result();
}

// Annealing moves single rows and keeps the number of groups. Partition's moves put groups together and divide them, and of few
// rows grow them again.
PartitionOptions RefinementOf(std::size_t num_rows, Effort effort, const ClosenessTuning& tuning) {
  PartitionOptions options{.effort = effort};
  if (num_rows > tuning.few_rows) return options;
  options.effort = Effort::kHigh;
  options.tuning.high = options.tuning.normal;  // wide unions take longer and find no more: german, equal t, .4242, .4221
  options.tuning.cycles = tuning.regrown_cycles * (effort == Effort::kHigh ? 3 : 1);
  options.tuning.uses_time = false;      // the work is bounded by the number of rows
  options.tuning.least_cycle_gain = -1;  // all cycles
  options.tuning.looks_per_row = std::min(tuning.most_looks, tuning.regrown_looks / static_cast<double>(num_rows));
  options.tuning.start_temperature = tuning.regrown_temperature;
  return options;
}

}  // namespace

Result<Groups> ClosenessSearch(const View& view, std::span<const ModelSpec> specs, const AllOf& model,
                               const Reference& reference, const CountedColumns& counted, const ClosenessSearchOptions& options,
                               const Random& random, const Run& run) {
  const std::optional<std::string> steering = SteeringColumn(specs);
  if (!steering) {
    return Error::InvalidPolicy("this search is for models of a sensitive column").WithHint("use algorithm = \"mondrian\"");
  }
  // Also the answer if not even all rows together are admitted.
  CORDON_TRY(const Groups cut, Mondrian(view, model, counted, {}, run));
  std::vector<Grouping> starts = {GroupingOf(cut)};
  for (const Groups& made : options.starts) starts.push_back(GroupingOf(made));

  std::size_t histogram = 0;
  while (reference.sensitive[histogram].name != *steering) ++histogram;
  const ValueClasses classes(reference.histograms[histogram]);
  const ClosenessProblem problem{view.data(),
                                 *view.data().Find(*steering),
                                 model,
                                 counted,
                                 classes,
                                 BoxSpans(view.data()),
                                 MixLookahead(specs, reference, histogram, classes),
                                 options.tuning};
  const ClosenessTuning& tuning = problem.tuning;
  const std::int64_t least = problem.outlook.LeastSize(model.MinRows(), kMaxLookAhead);
  const bool loose = least <= model.MinRows() && !problem.outlook.HasCaps() && !problem.outlook.LooksAhead();
  const bool large = view.size() > tuning.block_rows;
  const SearchPlan plan = PlanOf(options, problem.outlook, loose, large);
  std::vector<GrowthOptions> ways = Ways(problem, least, options);
  const Effort effort = options.effort;
  if (loose && !options.growth) {
    // If k alone decides the sizes, cuts come far, and refined ones are the better beginning.
    PartitionOptions by_cuts{.effort = effort, .size_decides = problem.outlook.UsuallyClose(model.MinRows())};
    if (by_cuts.size_decides && view.size() > tuning.block_rows) by_cuts.tuning.foresight_rows = tuning.foresight_rows;
    CORDON_TRY(const Groups refined, Partition(view, model, counted, by_cuts, run));
    starts.push_back(GroupingOf(refined));
    if (options.effort != Effort::kHigh) ways.clear();
  }
  const bool try_cuts = !loose && !options.growth;
  double cuts_cost = std::numeric_limits<double>::infinity();
  std::size_t largest_cut = 0;
  if (try_cuts) {
    CORDON_TRY(
        const Groups cuts,
        Partition(view, model, counted, {.effort = effort, .start = PartitionOptions::Start::kTopDown, .refine = false}, run));
    starts.push_back(GroupingOf(cuts));
    cuts_cost = CostOf(problem, starts.back());
    for (const RowGroup& group : starts.back()) largest_cut = std::max(largest_cut, group.size());
  }

  std::vector<RowGroup> shards;
  if (large && !ways.empty() && NumValues(counted) <= kMaxValues) {
    const SearchRows rows = SearchRows::Of(view.data(), problem.steering, classes, view.rows());
    // Shards too small for the rarest values are not admitted as a whole; larger ones may be. Where none is of a size that
    // can still be searched, others' groups are what is improved.
    for (std::size_t count = view.size() / tuning.shard_rows; count > 1 && view.size() / count <= kMaxShardRows; count /= 2) {
      shards = Deal(problem, rows, count, random);
      if (AllAdmitted(problem, shards)) break;
      shards.clear();
    }
  }
  const bool many_values = NumValues(counted) > kMaxValues;
  Grouping found;
  double cost = std::numeric_limits<double>::infinity();
  const auto keep_better = [&](Grouping other) {
    const double other_cost = CostOf(problem, other);
    if (other_cost >= cost) return false;
    cost = other_cost;
    found = std::move(other);
    return true;
  };
  double heat = tuning.starts_heat;
  // Where cuts alone come near what the search has found, they come further once they are refined.
  const auto near_best = [&](double best) {
    return try_cuts && !run.ShouldStop() && (view.size() <= tuning.few_rows || cuts_cost < tuning.near * best);
  };
  bool refined_cuts = false;
  const auto refine_cuts = [&]() -> Result<void> {
    refined_cuts = true;
    // At low effort cuts of a large table are followed side by side, unless one group keeps much of it whatever is cut: that
    // needs all others around it (census, 300,000 rows, beta = 1: .5009 against .4786).
    const bool spread = largest_cut * tuning.spread_share <= view.size();
    const PartitionOptions by_cuts{.effort = effort, .divide_first = effort == Effort::kLow && spread};
    CORDON_TRY(const Groups refined, Partition(view, model, counted, by_cuts, run));
    Grouping cuts = GroupingOf(refined);
    if (!large && !many_values) cuts = ImproveWhole(problem, cuts, plan.sweeps, random.Substream("cuts"), run);
    if (keep_better(std::move(cuts))) heat = tuning.starts_heat;
    return {};
  };
  if (!large && !many_values) {
    ClosenessBlock block(problem, view.rows(), random);
    if (Solve(block, ways, starts, plan, tuning, random, run)) keep_better(block.Result());
  } else {
    for (Grouping& start : starts) keep_better(std::move(start));
    const auto rows = static_cast<double>(view.size());
    ShardGrowth growth(problem, shards, ways, plan, random, run);
    const double per_row = growth.Try();
    bool grows = per_row < cuts_cost / rows;
    // At low effort it is worth while to refine the cuts first, if that is to be done anyway: mostly they then lose less.
    if (grows && effort == Effort::kLow && near_best(std::min(cost, per_row * rows))) {
      CORDON_RETURN_IF_ERROR(refine_cuts());
      grows = per_row < cost / rows;
    }
    Grouping grown = grows ? growth.Finish() : Grouping();
    if (!grown.empty() && keep_better(std::move(grown))) heat = HeatFor(tuning, plan.round_sweeps);
  }
  if (run.Stopped()) return Error::Cancelled();
  if (!refined_cuts && near_best(cost)) CORDON_RETURN_IF_ERROR(refine_cuts());
  if (large && !many_values) keep_better(ImproveInBlocks(problem, found, heat, plan, random, run));
  if (!large && !many_values && effort != Effort::kLow && !options.growth && !run.ShouldStop()) {
    const PartitionOptions refinement = RefinementOf(view.size(), effort, tuning);
    CORDON_TRY(const Groups refined, RefineGroups(view, GroupsOf(found), model, counted, refinement, run));
    keep_better(ImproveWhole(problem, GroupingOf(refined), plan.round_sweeps, random.Substream("refined"), run));
  }
  if (effort == Effort::kHigh && !large && !many_values && run.budget == nullptr) {
    ClosenessSearchOptions normal = options;
    normal.effort = Effort::kNormal;
    CORDON_TRY(const Groups made, ClosenessSearch(view, specs, model, reference, counted, normal, random, run.Silent()));
    keep_better(GroupingOf(made));
  }
  if (run.Stopped()) return Error::Cancelled();
  return GroupsOf(std::move(found));
}

}  // namespace cordon::engine
