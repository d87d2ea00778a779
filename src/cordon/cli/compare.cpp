// SPDX-License-Identifier: Apache-2.0
//
// cordon compare A B --original INPUT --policy P.toml        two releases, any tool's, under one evaluator
#include "cordon/publish/compare.h"

#include "cordon/cli/command.h"
#include "cordon/cli/measure_flags.h"
#include "cordon/policy/read_policy.h"

namespace cordon::engine {
namespace {

struct CompareArgs {
  CompareRequest request;
  std::vector<std::string> releases;
  std::string policy;
  MeasureFlags measure;
  bool json = false;
};

Result<Answer> RunCompare(const CompareArgs& args, Console& console, const Run& run) {
  CompareRequest request = args.request;
  request.releases.assign(args.releases.begin(), args.releases.end());
  CORDON_TRY(request.measure, args.measure.Options());
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  CORDON_TRY(const std::vector<ComparedRelease> sides, Compare(request, policy, run));
  console.Out(args.json ? Dump(ToJson(sides)) : Describe(sides));
  return Answer::kYes;
}

}  // namespace

Command AddCompare(CLI::App& app) {
  auto args = std::make_shared<CompareArgs>();
  CLI::App* parser = app.add_subcommand("compare", "Two or more releases, any tool's, under one evaluator");
  parser->add_option("RELEASES", args->releases, "The releases, side by side")->required()->expected(2, 16);
  parser->add_option("--policy", args->policy, "The policy they are held against")->required();
  parser->add_option("--original", args->request.original.name, "The table behind them")->required();
  parser->add_flag("--exempt-suppressed", args->request.exempt_suppressed,
                   "Leave rows with * in every quasi column out of the judgement");
  args->measure.AddTo(*parser, QueryOptions{}.queries);
  parser->add_flag("--json", args->json, "Print JSON");
  return {parser, [args](Console& console, const Run& run) { return RunCompare(*args, console, run); }};
}

}  // namespace cordon::engine
