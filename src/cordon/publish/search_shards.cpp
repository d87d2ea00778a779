// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "cordon/data/recode.h"
#include "cordon/publish/large/in_turn.h"
#include "cordon/publish/make_release.h"
#include "cordon/publish/search_large.h"

namespace cordon::engine {
namespace {

// "shard 3 of 16: partition", "border 1 of 15: refine": of the first of the steps that are under way.
class StepProgress final : public Progress {
 public:
  StepProgress(Progress* inner, const std::atomic<std::size_t>& ended, std::size_t step, std::string name)
      : inner_(inner), ended_(ended), step_(step), name_(std::move(name)) {}
  void Report(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    if (inner_ != nullptr && ended_ == step_) inner_->Report(fmt::format("{}: {}", name_, stage), done, total);
  }

 private:
  Progress* inner_;
  const std::atomic<std::size_t>& ended_;
  std::size_t step_;
  std::string name_;
};

// What a search has freed would stay with the program, in pieces that the next one cannot use as a whole.
void GiveBackMemory() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

// The loss of a row of each group.
std::vector<double> CostsOf(const Microdata& data, const Groups& groups, const Run& run) {
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  const Boxes boxes = BoxesOf(data, groups, run);
  std::vector<double> costs(groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t q = 0; q < quasi.size(); ++q) {
      const Attribute& attribute = data.columns[quasi[q]].attribute;
      costs[group] += attribute.weight * attribute.domain->Loss(boxes.at(group, q).lo, boxes.at(group, q).hi);
    }
  }
  return costs;
}

// Which groups wait: the costliest that lose anything, with no more than `most` rows together.
std::vector<bool> Costliest(const Microdata& data, const Groups& groups, std::uint64_t most, const Run& run) {
  std::vector<bool> chosen(groups.size());
  if (most == 0) return chosen;
  const std::vector<double> costs = CostsOf(data, groups, run);
  std::vector<std::size_t> order;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (costs[group] > 0) order.push_back(group);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  std::uint64_t rows = 0;
  for (const std::size_t group : order) {
    rows += groups[group].size();
    if (rows > most) break;
    chosen[group] = true;
  }
  return chosen;
}

// Rows on disk, and where.
struct StoredRows {
  const RowSpill* spill = nullptr;
  std::vector<std::size_t> buckets;
};

// What a step leaves behind when its turn comes.
struct Settled {
  StoredRows stored;
  std::optional<Release> release;  // of the rows that do not wait
  std::uint64_t searched = 0;      // rows that it is made of
  std::vector<Code> waits_in;      // the group of each stored row that waits
};

// Shards are searched first, each a step of its own, then the cuts from the last to the first: a cut comes before the cuts on
// its sides in the plan.
class ShardSearch {
 public:
  ShardSearch(const LargeTable& table, const CutTable& cut, const SearchLargeOptions& options, const Random& random,
              RowSpill waiting, UnjudgedRows unjudged, const Run& run)
      : table_(table),
        cut_(cut),
        options_(options),
        random_(random),
        run_(run),
        waiting_(std::move(waiting)),
        unjudged_(std::move(unjudged)),
        step_of_(cut.plan.cuts().size() + cut.plan.num_boxes()),
        waits_(step_of_.size()) {
    const std::size_t num_cuts = cut.plan.cuts().size();
    for (std::size_t i = 0; i < num_cuts; ++i) step_of_[i] = cut.shards.size() + num_cuts - 1 - i;
    for (std::size_t shard = 0; shard < cut.shards.size(); ++shard) {
      for (const std::size_t box : cut.shards[shard]) step_of_[num_cuts + box] = shard;
    }
  }

  Result<Unjudged> All() {
    const std::size_t num_borders = options_.algorithm.refine != nullptr ? cut_.plan.cuts().size() : 0;
    const StepsInTurn steps{.num_steps = cut_.shards.size() + num_borders,
                            .after = [&](std::size_t step) { return After(step); },
                            .bytes = [&](std::size_t step) { return Bytes(step); },
                            .work = [&](std::size_t step) { return Work(step); }};
    CORDON_RETURN_IF_ERROR(RunInTurn(steps, run_.threads, options_.bytes));
    return unjudged_.Finish();
  }

 private:
  static constexpr Code kStays = -1;

