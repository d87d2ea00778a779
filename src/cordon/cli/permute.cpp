// SPDX-License-Identifier: Apache-2.0
//
// cordon permute INPUT --policy P.toml --output STORE
#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/seed.h"
#include "cordon/policy/read_policy.h"
#include "cordon/store/ke_permute.h"

namespace cordon::engine {
namespace {

struct PermuteArgs {
  PermuteRequest request;
  std::string policy;
  std::string format;
  std::optional<std::string> seed;
  bool insecure_seed = false;
  bool dry_run = false;
  bool json = false;
};

Result<Answer> RunPermute(const PermuteArgs& args, Console& console, const Run& run) {
  PermuteRequest request = args.request;
  CORDON_TRY(request.input_format, ParseFormat(args.format));
  CORDON_TRY(request.seed, ParseProtectedSeed(args.seed, args.insecure_seed));
  if (args.dry_run) {
    request.output.clear();
  } else if (request.output.empty()) {
    return Error::InvalidPolicy("where should the store go?").WithHint("give --output STORE, or --dry-run");
  }
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  CORDON_TRY(const KeReport report, Permute(request, policy, run));
  for (const std::string& warning : report.warnings) console.Note("warning: {}", warning);
  console.Out(args.json ? Dump(ToJson(report)) : Summary(report));
  return Answer::kYes;
}

}  // namespace

Command AddPermute(CLI::App& app) {
  auto args = std::make_shared<PermuteArgs>();
  CLI::App* parser = app.add_subcommand("permute", "Shuffle a number column inside groups; quasi columns stay exact");
  parser->add_option("INPUT", args->request.input.name, "Table to publish; - is standard input")->required();
  parser->add_option("--policy", args->policy, "A policy with one ke-anonymity model (TOML)")->required();
  parser->add_option("--output", args->request.output, "The store, a directory that does not exist yet");
  parser->add_option("--format", args->format, "Format of the input where its name does not tell");
  parser->add_option("--sign", args->request.sign, "Sign the manifest by this private key (cordon keygen)");
  parser->add_option("--seed", args->seed, "A number that repeats a run; whoever knows it can undo the shuffle");
  parser->add_flag("--insecure-seed", args->insecure_seed, "Allow --seed: for tests only");
  parser->add_option("--registry", args->request.registry, "Look up what was published of these people, and enter the store");
  parser->add_option("--person-key", args->request.person_key, "Key of the digests by which the registry knows people");
  parser->add_flag("--dry-run", args->dry_run, "Do everything but write");
  parser->add_flag("--json", args->json, "Print the report as JSON");
  return {parser, [args](Console& console, const Run& run) { return RunPermute(*args, console, run); }};
}

}  // namespace cordon::engine
