// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/cut_table.h"

#include <algorithm>
#include <map>

#include "cordon/base/key_hash.h"
#include "cordon/base/radix_sort.h"
#include "cordon/models/admit/all_of.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kSampleRows = 1'000'000;
constexpr std::uint64_t kTrialRows = 100'000;      // of the sample
constexpr std::int64_t kLeastShard = 1000;         // rows on each side of a cut
constexpr std::int64_t kLeastShardOfGroups = 200;  // the same, in groups of the least size

// What a search takes per row and per group (docs/scale.md has the measurements).
std::uint64_t RowBytes(std::size_t num_columns) { return 40 + 8 * num_columns; }
std::uint64_t GroupBytes(std::size_t num_columns) { return 500 + 60 * num_columns; }

// Per row of a shard if no two rows are alike, so that groups are as many as the models allow.
std::uint64_t BytesPerRow(std::size_t num_columns, std::int64_t least_group) {
  return RowBytes(num_columns) + GroupBytes(num_columns) / static_cast<std::uint64_t>(std::max<std::int64_t>(least_group, 1));
}

// So many rows of the sample, any with the same chance.
std::vector<RowId> SomeRows(const Microdata& sample, std::uint64_t number, Random random) {
  std::vector<RowId> rows;
  for (RowId row = 0; row < sample.num_rows; ++row) {
    const auto wanted = static_cast<double>(number - rows.size());
    if (random.Unit() * static_cast<double>(sample.num_rows - row) < wanted) rows.push_back(row);
  }
  return rows;
}

// Groups of some rows of the sample, none if so few rows do not satisfy the models.
Result<Groups> TrialOf(const Microdata& sample, std::uint64_t most_rows, const CutOptions& options, const Random& random) {
  const std::uint64_t number = std::min<std::uint64_t>({sample.num_rows, most_rows, kTrialRows});
  Result<Groups> groups = options.search(View(sample, SomeRows(sample, number, random.Substream("trial of the plan"))));
  if (!groups.ok() && groups.error().kind() == ErrorKind::kUnsatisfiable) return Groups();
  return groups;
}

Result<RowSpill> IntoBoxes(const LargeTable& table, const ShardPlan& plan, const std::string& folder, const Run& run) {
  const std::vector<std::size_t> quasi = table.ColumnsOf(Role::kQuasi);
  CORDON_TRY(RowSpill boxes, RowSpill::Create(folder, table.columns.size(), plan.num_boxes()));
  const auto deal_out = [&](std::span<const Code> block) -> Result<void> {
    for (std::size_t at = 0; at < block.size(); at += table.columns.size()) {
      const std::span<const Code> row = block.subspan(at, table.columns.size());
      const std::size_t box = plan.BoxOf([&](std::size_t q) { return table.code(quasi[q], row[quasi[q]]); });
      CORDON_RETURN_IF_ERROR(boxes.Add(box, row));
    }
    run.Report("cut", boxes.rows(), table.num_rows);
    return {};
  };
  CORDON_RETURN_IF_ERROR(table.rows.Each(0, run, deal_out));
  CORDON_RETURN_IF_ERROR(boxes.Flush());
  return boxes;
}

// The boxes of each shard, and how many groups a search can make of it at most.
struct CountedShards {
  std::vector<std::vector<std::size_t>> boxes;
  std::vector<std::uint64_t> most_groups;
};

// REQUIRES: the number of rows decides. Then a combination that has rows enough for a group is not divided any further.
std::uint64_t MostGroups(std::vector<std::uint64_t> combination_of_rows, std::uint64_t least) {
  RadixSort(combination_of_rows, [](std::uint64_t combination) { return combination; });
  std::uint64_t groups = 0;
  std::uint64_t others = 0;  // rows
  for (auto at = combination_of_rows.begin(); at != combination_of_rows.end();) {
    const auto next = std::find_if(at, combination_of_rows.end(), [&](std::uint64_t other) { return other != *at; });
    const auto rows = static_cast<std::uint64_t>(next - at);
    if (rows >= least) ++groups;
    if (rows < least) others += rows;
    at = next;
  }
  return groups + others / least;
}