  bool IsShard(std::size_t step) const { return step < cut_.shards.size(); }
  // The place of its cut or, for a shard, of one of its boxes: there its groups wait.
  std::size_t NodeOf(std::size_t step) const {
    if (IsShard(step)) return cut_.plan.cuts().size() + cut_.shards[step].front();
    return cut_.shards.size() + cut_.plan.cuts().size() - 1 - step;
  }
  std::array<std::size_t, 2> SidesOf(std::size_t step) const {
    const ShardPlan::Cut& cut = cut_.plan.cuts()[NodeOf(step)];
    return {cut.left, cut.right};
  }
  std::size_t After(std::size_t step) const {
    if (IsShard(step)) return 0;
    const auto [left, right] = SidesOf(step);
    return std::max(step_of_[left], step_of_[right]) + 1;
  }
  std::uint64_t Bytes(std::size_t step) const {
    if (IsShard(step)) return cut_.bytes[step];
    std::uint64_t rows = 0;
    for (const std::size_t bucket : BucketsOf(step)) rows += waiting_.rows(bucket);
    return rows * cut_.bytes_per_row;
  }

  // Of the groups that wait on both sides of a cut.
  std::vector<std::size_t> BucketsOf(std::size_t step) const {
    std::vector<std::size_t> buckets;
    for (const std::size_t side : SidesOf(step)) {
      if (waits_[side]) buckets.push_back(*waits_[side]);
    }
    return buckets;
  }

  Result<StepsInTurn::End> Work(std::size_t step) {
    const std::size_t node = NodeOf(step);
    if (IsShard(step)) {
      CORDON_TRY(Settled settled, Shard(step, node));
      return EndOf(std::move(settled), node);
    }
    std::vector<std::size_t> buckets = BucketsOf(step);
    if (buckets.empty() || (buckets.size() == 1 && node != ShardPlan::kRoot)) {
      if (!buckets.empty()) waits_[node] = buckets[0];
      return StepsInTurn::End([this] { return Ended(); });
    }
    CORDON_TRY(Settled settled, Border(step, std::move(buckets), node));
    return EndOf(std::move(settled), node);
  }

  StepsInTurn::End EndOf(Settled settled, std::size_t node) {
    const auto held = std::make_shared<Settled>(std::move(settled));
    return [this, held, node]() -> Result<void> {
      CORDON_RETURN_IF_ERROR(Leave(*held, node));
      *held = {};
      GiveBackMemory();
      return Ended();
    };
  }

  Result<void> Ended() {
    ++ended_;
    return {};
  }

  Result<Settled> Shard(std::size_t shard, std::size_t node) {
    StepProgress progress(run_.progress, ended_, shard, fmt::format("shard {} of {}", shard + 1, cut_.shards.size()));
    Run run = run_;
    run.progress = &progress;
    StoredRows stored{&cut_.boxes, cut_.shards[shard]};
    const Random random = random_.Substream("shard", shard);
    CORDON_TRY(const Microdata data, LoadRows(*stored.spill, stored.buckets, MicrodataBuilder(table_), run));
    CORDON_TRY(Groups groups, SearchShard(options_.algorithm, View::All(data), options_.policy, options_.effort, random, run));
    return Settle(std::move(stored), data, std::move(groups), node, random, run);
  }

  Result<Settled> Border(std::size_t step, std::vector<std::size_t> buckets, std::size_t node) {
    StepProgress progress(run_.progress, ended_, step,
                          fmt::format("border {} of {}", step - cut_.shards.size() + 1, cut_.plan.cuts().size()));
    Run run = run_;
    run.progress = &progress;
    StoredRows stored{&waiting_, std::move(buckets)};
    std::vector<std::vector<RowId>> sets;
    std::size_t before = 0;  // groups of the buckets before this one
    std::size_t bucket = stored.buckets.front();
    RowId number = 0;
    const auto into_group = [&](std::size_t from, std::span<const Code> row) {
      if (from != bucket) before = sets.size();
      bucket = from;
      const std::size_t group = before + static_cast<std::size_t>(row.back());
      if (group >= sets.size()) sets.resize(group + 1);
      sets[group].push_back(number++);
    };
    CORDON_TRY(const Microdata data, LoadRows(*stored.spill, stored.buckets, MicrodataBuilder(table_), run, into_group));
    Groups groups;
    for (const std::vector<RowId>& rows : sets) groups.Add(rows);
    sets = {};
    CORDON_TRY(groups, RefineShard(options_.algorithm, data, groups, options_.policy, options_.effort, run));
    return Settle(std::move(stored), data, std::move(groups), node, random_.Substream("border", node), run);
  }

