// SPDX-License-Identifier: Apache-2.0
//
// cordon sweep INPUT --policy P.toml --k 2,5,10        what does a parameter cost?
#include "cordon/publish/sweep.h"

#include <algorithm>

#include "cordon/cli/command.h"
#include "cordon/cli/measure_flags.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/cli/tell.h"

namespace cordon::engine {
namespace {

struct SweepArgs {
  std::string input;
  PolicyFlags policy;
  std::vector<std::string> k;
  std::vector<std::string> l;
  std::vector<std::string> t;
  std::vector<std::string> beta;
  std::vector<std::string> algorithms;
  std::optional<std::string> svg;
  std::optional<std::string> html;
  MeasureFlags measure;
  std::uint64_t seed = 1;
  bool json = false;
};

Result<SweepRequest> RequestOf(const SweepArgs& args) {
  SweepRequest request;
  CORDON_TRY(request.k, ParseSweepValues("k", "--k", args.k));
  CORDON_TRY(request.l, ParseSweepValues("l", "--l", args.l));
  CORDON_TRY(request.t, ParseSweepValues("t", "--t", args.t));
  CORDON_TRY(request.beta, ParseSweepValues("beta", "--beta", args.beta));
  request.input = args.input;
  request.svg = args.svg;
  request.html = args.html;
  request.algorithms = args.algorithms;
  request.seed = args.seed;
  CORDON_TRY(request.measure, args.measure.Options());
  return request;
}

Result<Answer> RunSweep(const SweepArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const SweepRequest request, RequestOf(args));
  CORDON_TRY(const Policy policy, args.policy.Read());
  CORDON_TRY(const std::vector<SweepPoint> points, Sweep(request, policy, run));
  args.json ? console.Out(Dump(ToJson(points))) : console.Say(SweepTable(points));
  WrittenFiles files;
  if (args.svg) files.open.push_back(*args.svg);
  if (args.html) files.secret.push_back(*args.html);
  if (args.svg || args.html) TellOfFiles(files, console);
  const bool any = std::any_of(points.begin(), points.end(), [](const SweepPoint& point) { return point.report.has_value(); });
  return any ? Answer::kYes : Answer::kNo;
}

}  // namespace

Command AddSweep(CLI::App& app) {
  auto args = std::make_shared<SweepArgs>();
  CLI::App* parser = app.add_subcommand("sweep", "Loss against a parameter: every point is made and verified, none is written");
  parser->add_option("INPUT", args->input, "Table to anonymize")->required();
  args->policy.AddTo(*parser, "What the columns are and what must hold (TOML)");
  const auto list = [&](const char* flag, std::vector<std::string>& values, const char* help) {
    parser->add_option(flag, values, help)->delimiter(',');
  };
  list("--k", args->k, "Values of k, for every model that has one; 2,5,10");
  list("--l", args->l, "Values of l");
  list("--t", args->t, "Values of t");
  list("--beta", args->beta, "Values of beta");
  list("--algorithm", args->algorithms, "One or several, instead of the policy's");
  parser->add_option("--svg", args->svg, "Write a chart: loss against the parameter with the most values")->type_name("FILE");
  parser->add_option("--html", args->html, "Write a page with the chart and a map of risk against loss; private")
      ->type_name("FILE");
  args->measure.AddTo(*parser, 0);
  parser->add_option("--seed", args->seed, "For algorithms that draw; default 1, as nothing is published")->type_name("N");
  parser->add_flag("--json", args->json, "Print JSON");
  Explain(*parser,
          {{"Policy", {"--policy", "--set", "--delimiter", "--no-header"}},
           {"Parameters", {"--k", "--l", "--t", "--beta", "--algorithm", "--seed"}},
           {"Measures",
            {"--queries", "--query-quasi", "--query-selectivity", "--query-seed", "--kl", "--risk-threshold",
             "--sampling-fraction"}},
           {"Output", {"--svg", "--html", "--json"}}},
          {"cordon sweep patients.csv -p policy.toml --k 2,5,10,20",
           "cordon sweep patients.csv -p policy.toml --t 0.1,0.2,0.3 --svg loss.svg",
           "cordon sweep patients.csv -p policy.toml --k 5,10 --algorithm partition,mondrian"});
  return {parser, [args](Console& console, const Run& run) { return RunSweep(*args, console, run); }};
}

}  // namespace cordon::engine
