// SPDX-License-Identifier: Apache-2.0
//
// cordon permute INPUT --policy P.toml --output STORE
#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/policy_flags.h"
#include "cordon/cli/seed.h"
#include "cordon/cli/tell.h"
#include "cordon/store/ke_permute.h"
#include "cordon/store/store_manifest.h"

namespace cordon::engine {
namespace {

struct PermuteArgs {
  PermuteRequest request;
  PolicyFlags policy;
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
  CORDON_TRY(const Policy policy, args.policy.Read());
  CORDON_TRY(const KeReport report, Permute(request, policy, run));
  for (const std::string& warning : report.warnings) console.Warn("warning: {}", warning);
  args.json ? console.Out(Dump(ToJson(report))) : console.Say(Summary(report));
  if (!request.output.empty()) {
    const std::string store = StorePath(request.output);
    TellOfFiles({.open = {store}, .secret = {PrivatePath(store)}}, console);
  }
  return Answer::kYes;
}

}  // namespace

Command AddPermute(CLI::App& app) {
  auto args = std::make_shared<PermuteArgs>();
  CLI::App* parser = app.add_subcommand("permute", "Shuffle a number column inside groups; quasi columns stay exact");
  parser->add_option("INPUT", args->request.input.name, "Table to publish; - is standard input")->required();
  args->policy.AddTo(*parser, "A policy with one ke-anonymity model (TOML)");
  parser->add_option("-o,--output", args->request.output, "The store, a directory that does not exist yet")->type_name("FILE");
  parser->add_option("--format", args->format, "Input format, if the file name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser->add_option("--sign", args->request.sign, "Sign the manifest with this private key (cordon keygen)")
      ->type_name("FILE");
  parser->add_option("--seed", args->seed, "A number that repeats a run; anyone who knows it can undo the shuffle")
      ->type_name("N");
  parser->add_flag("--insecure-seed", args->insecure_seed, "Allow --seed: for tests only");
  parser->add_option("--registry", args->request.registry, "Look up what was published of these people, and enter the store")
      ->type_name("FILE");
  parser->add_option("--person-key", args->request.person_key, "Key of the digests by which the registry knows people")
      ->type_name("FILE");
  parser->add_flag("--dry-run", args->dry_run, "Do everything but write");
  parser->add_flag("--json", args->json, "Print the report as JSON");
  Explain(*parser,
          {{"Policy and input", {"--policy", "--set", "--delimiter", "--no-header", "--format"}},
           {"Output", {"--output", "--sign", "--dry-run", "--json"}},
           {"Earlier releases", {"--registry", "--person-key"}},
           {"Tests", {"--seed", "--insecure-seed"}}},
          {"cordon permute staff.csv -p ke.toml -o store", "cordon permute staff.csv -p ke.toml --dry-run",
           "cordon permute staff.parquet -p ke.toml -o store --json"});
  return {parser, [args](Console& console, const Run& run) { return RunPermute(*args, console, run); }};
}

}  // namespace cordon::engine
