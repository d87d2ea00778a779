// SPDX-License-Identifier: Apache-2.0
#include "cordon/publish/compare.h"

#include <algorithm>

#include "cordon/io/files/atomic_file.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/policy/exact_columns.h"
#include "cordon/report/html.h"
#include "cordon/report/report.h"

namespace cordon::engine {
namespace {

Result<ComparedRelease> Measure(const TableInput& input, const CompareRequest& request, const Policy& policy,
                                Microdata& original, const Run& run) {
  ComparedRelease side;
  side.name = input.name;
  CORDON_TRY(const Release release, ReadReleaseFile(input, policy, &original, std::nullopt, run));
  side.rows = release.num_rows;
  CORDON_TRY(side.utility, MeasureUtility(release, original, request.measure, run));
  side.risk = MeasureRisks(release, original, request.measure, ColumnsWithExactCells(policy), run);
  CORDON_TRY(side.verdicts, Verifier(ToldByRows(policy.models), {.exempt_suppressed = request.exempt_suppressed})
                                .Judge(release, run)
                                .WithContext("judging {}", input.name));
  return side;
}

Result<void> CheckComparedPage(const CompareRequest& request, const Policy& policy) {
  if (!request.html) return {};
  if (request.html->empty() || *request.html == "-") return Error::InvalidPolicy("--html needs the name of a file");
  std::vector<std::pair<std::string, std::string>> inputs = {{"the original", request.original.name},
                                                             {"the policy", policy.name}};
  for (const TableInput& release : request.releases) inputs.emplace_back("a release", release.name);
  // A release may be given twice; only what is written must not be one of them.
  for (const auto& input : inputs) CORDON_RETURN_IF_ERROR(CheckDistinct({input, {"--html", *request.html}}));
  return CheckReplaces(*request.html, kComparePageMark);
}

Result<void> WriteComparedPage(const CompareRequest& request, const std::vector<ComparedRelease>& sides) {
  std::vector<MapEntry> entries;
  for (const ComparedRelease& side : sides) {
    const bool holds = std::all_of(side.verdicts.begin(), side.verdicts.end(), [](const Verdict& each) { return each.holds; });
    entries.push_back({InputTitle(side.name), side.utility.loss.information_loss,
                       side.risk ? side.risk->release.prosecutor.highest : 0,
                       holds ? "all requirements hold" : "does not hold"});
  }
  return WriteFile(*request.html,
                   MapPage(InputTitle(request.original.name), kComparePageMark,
                           fmt::format("{} releases compared", sides.size()), entries, ""),
                   AtomicFile::Access::kPrivate);
}

}  // namespace

Result<std::vector<ComparedRelease>> Compare(const CompareRequest& request, const Policy& policy, const Run& run) {
  CORDON_RETURN_IF_ERROR(request.measure.Validate());
  CORDON_RETURN_IF_ERROR(CheckComparedPage(request, policy));
  CORDON_TRY(Microdata original, ReadOriginal(request.original, policy, run));
  std::vector<ComparedRelease> sides;
  for (const TableInput& input : request.releases) {
    CORDON_TRY(ComparedRelease side, Measure(input, request, policy, original, run));
    sides.push_back(std::move(side));
  }
  if (request.html) CORDON_RETURN_IF_ERROR(WriteComparedPage(request, sides));
  return sides;
}

std::string Describe(const std::vector<ComparedRelease>& sides) {
  std::string text;
  const auto row = [&](const std::string& name, const auto& cell) {
    std::string line = fmt::format("{:<28}", name);
    for (const ComparedRelease& side : sides) line += fmt::format(" {:>22}", cell(side));
    text += line + "\n";
  };
  row("", [](const ComparedRelease& side) {
    return side.name.size() > 22 ? "..." + side.name.substr(side.name.size() - 19) : side.name;
  });
  row("rows", [](const ComparedRelease& side) { return std::to_string(side.rows); });
  row("suppressed", [](const ComparedRelease& side) { return std::to_string(side.utility.discernibility.suppressed); });
  if (std::any_of(sides.begin(), sides.end(),
                  [](const ComparedRelease& side) { return side.utility.discernibility.dropped > 0; })) {
    row("dropped", [](const ComparedRelease& side) { return std::to_string(side.utility.discernibility.dropped); });
  }
  row("groups", [](const ComparedRelease& side) { return std::to_string(side.utility.discernibility.groups); });
  row("information loss",
      [](const ComparedRelease& side) { return fmt::format("{:.4f}", side.utility.loss.information_loss); });
  for (std::size_t i = 0; i < sides[0].utility.loss.per_attribute.size(); ++i) {
    row("  " + sides[0].utility.loss.per_attribute[i].first,
        [i](const ComparedRelease& side) { return fmt::format("{:.4f}", side.utility.loss.per_attribute[i].second); });
  }
  row("discernibility", [](const ComparedRelease& side) { return std::to_string(side.utility.discernibility.discernibility); });
  if (sides[0].utility.queries) {
    row("query error, median", [](const ComparedRelease& side) {
      const QueryError& error = *side.utility.queries;
      return error.quantiles.empty() ? std::string("none") : fmt::format("{:.4f}", error.median);
    });
  }
  if (sides[0].utility.kl) {
    row("KL divergence", [](const ComparedRelease& side) { return fmt::format("{:.4f}", side.utility.kl->mean); });
  }
  if (sides[0].risk) {
    row("prosecutor risk, average",
        [](const ComparedRelease& side) { return fmt::format("{:.4f}", side.risk->release.prosecutor.average); });
    row("prosecutor risk, highest",
        [](const ComparedRelease& side) { return fmt::format("{:.4f}", side.risk->release.prosecutor.highest); });
    row("marketer risk", [](const ComparedRelease& side) { return fmt::format("{:.4f}", side.risk->release.marketer); });
  }
  for (std::size_t i = 0; i < sides[0].verdicts.size(); ++i) {
    row(sides[0].verdicts[i].text, [i](const ComparedRelease& side) {
      const Verdict& verdict = side.verdicts[i];
      return (verdict.holds ? "holds, " : "FAILS, ") +
             (verdict.reached_shown.size() > 14 ? fmt::format("{:.4g}", verdict.reached) : verdict.reached_shown);
    });
  }
  return text;
}

Json ToJson(const std::vector<ComparedRelease>& sides) {
  Json json = Json::array();
  for (const ComparedRelease& side : sides) {
    Json one = {{"release", side.name},
                {"rows", side.rows},
                {"suppressed", side.utility.discernibility.suppressed},
                {"dropped", side.utility.discernibility.dropped},
                {"groups", side.utility.discernibility.groups},
                {"utility", ToJson(side.utility)},
                {"privacy", Json::array()}};
    if (side.risk) one["risk"] = ToJson(*side.risk);
    for (const Verdict& verdict : side.verdicts) one["privacy"].push_back(ToJson(verdict));
    json.push_back(std::move(one));
  }
  return json;
}

}  // namespace cordon::engine
