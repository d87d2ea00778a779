// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/anonymize_large.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "cordon/bind/bind.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/verify/parts_verifier.h"
#include "cordon/plan/check_guarded.h"
#include "cordon/plan/check_supported.h"
#include "cordon/plan/homogeneous.h"
#include "cordon/plan/objective.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/unused_settings.h"
#include "cordon/publish/large/check_large.h"
#include "cordon/publish/large/cut_table.h"
#include "cordon/publish/large/large_table.h"
#include "cordon/publish/large/shard_plan.h"
#include "cordon/publish/make_release.h"
#include "cordon/publish/repeat.h"
#include "cordon/publish/search_shards.h"
#include "cordon/publish/stopwatch.h"
#include "cordon/publish/write_outputs.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kProgramBytes = std::uint64_t{160} << 20;  // code, readers, buffers
constexpr std::uint64_t kSampleRows = 1'000'000;
constexpr std::int64_t kLeastShard = 1000;         // rows on each side of a cut
constexpr std::int64_t kLeastShardOfGroups = 200;  // the same, in groups of the least size

// What a search takes per row of a shard if no two rows are alike, so that groups are as many as the models allow
// (docs/scale.md has the measurements).
std::uint64_t BytesPerRow(std::size_t num_columns, std::int64_t least_group) {
  return 40 + 8 * num_columns + (500 + 60 * num_columns) / static_cast<std::uint64_t>(std::max<std::int64_t>(least_group, 1));
}

// What every step is given.
struct LargeRun {
  const AnonymizeRequest& request;
  const Policy& policy;
  const Choice& choice;
  const Run& run;
  std::string folder;            // of temporary files
  std::uint64_t shard_rows = 0;  // that fit in memory; known when the table is read
  std::uint64_t row_bytes = 0;   // that a search takes; known then too
};

// Next to the output, which needs the room anyway.
std::string FolderOfRows(const AnonymizeRequest& request) {
  const bool file = !request.output.empty() && request.output != "-" && !IsSpecialFile(request.output);
  if (file) return DirectoryOf(request.output);
  std::error_code failed;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(failed);
  return failed ? "." : temporary.string();
}

Result<LargeTable> ReadForShards(const LargeRun& large) {
  const AnonymizeRequest& request = large.request;
  const SourceOptions source{.text = large.policy.data.text,
                             .format = request.input_format,
                             .stop = large.run.stop,
                             .memory_mb = std::max<std::uint64_t>(*request.memory / 4 >> 20, 128),
                             .skip_columns = SkipColumns(large.policy)};
  return ReadLargeTable(request.input, large.policy, {source, large.folder, *request.memory}, large.run);
}

// 2. The plan.

