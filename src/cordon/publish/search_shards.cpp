// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cordon/data/recode.h"
#include "cordon/publish/make_release.h"
#include "cordon/publish/search_large.h"

namespace cordon::engine {
namespace {

// "shard 3 of 16: partition", "border 1 of 15: refine".
class StepProgress final : public Progress {
 public:
  StepProgress(Progress* inner, std::string step) : inner_(inner), step_(std::move(step)) {}
  void Report(std::string_view stage, std::uint64_t done, std::uint64_t total) override {
    if (inner_ != nullptr) inner_->Report(fmt::format("{}: {}", step_, stage), done, total);
  }

 private:
  Progress* inner_;
  std::string step_;
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
  const RowSpill& spill;
  std::vector<std::size_t> buckets;
};

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
        shard_of_(cut.plan.num_boxes()),
        searched_(cut.shards.size()) {
    for (std::size_t shard = 0; shard < cut.shards.size(); ++shard) {
      for (const std::size_t box : cut.shards[shard]) shard_of_[box] = shard;
    }
  }

  Result<Unjudged> All() {
    CORDON_TRY(const std::optional<std::size_t> waiting, Below(ShardPlan::kRoot));
    CORDON_CHECK(!waiting);
    return unjudged_.Finish();
  }

 private:
  static constexpr Code kStays = -1;

  // Searches all shards on one side of a cut. Gives the bucket of the groups that wait, if there are any.
  Result<std::optional<std::size_t>> Below(std::size_t node) {
    if (node >= cut_.plan.cuts().size()) {
      const std::size_t shard = shard_of_[node - cut_.plan.cuts().size()];
      if (searched_[shard]) return std::optional<std::size_t>();  // it has boxes on other sides too
      searched_[shard] = true;
      return Shard(shard, node);
    }
    std::vector<std::size_t> waiting;
    for (const std::size_t side : {cut_.plan.cuts()[node].left, cut_.plan.cuts()[node].right}) {
      CORDON_TRY(const std::optional<std::size_t> bucket, Below(side));
      if (bucket) waiting.push_back(*bucket);
    }
    if (waiting.empty()) return std::optional<std::size_t>();
    if (waiting.size() == 1 && node != ShardPlan::kRoot) return std::optional(waiting[0]);
    return Border(waiting, node);
  }

  Result<std::optional<std::size_t>> Shard(std::size_t shard, std::size_t node) {
    StepProgress progress(run_.progress, fmt::format("shard {} of {}", ++shards_done_, cut_.shards.size()));
    Run run = run_;
    run.progress = &progress;
    const StoredRows stored{cut_.boxes, cut_.shards[shard]};
    const Random random = random_.Substream("shard", shard);
    CORDON_TRY(const Microdata data, LoadRows(stored.spill, stored.buckets, MicrodataBuilder(table_), run));
    CORDON_TRY(Groups groups, SearchShard(options_.algorithm, data, options_.policy, options_.effort, random, run));
    return Settle(stored, data, std::move(groups), node, random, run);
  }

  // The groups that wait on both sides of a cut.
  Result<std::optional<std::size_t>> Border(std::vector<std::size_t> buckets, std::size_t node) {
    StepProgress progress(run_.progress, fmt::format("border {} of {}", ++borders_done_, cut_.shards.size() - 1));
    Run run = run_;
    run.progress = &progress;
    const StoredRows stored{waiting_, std::move(buckets)};
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
    CORDON_TRY(const Microdata data, LoadRows(stored.spill, stored.buckets, MicrodataBuilder(table_), run, into_group));
    Groups groups;
    for (const std::vector<RowId>& rows : sets) groups.Add(rows);
    sets = {};
    CORDON_TRY(groups, RefineShard(options_.algorithm, data, groups, options_.policy, options_.effort, run));
    return Settle(stored, data, std::move(groups), node, random_.Substream("border", node), run);
  }

  // Publishes the groups, apart from those that wait.
  Result<std::optional<std::size_t>> Settle(const StoredRows& stored, const Microdata& data, Groups groups, std::size_t node,
                                            const Random& random, const Run& run) {
    const bool may_wait = node != ShardPlan::kRoot && options_.algorithm.refine != nullptr;
    const std::vector<bool> wait = Costliest(data, groups, may_wait ? options_.part_rows / 2 : 0, run);
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
    CORDON_RETURN_IF_ERROR(Publish(View(data, std::move(rows)), published, random, run));
    if (number == 0) return std::optional<std::size_t>();
    CORDON_RETURN_IF_ERROR(LetWait(stored, waits_in, node));
    return std::optional(node);
  }

  Result<void> Publish(const View& rows, const Groups& groups, const Random& random, const Run& run) {
    const bool star = options_.policy.algorithm.suppressed == Suppression::kStar;
    const RecodeOptions recode{.suppressed = star ? SuppressedRows::kStar : SuppressedRows::kDrop};
    if (rows.size() > 0) {
      CORDON_TRY(const Release release, PublishShard(rows, groups, recode, random, run));
      CORDON_RETURN_IF_ERROR(unjudged_.Add(release, rows.size(), run));
    }
    GiveBackMemory();
    return {};
  }

  // Rows are told by their order on disk, where they are read again: a shard in memory does not have the texts' codes.
  Result<void> LetWait(const StoredRows& stored, const std::vector<Code>& waits_in, std::size_t node) {
    std::vector<Code> row(waiting_.width());
    std::size_t number = 0;
    const std::size_t width = stored.spill.width();
    const auto add = [&](std::span<const Code> block) -> Result<void> {
      for (std::size_t at = 0; at < block.size(); at += width, ++number) {
        if (waits_in[number] == kStays) continue;
        std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(at), row.size() - 1, row.begin());
        row.back() = waits_in[number];
        CORDON_RETURN_IF_ERROR(waiting_.Add(node, row));
      }
      return {};
    };
    for (const std::size_t bucket : stored.buckets) CORDON_RETURN_IF_ERROR(stored.spill.Each(bucket, run_, add));
    return waiting_.Flush();
  }

  const LargeTable& table_;
  const CutTable& cut_;
  const SearchLargeOptions& options_;
  const Random& random_;
  const Run& run_;
  RowSpill waiting_;  // a bucket per node of the plan: columns, then the number of the group
  UnjudgedRows unjudged_;
  std::vector<std::size_t> shard_of_;  // by box
  std::vector<bool> searched_;         // by shard
  std::size_t shards_done_ = 0;
  std::size_t borders_done_ = 0;
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
