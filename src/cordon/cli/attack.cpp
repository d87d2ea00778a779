// SPDX-License-Identifier: Apache-2.0
//
// cordon attack RELEASE --original INPUT --policy P.toml [--known a,b,c]       what would an attacker get right?
#include "cordon/publish/attack.h"

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/seed.h"
#include "cordon/policy/read_policy.h"

namespace cordon::engine {
namespace {

struct AttackArgs {
  AttackRequest request;
  std::string policy;
  std::string format;
  std::string seed = "1";
  bool json = false;
};

Result<Answer> RunAttack(const AttackArgs& args, Console& console, const Run& run) {
  AttackRequest request = args.request;
  CORDON_TRY(request.format, ParseFormat(args.format));
  CORDON_TRY(request.options.seed, ParseSeed(args.seed));
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  CORDON_TRY(const AttackReport report, Attack(request, policy, run));
  console.Out(args.json ? Dump(ToJson(report)) : Describe(report));
  return Answer::kYes;
}

}  // namespace

Command AddAttack(CLI::App& app) {
  auto args = std::make_shared<AttackArgs>();
  AttackRequest& request = args->request;
  CLI::App* parser = app.add_subcommand("attack", "What would an attacker get right? Any tool's release");
  parser->add_option("RELEASE", request.release.name, "The published table")->required();
  parser->add_option("--original", request.original.name, "The table behind it")->required();
  parser->add_option("--policy", args->policy, "The policy it was made by")->required();
  parser->add_option("--known", request.options.known, "Columns that the attacker knows of people; default: all quasi columns")
      ->delimiter(',');
  parser->add_option("--row-map", request.row_map, "Released row -> input row: the attacker knows who is in which group");
  parser->add_option("--second", request.second, "Another release of the same people, for the intersection attack");
  parser->add_option("--format", args->format, "Format of the releases where their names do not tell: csv, jsonl, parquet");
  parser->add_option("--html", request.html, "Write a page with charts; private");
  parser->add_option("--seed", args->seed, "Of samples and bootstrap; default 1. It protects nothing");
  parser->add_option("--max-targets", request.options.max_targets, "Attack so many people at most; default 50000");
  parser->add_flag("--json", args->json, "Print JSON");
  return {parser, [args](Console& console, const Run& run) { return RunAttack(*args, console, run); }};
}

}  // namespace cordon::engine