// What each box has, exactly, and from it which boxes make a shard.
Result<CountedShards> ShardsOf(const LargeTable& table, const ShardPlan& plan, const RowSpill& boxes,
                               std::span<const std::size_t> sensitive, const AllOf& model, const Run& run) {
  const std::vector<std::size_t> looked_at(sensitive.begin(), sensitive.end());
  const std::vector<std::size_t> quasi = table.ColumnsOf(Role::kQuasi);
  const Microdata none = MicrodataBuilder(table).Finish();
  const CountedColumns layout = ColumnsFor(model, none, looked_at);
  const auto least = static_cast<std::uint64_t>(std::max<std::int64_t>(model.MinRows(), 1));
  std::vector<GroupCounts> counts;
  std::vector<std::uint64_t> most_groups;  // by box
  for (std::size_t box = 0; box < boxes.num_buckets(); ++box) {
    run.Report("count", box, boxes.num_buckets());
    const std::size_t one[] = {box};
    std::vector<std::uint64_t> combinations;
    const auto meet = [&](std::size_t, std::span<const Code> row) {
      if (!sensitive.empty()) return;
      std::uint64_t hash = 0;
      for (const std::size_t column : quasi) {
        hash = KeyHash::Of(hash ^ (hash >> 32) ^ static_cast<std::uint64_t>(table.code(column, row[column])));
      }
      combinations.push_back(hash);
    };
    CORDON_TRY(const Microdata rows, LoadRows(boxes, one, MicrodataBuilder(table, looked_at), run, meet));
    most_groups.push_back(sensitive.empty() ? MostGroups(std::move(combinations), least) : boxes.rows(box) / least);
    const CountedColumns counted = ColumnsFor(model, rows, looked_at);
    GroupCounts of_box(counted);
    for (RowId row = 0; row < rows.num_rows; ++row) of_box.Add(row);
    counts.emplace_back(layout).Merge(of_box);
  }
  CountedShards shards;
  CORDON_TRY(shards.boxes, plan.Shards(counts, model));
  for (const std::vector<std::size_t>& of_shard : shards.boxes) {
    shards.most_groups.push_back(0);
    for (const std::size_t box : of_shard) shards.most_groups.back() += most_groups[box];
  }
  return shards;
}

Result<void> CheckShardsFit(const LargeTable& table, const CutTable& cut, const LargeMemory& memory, std::int64_t least_group) {
  std::uint64_t most = 0;
  for (std::size_t shard = 0; shard < cut.shards.size(); ++shard) most = std::max(most, cut.rows(shard));
  if (memory.rows_forced || most <= cut.shard_rows + cut.shard_rows / 4) return {};
  const std::uint64_t needed = memory.taken + most * BytesPerRow(table.columns.size(), least_group);
  return Error::InvalidPolicy("a shard of {} rows cannot be cut any further, and does not fit in --memory", most)
      .WithHint("give --memory {}MiB; rows with equal quasi cells stay together, and so do rows that the models cannot part",
                (needed >> 20) + 1);
}

std::vector<std::string> QuasiNames(const LargeTable& table) {
  std::vector<std::string> names;
  for (const std::size_t column : table.ColumnsOf(Role::kQuasi)) names.push_back(table.columns[column].attribute.name);
  return names;
}

}  // namespace

std::uint64_t LargeMemory::RowsThatFit(std::size_t num_columns, std::int64_t least_group) const {
  return rows_forced.value_or(RowsInBytesLeft(num_columns, least_group));
}

std::uint64_t LargeMemory::RowsInBytesLeft(std::size_t num_columns, std::int64_t least_group) const {
  return std::max<std::uint64_t>(left() / BytesPerRow(num_columns, least_group), 1);
}

Result<Microdata> SampleOf(const LargeTable& table, double share, Random random, const Run& run) {
  MicrodataBuilder sample(table);
  CORDON_RETURN_IF_ERROR(table.rows.Each(0, run, [&](std::span<const Code> block) {
    for (std::size_t at = 0; at < block.size(); at += table.columns.size()) {
      if (share >= 1 || random.Unit() < share) sample.Add(block.subspan(at, table.columns.size()));
    }
    return Result<void>();
  }));
  return sample.Finish();
}

