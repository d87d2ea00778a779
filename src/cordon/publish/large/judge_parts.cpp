// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/large/judge_parts.h"

#include <algorithm>

#include "cordon/metrics/grouping.h"
#include "cordon/models/verify/parts_verifier.h"
#include "cordon/plan/check_guarded.h"
#include "cordon/plan/run_top_down.h"

namespace cordon::engine {
namespace {

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
  // A row of stars is suppressed or, without suppression, as general as its group.
  release.starred = made.starred == 0 ? 0 : std::min(made.starred, StarredRows(release));
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
  sum.starred += of_part.starred;
  if (of_part.groups == 0) return;
  sum.min_group = sum.groups == 0 ? of_part.min_group : std::min(sum.min_group, of_part.min_group);
  sum.max_group = std::max(sum.max_group, of_part.max_group);
  sum.groups += of_part.groups;
  sum.discernibility += of_part.discernibility;
}

// Groups that no model minds are what tdr and tdd warn of.
void AddHomogeneous(const JudgeOptions& options, const Release& part, const Run& run,
                    std::map<std::string, std::int64_t>& sum) {
  if (!options.algorithm.masks_values()) return;
  for (const std::size_t column : part.ColumnsOf(Role::kSensitive)) {
    const std::string& name = part.columns[column].attribute.name;
    if (NobodyGuards(options.policy, name)) sum[name] += HomogeneousGroups(part, name, run);
  }
}

void AddRows(const std::vector<std::string>& names, const Release& part, UniqueShare& sum) {
  std::vector<const Column*> columns;
  for (const std::string& name : names) {
    if (const ReleaseColumn* column = part.Find(name)) columns.push_back(&column->text);
  }
  if (columns.empty()) return;
  std::vector<std::string_view> cells(columns.size());
  for (std::size_t row = 0; row < part.num_rows; ++row) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i] = columns[i]->codes[row] == kNull ? std::string_view() : columns[i]->cell(row).bytes();
    }
    sum.Add(CombinationOf(cells), sum.rows());
  }
}

// Parts with rows. If all parts are empty, the first one: the models are asked about something.
std::vector<std::size_t> PartsToJudge(const Unjudged& made) {
  std::vector<std::size_t> parts;
  for (std::size_t part = 0; part < made.parts.num_buckets(); ++part) {
    if (made.parts.rows(part) > 0) parts.push_back(part);
  }
  if (parts.empty()) parts.push_back(0);
  return parts;
}

}  // namespace

Result<Judgement> JudgeParts(const Unjudged& made, const JudgeOptions& options, const Random& random, const Run& run) {
  const Run silent = run.Silent();
  const std::vector<std::size_t> parts = PartsToJudge(made);
  PartsVerifier verifier(options.policy.models);
  for (const std::size_t part : parts) {
    CORDON_TRY(const Release release, LoadPart(made, part, silent));
    CORDON_RETURN_IF_ERROR(verifier.Count(release));
  }
  CORDON_TRY(ShuffledRelease rows, ShuffledRelease::Create(options.folder, made.columns.size(), made.parts.num_buckets(),
                                                           random.Substream("row order")));
  Judgement judged{std::move(rows), {}, {}, {}, UniqueShare(), UniqueShare(), {}};
  for (const std::size_t part : parts) {
    run.Report("verify", judged.rows.num_rows(), made.rows);
    CORDON_TRY(Release release, LoadPart(made, part, silent));
    CORDON_TRY(const VerifiedRelease verified, verifier.Accept(std::move(release), silent));
    CORDON_TRY(const std::vector<SmallGroups> small, CountSmallGroups(verified.release(), {}, silent));
    AddGroups(small, judged.small_groups);
    Discernibility groups = MeasureDiscernibility(verified.release(), silent);
    groups.discernibility -= verified.release().num_rows * groups.starred;  // they are counted against all rows, in the end
    AddGroups(groups, judged.discernibility);
    AddHomogeneous(options, verified.release(), silent, judged.homogeneous);
    AddRows(options.policy.ColumnsPublishedAsIs(), verified.release(), judged.as_is);
    AddRows(GuardedSensitive(options.policy), verified.release(), judged.sensitive);
    CORDON_RETURN_IF_ERROR(judged.rows.Add(verified, silent));
  }
  CORDON_TRY(judged.verdicts, verifier.Finish());
  return judged;
}

}  // namespace cordon::engine
