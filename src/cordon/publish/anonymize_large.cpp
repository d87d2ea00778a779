// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/anonymize_large.h"

#include <algorithm>
#include <filesystem>

#include "cordon/bind/bind.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/io/files/interrupted.h"
#include "cordon/plan/check_guarded.h"
#include "cordon/plan/check_supported.h"
#include "cordon/plan/objective.h"
#include "cordon/plan/registry.h"
#include "cordon/plan/run_top_down.h"
#include "cordon/plan/unused_settings.h"
#include "cordon/publish/large/check_large.h"
#include "cordon/publish/large/combinations.h"
#include "cordon/publish/large/cut_table.h"
#include "cordon/publish/large/judge_parts.h"
#include "cordon/publish/large/large_table.h"
#include "cordon/publish/make_release.h"
#include "cordon/publish/repeat.h"
#include "cordon/publish/search_large.h"
#include "cordon/publish/stopwatch.h"
#include "cordon/publish/write_outputs.h"

namespace cordon::engine {
namespace {

constexpr std::uint64_t kProgramBytes = std::uint64_t{160} << 20;  // code, readers, buffers
constexpr std::uint64_t kWarningRows = 50'000;                     // of the sample that warnings are given from

// What a search over combinations takes for each of them, the number of its columns given (docs/scale.md).
std::uint64_t BytesPerCombination(std::size_t num_columns) { return 200 + 70 * num_columns; }

// What every step is given.
struct LargeRun {
  const AnonymizeRequest& request;
  const Policy& policy;
  const Choice& choice;
  const Run& run;
  std::string folder;                // of temporary files
  std::optional<Microdata> sample;   // some rows, for warnings of a search over combinations
  std::vector<std::string> refined;  // columns that such a search refined
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

// Rows that were dropped count 1.
InformationLoss MeanLoss(InformationLoss sum, std::uint64_t rows, std::uint64_t dropped) {
  const auto all = static_cast<double>(rows + dropped);
  const auto lost = static_cast<double>(dropped);
  sum.information_loss = (sum.information_loss + lost) / all;
  sum.information_loss_thesis = (sum.information_loss_thesis + lost) / all;
  for (auto& [name, loss] : sum.per_attribute) loss = (loss + lost) / all;
  return sum;
}

void TellOfGroups(Discernibility groups, const Report& report, Utility& utility) {
  groups.suppressed = report.suppressed;
  groups.dropped = report.dropped;
  const std::uint64_t all = report.rows + report.suppressed - groups.starred + report.dropped;
  groups.discernibility += all * (report.suppressed + report.dropped);
  if (groups.groups > 0) {
    groups.mean_group = static_cast<double>(report.rows - groups.starred) / static_cast<double>(groups.groups);
  }
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
  if (auto warning = WarnOfUniqueRows(large.policy.ColumnsPublishedAsIs(), judged.as_is.share(), !judged.as_is.exact())) {
    report.warnings.push_back(*std::move(warning));
  }
  const UniqueShare& sensitive = judged.sensitive;
  if (auto warning =
          WarnOfExactSensitive(GuardedSensitive(large.policy), sensitive.share(), sensitive.rows(), !sensitive.exact())) {
    report.warnings.push_back(*std::move(warning));
  }
  for (Warning& warning : UnusedSettings(large.policy, large.request, {large.choice.algorithm}))
    report.warnings.push_back(std::move(warning));
  if (large.choice.algorithm->masks_values()) {
    const TopDownFindings findings{[&] { return report.utility.discernibility.min_group; },
                                   [&](const std::string& column) { return judged.homogeneous[column]; }};
    for (Warning& warning : TopDownWarnings(large.policy, *large.sample, findings, large.refined))
      report.warnings.push_back(std::move(warning));
  } else if (report.utility.discernibility.min_group == 1) {
    report.warnings.push_back({"groups-of-one", {}, "some group is a single row: nothing hides whose it is; add k-anonymity"});
  }
}

LargeMemory MemoryFor(const LargeRun& large, const LargeTable& table) {
  return {*large.request.memory, kProgramBytes + table.bytes, large.request.shard_rows};
}

SearchLargeOptions OptionsFor(const LargeRun& large, std::uint64_t part_rows, std::uint64_t bytes) {
  return {large.policy, *large.choice.algorithm, large.request.effort.value_or(Effort::kNormal), large.folder, part_rows,
          bytes};
}

Result<Unjudged> ByShards(LargeRun& large, LargeTable& table, const Random& random, RunRecord& record, Report& report) {
  Stopwatch watch;
  const std::vector<std::size_t> sensitive = NamedColumns(MicrodataBuilder(table).Finish(), large.policy);
  const auto quickly = [&](const View& rows) {
    const Random of_trial = random.Substream("search of the plan");
    return SearchShard(*large.choice.algorithm, rows, large.policy, Effort::kLow, of_trial, large.run.Silent());
  };
  const CutOptions options{large.policy, sensitive, MemoryFor(large, table), large.folder, quickly};
  CORDON_TRY(CutTable cut, CutIntoShards(table, options, random, report.warnings, large.run));
  record.shards = ToJson(cut, table);
  record.shards["memory"] = *large.request.memory;
  CORDON_RETURN_IF_ERROR(CheckRepeats(large.request, record.shards));
  report.notes.push_back(InWords(cut, table));
  report.seconds.emplace_back("plan", watch.Lap());
  CORDON_TRY(Unjudged made,
             SearchShards(table, cut, OptionsFor(large, cut.shard_rows, options.memory.left()), random, large.run));
  report.seconds.emplace_back("anonymize", watch.Lap());
  return made;
}

Result<Unjudged> ByCombinations(LargeRun& large, const LargeTable& table, const Random& random, RunRecord& record,
                                Report& report) {
  Stopwatch watch;
  const AlgorithmEntry& algorithm = *large.choice.algorithm;
  const LargeMemory memory = MemoryFor(large, table);
  const std::uint64_t part_rows = memory.RowsThatFit(table.columns.size(), 1);
  const std::vector<std::size_t> columns = ColumnsThatDecide(table, large.policy, algorithm);
  const CombinationsOptions limits{large.folder, memory.taken, memory.bytes, BytesPerCombination(columns.size())};
  CORDON_TRY(const Combinations combinations, Combinations::Count(table, columns, limits, large.run));
  record.shards = {{"tier", "combinations"}, {"memory", *large.request.memory}, {"combinations", combinations.size()}};
  CORDON_RETURN_IF_ERROR(CheckRepeats(large.request, record.shards));
  report.notes.push_back(
      fmt::format("as {} different combinations of {} columns, each with its count", combinations.size(), columns.size()));
  if (algorithm.masks_values()) {
    const double share = std::min(1.0, static_cast<double>(kWarningRows) / static_cast<double>(table.num_rows));
    CORDON_TRY(large.sample, SampleOf(table, share, random.Substream("sample of the warnings"), large.run));
  }
  report.seconds.emplace_back("plan", watch.Lap());
  CombinationsNotes notes;
  CORDON_TRY(Unjudged made,
             SearchCombinations(table, combinations, OptionsFor(large, part_rows, memory.left()), random, notes, large.run));
  report.warnings = std::move(notes.warnings);
  large.refined = RefinedColumns(notes.algorithm);
  for (std::string& line : notes.algorithm.lines) report.notes.push_back(std::move(line));
  report.details = std::move(notes.algorithm.counts);
  report.seconds.emplace_back("anonymize", watch.Lap());
  return made;
}

// The steps, each of which lets go of what the one before it has made.
Result<Unjudged> ReadAndSearch(LargeRun& large, std::optional<Random>& random, RunRecord& record, Report& report) {
  Stopwatch watch;
  CORDON_TRY(LargeTable table, ReadForShards(large));
  report.seconds.emplace_back("read", watch.Lap());
  CORDON_TRY(random, RandomOf(large.request, table.input_sha256));
  record = {large.request.input.name, table.input_sha256, large.policy.digest, "", random->Save(), table.types};
  CORDON_TRY(Unjudged made, large.choice.algorithm->counts_weights ? ByCombinations(large, table, *random, record, report)
                                                                   : ByShards(large, table, *random, record, report));
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
  CORDON_RETURN_IF_ERROR(CheckServesLarge(request, policy, *choice.algorithm));
  CORDON_RETURN_IF_ERROR(CheckFiles(request, policy));
  LargeRun large{request, policy, choice, run, FolderOfRows(request), {}, {}};
  Report report;
  RunRecord record;
  std::optional<Random> random;
  std::optional<Judgement> judged;
  Stopwatch watch;
  {
    CORDON_TRY(const Unjudged made, ReadAndSearch(large, random, record, report));
    watch.Lap();
    CORDON_TRY(judged, JudgeParts(made, {policy, *choice.algorithm, large.folder}, *random, run));
  }
  report.seconds.emplace_back("verify", watch.Lap());
  TellOfVerdicts(large, *judged, report);
  report.peak_rss_mb = PeakRssMb();
  return WriteLargeRun(request, policy, judged->rows, std::move(record), std::move(report), run);
}

}  // namespace cordon::engine
