// SPDX-License-Identifier: Apache-2.0
//
// cordon compare A B --original INPUT --policy P.toml        two releases, any tool's, under one evaluator
#include "cordon/publish/compare.h"

#include "cordon/cli/command.h"
#include "cordon/cli/measure_flags.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/cli/tell.h"

namespace cordon::engine {
namespace {

struct CompareArgs {
  CompareRequest request;
  std::vector<std::string> releases;
  PolicyFlags policy;
  MeasureFlags measure;
  bool json = false;
};

Result<Answer> RunCompare(const CompareArgs& args, Console& console, const Run& run) {
  CompareRequest request = args.request;
  request.releases.assign(args.releases.begin(), args.releases.end());
  CORDON_TRY(request.measure, args.measure.Options());
  CORDON_TRY(const Policy policy, args.policy.Read());
  CORDON_TRY(const std::vector<ComparedRelease> sides, Compare(request, policy, run));
  args.json ? console.Out(Dump(ToJson(sides))) : console.Say(Describe(sides));
  if (request.html) TellOfFiles({.open = {}, .secret = {*request.html}}, console);
  return Answer::kYes;
}

}  // namespace

Command AddCompare(CLI::App& app) {
  auto args = std::make_shared<CompareArgs>();
  CLI::App* parser = app.add_subcommand("compare", "Two or more releases, any tool's, under one evaluator");
  parser->add_option("RELEASES", args->releases, "The releases, side by side")->required()->expected(2, 16);
  args->policy.AddTo(*parser, "The policy by which they are judged");
  parser->add_option("--original", args->request.original.name, "The table behind them")->type_name("FILE")->required();
  parser->add_flag("--exempt-suppressed", args->request.exempt_suppressed,
                   "Leave rows with * in every quasi column out of the judgement");
  parser->add_option("--html", args->request.html, "Write a page with a map of risk against loss; private")->type_name("FILE");
  args->measure.AddTo(*parser, QueryOptions{}.queries);
  parser->add_flag("--json", args->json, "Print JSON");
  Explain(*parser,
          {{"Policy and input", {"--policy", "--set", "--delimiter", "--no-header", "--original", "--exempt-suppressed"}},
           {"Measures",
            {"--queries", "--query-quasi", "--query-selectivity", "--query-seed", "--kl", "--risk-threshold",
             "--sampling-fraction"}},
           {"Output", {"--html", "--json"}}},
          {"cordon compare a.csv b.csv -p policy.toml --original patients.csv",
           "cordon compare a.csv b.csv c.csv -p policy.toml --original patients.csv --queries 1000",
           "cordon compare a.csv b.csv -p policy.toml --original patients.csv --json"});
  return {parser, [args](Console& console, const Run& run) { return RunCompare(*args, console, run); }};
}

}  // namespace cordon::engine
