// SPDX-License-Identifier: Apache-2.0
//
// cordon compare A B --original INPUT --policy P.toml        two releases, any tool's, under one evaluator
#include <algorithm>

#include "cordon/cli/command.h"
#include "cordon/cli/inputs.h"
#include "cordon/cli/measure_flags.h"
#include "cordon/models/verify/verifier.h"
#include "cordon/policy/read_policy.h"
#include "cordon/report/report.h"

namespace cordon {
namespace {

struct CompareArgs {
  std::vector<std::string> releases;
  std::string policy;
  std::string original;
  MeasureFlags measure;
  bool exempt_suppressed = false;
  bool json = false;
};

struct Side {
  std::string name;
  std::uint64_t rows = 0;
  Utility utility;
  std::optional<RiskReport> risk;
  std::vector<Verdict> verdicts;
};

Result<Side> Evaluate(const std::string& path, const Policy& policy, Microdata& original, const MeasureOptions& options,
                      bool exempt, const Run& run) {
  Side side;
  side.name = path;
  CORDON_TRY(const Release release, ReadReleaseFile(path, policy, &original, std::nullopt, run));
  side.rows = release.num_rows;
  CORDON_TRY(side.utility, MeasureUtility(release, original, options, run));
  side.risk = MeasureRisks(release, original, options, policy.ColumnsPublishedAsIs(), run);
  CORDON_TRY(side.verdicts,
             Verifier(policy.models, {.exempt_suppressed = exempt}).Judge(release, run).WithContext("judging {}", path));
  return side;
}

void PrintTable(const std::vector<Side>& sides, Console& console) {
  const auto row = [&](const std::string& name, const auto& cell) {
    std::string line = fmt::format("{:<28}", name);
    for (const Side& side : sides) line += fmt::format(" {:>22}", cell(side));
    console.Print("{}", line);
  };
  row("", [](const Side& side) { return side.name.size() > 22 ? "..." + side.name.substr(side.name.size() - 19) : side.name; });
  row("rows", [](const Side& side) { return std::to_string(side.rows); });
  row("suppressed", [](const Side& side) { return std::to_string(side.utility.discernibility.suppressed); });
  if (std::any_of(sides.begin(), sides.end(), [](const Side& side) { return side.utility.discernibility.dropped > 0; })) {
    row("dropped", [](const Side& side) { return std::to_string(side.utility.discernibility.dropped); });
  }
  row("groups", [](const Side& side) { return std::to_string(side.utility.discernibility.groups); });
  row("information loss", [](const Side& side) { return fmt::format("{:.4f}", side.utility.loss.information_loss); });
  for (std::size_t i = 0; i < sides[0].utility.loss.per_attribute.size(); ++i) {
    row("  " + sides[0].utility.loss.per_attribute[i].first,
        [i](const Side& side) { return fmt::format("{:.4f}", side.utility.loss.per_attribute[i].second); });
  }
  row("discernibility", [](const Side& side) { return std::to_string(side.utility.discernibility.discernibility); });
  if (sides[0].utility.queries) {
    row("query error, median", [](const Side& side) {
      const QueryError& error = *side.utility.queries;
      return error.quantiles.empty() ? std::string("none") : fmt::format("{:.4f}", error.median);
    });
  }
  if (sides[0].utility.kl) {
    row("KL divergence", [](const Side& side) { return fmt::format("{:.4f}", side.utility.kl->mean); });
  }
  if (sides[0].risk) {
    row("prosecutor risk, average",
        [](const Side& side) { return fmt::format("{:.4f}", side.risk->release.prosecutor.average); });
    row("prosecutor risk, highest",
        [](const Side& side) { return fmt::format("{:.4f}", side.risk->release.prosecutor.highest); });
    row("marketer risk", [](const Side& side) { return fmt::format("{:.4f}", side.risk->release.marketer); });
  }
  for (std::size_t i = 0; i < sides[0].verdicts.size(); ++i) {
    row(sides[0].verdicts[i].text, [i](const Side& side) {
      const Verdict& verdict = side.verdicts[i];
      return (verdict.holds ? "holds, " : "FAILS, ") +
             (verdict.reached_text.size() > 14 ? fmt::format("{:.4g}", verdict.reached) : verdict.reached_text);
    });
  }
}

Json SidesJson(const std::vector<Side>& sides) {
  Json json = Json::array();
  for (const Side& side : sides) {
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

Result<Answer> RunCompare(const CompareArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const MeasureOptions options, args.measure.Options());
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  CORDON_TRY(Microdata original, ReadOriginal(args.original, policy, run));
  std::vector<Side> sides;
  for (const std::string& path : args.releases) {
    CORDON_TRY(Side side, Evaluate(path, policy, original, options, args.exempt_suppressed, run));
    sides.push_back(std::move(side));
  }
  if (args.json) {
    console.Out(Dump(SidesJson(sides)));
  } else {
    PrintTable(sides, console);
  }
  return Answer::kYes;
}

}  // namespace

Command AddCompare(CLI::App& app) {
  auto args = std::make_shared<CompareArgs>();
  CLI::App* parser = app.add_subcommand("compare", "Two or more releases, any tool's, under one evaluator");
  parser->add_option("RELEASES", args->releases, "The releases, side by side")->required()->expected(2, 16);
  parser->add_option("--policy", args->policy, "The policy they are held against")->required();
  parser->add_option("--original", args->original, "The table behind them")->required();
  parser->add_flag("--exempt-suppressed", args->exempt_suppressed,
                   "Leave rows with * in every quasi column out of the judgement");
  args->measure.AddTo(*parser, QueryOptions{}.queries);
  parser->add_flag("--json", args->json, "Print JSON");
  return {parser, [args](Console& console, const Run& run) { return RunCompare(*args, console, run); }};
}

}  // namespace cordon