  // The groups as they are published, apart from those that wait.
  Result<Settled> Settle(StoredRows stored, const Microdata& data, Groups groups, std::size_t node, const Random& random,
                         const Run& run) const {
    const bool may_wait = node != ShardPlan::kRoot && options_.algorithm.refine != nullptr;
    const std::vector<bool> wait = Costliest(data, groups, may_wait ? options_.part_rows / 2 : 0, run);
    Settled settled{std::move(stored), {}, 0, {}};
    Groups published;
    published.suppressed = std::move(groups.suppressed);
    std::vector<RowId> rows = published.suppressed;
    std::vector<Code> waits_in(data.num_rows, kStays);
    Code number = 0;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (!wait[group]) {
        published.Add(groups[group]);
        rows.insert(rows.end(), groups[group].begin(), groups[group].end());
        continue;
      }
      for (const RowId row : groups[group]) waits_in[row] = number;
      ++number;
    }
    groups = {};
    if (number > 0) settled.waits_in = std::move(waits_in);
    if (rows.empty()) return settled;
    settled.searched = rows.size();
    const bool star = options_.policy.algorithm.suppressed == Suppression::kStar;
    const RecodeOptions recode{.suppressed = star ? SuppressedRows::kStar : SuppressedRows::kDrop};
    CORDON_TRY(settled.release, PublishShard(View(data, std::move(rows)), published, recode, random, run));
    return settled;
  }

  Result<void> Leave(const Settled& settled, std::size_t node) {
    if (settled.release) CORDON_RETURN_IF_ERROR(unjudged_.Add(*settled.release, settled.searched, run_.Silent()));
    if (settled.waits_in.empty()) return {};
    waits_[node] = node;
    return LetWait(settled.stored, settled.waits_in, node);
  }

  // Rows are told by their order on disk, where they are read again: a shard in memory does not have the texts' codes.
  Result<void> LetWait(const StoredRows& stored, const std::vector<Code>& waits_in, std::size_t node) {
    std::vector<Code> row(waiting_.width());
    std::size_t number = 0;
    const std::size_t width = stored.spill->width();
    const auto add = [&](std::span<const Code> block) -> Result<void> {
      for (std::size_t at = 0; at < block.size(); at += width, ++number) {
        if (waits_in[number] == kStays) continue;
        std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(at), row.size() - 1, row.begin());
        row.back() = waits_in[number];
        CORDON_RETURN_IF_ERROR(waiting_.Add(node, row));
      }
      return {};
    };
    for (const std::size_t bucket : stored.buckets) CORDON_RETURN_IF_ERROR(stored.spill->Each(bucket, run_, add));
    return waiting_.Flush(node);
  }

  const LargeTable& table_;
  const CutTable& cut_;
  const SearchLargeOptions& options_;
  const Random& random_;
  const Run& run_;
  RowSpill waiting_;  // a bucket per node of the plan: columns, then the number of the group
  UnjudgedRows unjudged_;
  std::vector<std::size_t> step_of_;               // by node
  std::vector<std::optional<std::size_t>> waits_;  // by node: the bucket of the groups that wait there
  std::atomic<std::size_t> ended_ = 0;             // steps
};

}  // namespace

Result<Unjudged> SearchShards(const LargeTable& table, const CutTable& cut, const SearchLargeOptions& options,
                              const Random& random, const Run& run) {
  const std::size_t num_nodes = cut.plan.cuts().size() + cut.plan.num_boxes();
  CORDON_TRY(RowSpill waiting, RowSpill::Create(options.folder, table.columns.size() + 1, num_nodes));
  CORDON_TRY(UnjudgedRows unjudged, UnjudgedRows::Create(table, options.folder, options.part_rows));
  return ShardSearch(table, cut, options, random, std::move(waiting), std::move(unjudged), run).All();
}

}  // namespace cordon::engine
