// SPDX-License-Identifier: Apache-2.0
//
// cordon attack RELEASE --original INPUT --policy P.toml [--known a,b,c]       what would an attacker get right?
#include "cordon/publish/attack.h"

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/cli/seed.h"
#include "cordon/cli/tell.h"

namespace cordon::engine {
namespace {

struct AttackArgs {
  AttackRequest request;
  PolicyFlags policy;
  std::string format;
  std::string seed = "1";
  bool json = false;
};

Result<Answer> RunAttack(const AttackArgs& args, Console& console, const Run& run) {
  AttackRequest request = args.request;
  CORDON_TRY(request.format, ParseFormat(args.format));
  CORDON_TRY(request.options.seed, ParseSeed(args.seed));
  CORDON_TRY(const Policy policy, args.policy.Read());
  CORDON_TRY(const AttackReport report, Attack(request, policy, run));
  args.json ? console.Out(Dump(ToJson(report))) : console.Say(Describe(report));
  if (request.html) TellOfFiles({.open = {}, .secret = {*request.html}}, console);
  return Answer::kYes;
}

}  // namespace

Command AddAttack(CLI::App& app) {
  auto args = std::make_shared<AttackArgs>();
  AttackRequest& request = args->request;
  CLI::App* parser = app.add_subcommand("attack", "What would an attacker get right? Any tool's release");
  parser->add_option("RELEASE", request.release.name, "The published table")->required();
  parser->add_option("--original", request.original.name, "The table behind it")->type_name("FILE")->required();
  args->policy.AddTo(*parser, "The policy it was made by");
  parser->add_option("--known", request.options.known, "Columns that the attacker knows of people (default: all quasi columns)")
      ->type_name("COLUMNS")
      ->delimiter(',');
  parser->add_option("--row-map", request.row_map, "Released row -> input row: the attacker knows who is in which group")
      ->type_name("FILE");
  parser->add_option("--second", request.second.name, "Another release of the same people, for the intersection attack")
      ->type_name("FILE");
  parser->add_option("--format", args->format, "Format of the releases, if their names do not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser->add_option("--html", request.html, "Write a page with charts; private")->type_name("FILE");
  parser->add_option("--seed", args->seed, "Of samples and bootstrap; default 1. It protects nothing")->type_name("N");
  parser->add_option("--max-targets", request.options.max_targets, "Attack at most this many people; default 50000");
  parser->add_flag("--json", args->json, "Print JSON");
  Explain(*parser,
          {{"Policy and input", {"--policy", "--set", "--delimiter", "--no-header", "--original", "--format"}},
           {"What the attacker has", {"--known", "--row-map", "--second"}},
           {"Targets", {"--max-targets", "--seed"}},
           {"Output", {"--html", "--json"}}},
          {"cordon attack release.csv --original patients.csv -p policy.toml",
           "cordon attack release.csv --original patients.csv -p policy.toml --known age,zip --html attack.html",
           "cordon attack release.csv --original patients.csv -p policy.toml --second second.csv"});
  return {parser, [args](Console& console, const Run& run) { return RunAttack(*args, console, run); }};
}

}  // namespace cordon::engine