void ChooseShardRows(const LargeTable& table, const GroupModel& model, LargeRun& large) {
  const std::uint64_t memory = *large.request.memory;
  const std::uint64_t taken = kProgramBytes + table.bytes;
  const std::uint64_t left = memory > taken ? memory - taken : 0;
  large.row_bytes = BytesPerRow(table.columns.size(), model.MinRows());
  large.shard_rows = large.request.shard_rows.value_or(std::max<std::uint64_t>(left / large.row_bytes, 1));
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

// What each box has, exactly, and from it which boxes make a shard.
Result<std::vector<std::vector<std::size_t>>> ShardsOf(const LargeTable& table, const ShardPlan& plan, const RowSpill& boxes,
                                                       std::span<const std::size_t> sensitive, const AllOf& model,
                                                       const Run& run) {
  const std::vector<std::size_t> looked_at(sensitive.begin(), sensitive.end());
  const Microdata none = MicrodataBuilder(table).Finish();
  const CountedColumns layout = ColumnsFor(model, none, looked_at);
  std::vector<GroupCounts> counts;
  for (std::size_t box = 0; box < plan.num_boxes(); ++box) {
    run.Report("count", box, plan.num_boxes());
    const std::size_t one[] = {box};
    CORDON_TRY(const Microdata rows, LoadRows(boxes, one, MicrodataBuilder(table, looked_at), run));
    const CountedColumns counted = ColumnsFor(model, rows, looked_at);
    GroupCounts of_box(counted);
    for (RowId row = 0; row < rows.num_rows; ++row) of_box.Add(row);
    counts.emplace_back(layout).Merge(of_box);
  }
  return plan.Shards(counts, model);
}

Result<void> CheckShardsFit(const LargeRun& large, const LargeTable& table, const CutTable& cut) {
  std::uint64_t most = 0;
  for (std::size_t shard = 0; shard < cut.shards.size(); ++shard) most = std::max(most, cut.rows(shard));
  if (large.request.shard_rows || most <= large.shard_rows + large.shard_rows / 4) return {};
  const std::uint64_t needed = kProgramBytes + table.bytes + most * large.row_bytes;
  return Error::InvalidPolicy("a shard of {} rows cannot be cut any further, and does not fit in --memory", most)
      .WithHint("give --memory {}MiB; rows with equal quasi cells stay together, and so do rows that the models cannot part",
                (needed >> 20) + 1);
}

// Takes the rows of the table, which are in the boxes then.
Result<CutTable> CutIntoShards(LargeRun& large, LargeTable& table, const Random& random, std::vector<Warning>& warnings) {
  const Run& run = large.run;
  const Microdata none = MicrodataBuilder(table).Finish();
  const std::vector<std::size_t> sensitive = NamedColumns(none, large.policy);
  CORDON_RETURN_IF_ERROR(CountWhole(table, sensitive, run));
  const Reference whole = ReferenceOf(MicrodataBuilder(table).Finish(), sensitive, {});
  CORDON_TRY(const AllOf model, AllOf::Make(large.policy.models, whole));
  ChooseShardRows(table, model, large);
  const double share = std::min(1.0, static_cast<double>(kSampleRows) / static_cast<double>(table.num_rows));
  CORDON_TRY(const Microdata sample, SampleOf(table, share, random.Substream("sample of the plan"), run));
  const auto usual = static_cast<std::uint64_t>(std::max(kLeastShard, kLeastShardOfGroups * model.MinRows()));
  const ShardPlanOptions options{.shard_rows = large.shard_rows,
                                 .least_rows = std::min(usual, std::max<std::uint64_t>(large.shard_rows / 4, 1)),
                                 .sampled = share};
  CORDON_TRY(ShardPlan plan, ShardPlan::Learn(sample, large.policy.models, whole, options, run));
  CORDON_TRY(warnings, HomogeneousAllowed(large.policy, sample));
  CORDON_TRY(RowSpill boxes, IntoBoxes(table, plan, large.folder, run));
  {
    const RowSpill rows = std::move(table.rows);
  }  // gives the room on the disk back
  CORDON_TRY(auto shards, ShardsOf(table, plan, boxes, sensitive, model, run));
  CutTable cut{std::move(plan), std::move(boxes), std::move(shards)};
  CORDON_RETURN_IF_ERROR(CheckShardsFit(large, table, cut));
  return cut;
}

std::vector<std::string> QuasiNames(const LargeTable& table) {
  std::vector<std::string> names;
  for (const std::size_t column : table.ColumnsOf(Role::kQuasi)) names.push_back(table.columns[column].attribute.name);
  return names;
}

// For the private record: enough to see that a run that is repeated is cut alike.
Json ShardsJson(const LargeRun& large, const LargeTable& table, const CutTable& cut) {
  const std::vector<std::string> names = QuasiNames(table);
  Json json = {{"memory", *large.request.memory}, {"shard_rows", large.shard_rows}, {"rows", Json::array()}};
  for (std::size_t shard = 0; shard < cut.shards.size(); ++shard) json["rows"].push_back(cut.rows(shard));
  json["cuts"] = Json::array();
  for (const ShardPlan::Cut& each : cut.plan.cuts())
    json["cuts"].push_back({names[each.quasi], each.at, each.left, each.right});
  return json;
}

std::string ShardsInWords(const LargeTable& table, const CutTable& cut) {
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

// Rows that were dropped count 1.
InformationLoss MeanLoss(InformationLoss sum, std::uint64_t rows, std::uint64_t dropped) {
  const auto all = static_cast<double>(rows + dropped);
  const auto lost = static_cast<double>(dropped);
  sum.information_loss = (sum.information_loss + lost) / all;
  sum.information_loss_thesis = (sum.information_loss_thesis + lost) / all;
  for (auto& [name, loss] : sum.per_attribute) loss = (loss + lost) / all;
  return sum;
}

// 3. The verdict.

struct Judgement {
  ShuffledRelease rows;
  std::vector<Verdict> verdicts;
  std::vector<SmallGroups> small_groups;
  Discernibility discernibility;
};

Result<Release> LoadPart(const Unjudged& made, std::size_t part, const Run& run) {
  std::vector<CodesBuilder> codes(made.columns.size());
  CORDON_RETURN_IF_ERROR(made.parts.Each(part, run, [&](std::span<const Code> block) {
    for (std::size_t at = 0; at < block.size(); ++at) codes[at % codes.size()].Add(block[at]);
    return Result<void>();
  }));
  Release release;
  release.num_rows = made.parts.rows(part);
  release.input_size = release.num_rows;
  release.columns = made.columns;
  for (std::size_t i = 0; i < codes.size(); ++i) release.columns[i].text.codes = codes[i].Finish();
  return release;
}

void AddGroups(const std::vector<SmallGroups>& of_part, std::vector<SmallGroups>& sum) {
  if (sum.empty()) {
    sum = of_part;
    return;
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i].rows += of_part[i].rows;
    sum[i].groups += of_part[i].groups;
  }
}

void AddGroups(const Discernibility& of_part, Discernibility& sum) {
  if (of_part.groups == 0) return;
  sum.min_group = sum.groups == 0 ? of_part.min_group : std::min(sum.min_group, of_part.min_group);
  sum.max_group = std::max(sum.max_group, of_part.max_group);
  sum.groups += of_part.groups;
  sum.discernibility += of_part.discernibility;
}

// A part without rows says nothing, unless there is no other.
std::vector<std::size_t> PartsToJudge(const Unjudged& made) {
  std::vector<std::size_t> parts;
  for (std::size_t part = 0; part < made.parts.num_buckets(); ++part) {
    if (made.parts.rows(part) > 0) parts.push_back(part);
  }
  if (parts.empty()) parts.push_back(0);
  return parts;
}

Result<Judgement> JudgeParts(const LargeRun& large, const Unjudged& made, const Random& random) {
  const Run silent = large.run.Silent();
  const std::vector<std::size_t> parts = PartsToJudge(made);
  PartsVerifier verifier(large.policy.models);
  for (const std::size_t part : parts) {
    CORDON_TRY(const Release release, LoadPart(made, part, silent));
    CORDON_RETURN_IF_ERROR(verifier.Count(release));
  }
  CORDON_TRY(ShuffledRelease rows, ShuffledRelease::Create(large.folder, made.columns.size(), made.parts.num_buckets(),
                                                           random.Substream("row order")));
  Judgement judged{std::move(rows), {}, {}, {}};
  for (const std::size_t part : parts) {
    large.run.Report("verify", judged.rows.num_rows(), made.rows);
    CORDON_TRY(Release release, LoadPart(made, part, silent));
    CORDON_TRY(const VerifiedRelease verified, verifier.Accept(std::move(release), silent));
    CORDON_TRY(const std::vector<SmallGroups> small, CountSmallGroups(verified.release(), {}, silent));
    AddGroups(small, judged.small_groups);
    AddGroups(MeasureDiscernibility(verified.release(), silent), judged.discernibility);
    CORDON_RETURN_IF_ERROR(judged.rows.Add(verified, silent));
  }
  CORDON_TRY(judged.verdicts, verifier.Finish());
  return judged;
}

void TellOfGroups(Discernibility groups, const Report& report, Utility& utility) {
  groups.suppressed = report.suppressed;
  groups.dropped = report.dropped;
  groups.discernibility += (report.rows + report.suppressed + report.dropped) * (report.suppressed + report.dropped);
  if (groups.groups > 0) groups.mean_group = static_cast<double>(report.rows) / static_cast<double>(groups.groups);
  utility.discernibility = groups;
}

void TellOfVerdicts(const LargeRun& large, Judgement& judged, Report& report) {
  report.algorithm = large.choice.algorithm->name;
  report.why = large.choice.why;
  report.people = report.rows;
  report.privacy = std::move(judged.verdicts);
  report.small_groups = std::move(judged.small_groups);
  report.unguarded = UnguardedIn(large.policy);
  TellOfGroups(judged.discernibility, report, report.utility);
  report.objective = {ObjectiveName(large.policy.algorithm.objective), ObjectiveValue(large.policy, report.utility)};
  report.tried = {{.algorithm = report.algorithm,
                   .information_loss = report.utility.loss.information_loss,
                   .objective = report.objective->value,
                   .kept = true}};
  for (const Verdict& verdict : report.privacy) {
    for (const std::string& text : verdict.warnings)
      report.warnings.push_back({ModelName(verdict.spec), SensitiveColumns(verdict.spec), text});
  }
  for (Warning& warning : UnusedSettings(large.policy, large.request, {large.choice.algorithm}))
    report.warnings.push_back(std::move(warning));
  if (report.utility.discernibility.min_group == 1) {
    report.warnings.push_back({"groups-of-one", {}, "some group is a single row: nothing hides whose it is; add k-anonymity"});
  }
}

// The steps, each of which lets go of what the one before it has made.
Result<Unjudged> ReadAndSearch(LargeRun& large, std::optional<Random>& random, RunRecord& record, Report& report) {
  Stopwatch watch;
  CORDON_TRY(LargeTable table, ReadForShards(large));
  report.seconds.emplace_back("read", watch.Lap());
  CORDON_TRY(random, RandomOf(large.request, table.input_sha256));
  CORDON_TRY(CutTable cut, CutIntoShards(large, table, *random, report.warnings));
  record = {large.request.input.name, table.input_sha256, large.policy.digest, "", random->Save(), table.types};
  record.shards = ShardsJson(large, table, cut);
  CORDON_RETURN_IF_ERROR(CheckRepeats(large.request, record.shards));
  report.notes.push_back(ShardsInWords(table, cut));
  report.seconds.emplace_back("plan", watch.Lap());
  const SearchShardsOptions options{large.policy, *large.choice.algorithm, large.request.effort.value_or(Effort::kNormal),
                                    large.folder, large.shard_rows};
  CORDON_TRY(Unjudged made, SearchShards(table, cut, options, *random, large.run));
  report.seconds.emplace_back("anonymize", watch.Lap());
  report.rows = made.rows;
  report.suppressed = made.suppressed;
  report.dropped = table.dropped_rows;
  report.utility.loss = MeanLoss(std::move(made.loss), table.num_rows, table.dropped_rows);
  return made;
}

}  // namespace

Result<Report> AnonymizeLarge(const AnonymizeRequest& request, const Policy& policy, const Run& run) {
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckStandsAlone(policy));
  CORDON_TRY(const Choice choice, ChooseSupported(request, policy));
  CORDON_RETURN_IF_ERROR(CheckServesShards(request, policy, *choice.algorithm));
  CORDON_RETURN_IF_ERROR(CheckFiles(request, policy));
  LargeRun large{request, policy, choice, run, FolderOfRows(request)};
  Report report;
  RunRecord record;
  std::optional<Random> random;
  std::optional<Judgement> judged;
  Stopwatch watch;
  {
    CORDON_TRY(const Unjudged made, ReadAndSearch(large, random, record, report));
    watch.Lap();
    CORDON_TRY(judged, JudgeParts(large, made, *random));
  }
  report.seconds.emplace_back("verify", watch.Lap());
  TellOfVerdicts(large, *judged, report);
  report.peak_rss_mb = PeakRssMb();
  return WriteLargeRun(request, policy, judged->rows, std::move(record), std::move(report), run);
}

}  // namespace cordon::engine