Result<CutTable> CutIntoShards(LargeTable& table, const CutOptions& options, const Random& random,
                               std::vector<Warning>& warnings, const Run& run) {
  const std::vector<std::size_t>& sensitive = options.sensitive;
  CORDON_RETURN_IF_ERROR(CountWhole(table, sensitive, run));
  const Reference whole = ReferenceOf(MicrodataBuilder(table).Finish(), sensitive, {});
  CORDON_TRY(const AllOf model, AllOf::Make(options.policy.models, whole));
  const std::size_t num_columns = table.columns.size();
  const std::uint64_t shard_rows = options.memory.RowsThatFit(num_columns, model.MinRows());
  const double share = std::min(1.0, static_cast<double>(kSampleRows) / static_cast<double>(table.num_rows));
  CORDON_TRY(const Microdata sample, SampleOf(table, share, random.Substream("sample of the plan"), run));
  const auto usual = static_cast<std::uint64_t>(std::max(kLeastShard, kLeastShardOfGroups * model.MinRows()));
  const ShardPlanOptions limits{
      .shard_rows = shard_rows, .least_rows = std::min(usual, std::max<std::uint64_t>(shard_rows / 4, 1)), .sampled = share};
  Groups trial;
  if (static_cast<double>(sample.num_rows) > static_cast<double>(shard_rows) * share) {
    CORDON_TRY(trial, TrialOf(sample, options.memory.RowsInBytesLeft(num_columns, model.MinRows()), options, random));
  }
  CORDON_TRY(ShardPlan plan, ShardPlan::Learn(sample, trial, options.policy.models, whole, limits, run));
  CORDON_TRY(warnings, HomogeneousAllowed(options.policy, sample));
  CORDON_TRY(RowSpill boxes, IntoBoxes(table, plan, options.folder, run));
  {
    const RowSpill rows = std::move(table.rows);
  }  // gives the room on the disk back
  CORDON_TRY(CountedShards shards, ShardsOf(table, plan, boxes, sensitive, model, run));
  const std::uint64_t bytes_per_row = BytesPerRow(num_columns, model.MinRows());
  CutTable cut{std::move(plan), std::move(boxes), std::move(shards.boxes), shard_rows, {}, bytes_per_row};
  for (std::size_t shard = 0; shard < cut.shards.size(); ++shard) {
    cut.bytes.push_back(cut.rows(shard) * RowBytes(num_columns) + shards.most_groups[shard] * GroupBytes(num_columns));
  }
  CORDON_RETURN_IF_ERROR(CheckShardsFit(table, cut, options.memory, model.MinRows()));
  return cut;
}

Json ToJson(const CutTable& cut, const LargeTable& table) {
  const std::vector<std::string> names = QuasiNames(table);
  Json json = {{"tier", "shards"}, {"shard_rows", cut.shard_rows}, {"rows", Json::array()}};
  for (std::size_t shard = 0; shard < cut.shards.size(); ++shard) json["rows"].push_back(cut.rows(shard));
  json["cuts"] = Json::array();
  for (const ShardPlan::Cut& each : cut.plan.cuts())
    json["cuts"].push_back({names[each.quasi], each.at, each.left, each.right});
  return json;
}

std::string InWords(const CutTable& cut, const LargeTable& table) {
  if (cut.shards.size() == 1) return "in one shard: all rows are searched together";
  std::uint64_t least = cut.rows(0);
  std::uint64_t most = least;
  for (std::size_t shard = 1; shard < cut.shards.size(); ++shard) {
    least = std::min(least, cut.rows(shard));
    most = std::max(most, cut.rows(shard));
  }
  const std::vector<std::string> names = QuasiNames(table);
  std::map<std::size_t, std::size_t> cuts;
  for (const ShardPlan::Cut& each : cut.plan.cuts()) ++cuts[each.quasi];
  std::string by;
  for (const auto& [quasi, number] : cuts) by += fmt::format("{}{} by {}", by.empty() ? "" : ", ", number, names[quasi]);
  return fmt::format("in {} shards of {} to {} rows; cuts: {}", cut.shards.size(), least, most, by);
}

}  // namespace cordon::engine
