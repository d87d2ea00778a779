// SPDX-License-Identifier: Apache-2.0
//
// cordon release-next INPUT --previous A.csv [--previous B.csv] --policy P.toml --output OUT
#include "cordon/publish/release_next.h"

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/policy/read_policy.h"

namespace cordon::engine {
namespace {

struct ReleaseNextArgs {
  AnonymizeRequest request;
  std::vector<std::string> previous;
  std::string policy;
  std::string format;
  std::string output_format;
  bool dry_run = false;
  bool json = false;
};

Result<Answer> RunReleaseNext(const ReleaseNextArgs& args, Console& console, const Run& run) {
  AnonymizeRequest request = args.request;
  request.previous.tables.assign(args.previous.begin(), args.previous.end());
  CORDON_TRY(request.input_format, ParseFormat(args.format));
  CORDON_TRY(request.output_format, ParseFormat(args.output_format));
  if (args.dry_run) {
    request.output.clear();
  } else if (request.output.empty()) {
    return Error::InvalidPolicy("where should the release go?")
        .WithHint("give --output FILE, --output - for standard output, or --dry-run");
  }
  if (!request.report && !args.json) request.measure.risk.reset();  // nobody would see it
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  CORDON_TRY(const Report report, ReleaseNext(request, policy, run));
  const std::string text = args.json ? Dump(ToJson(report)) : Summary(report);
  for (const Warning& warning : report.warnings) console.Note("warning: {}: {}", warning.code, warning.fix);
  if (request.output == "-") {
    console.Err(text);
  } else {
    console.Out(text);
  }
  return Answer::kYes;
}

}  // namespace

Command AddReleaseNext(CLI::App& app) {
  auto args = std::make_shared<ReleaseNextArgs>();
  AnonymizeRequest& request = args->request;
  CLI::App* parser = app.add_subcommand("release-next", "Anonymize a table so that joining it with earlier releases is safe");
  parser->add_option("INPUT", request.input.name, "Table to anonymize; - is standard input")->required();
  parser->add_option("--previous", args->previous, "A release about the same people; once per release")
      ->required()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  parser->add_option("--policy", args->policy, "What the columns are and what must hold (TOML)")->required();
  parser->add_option("--output", request.output, "Where the release goes; - is standard output");
  parser->add_option("--format", args->format, "Format of the input where its name does not tell: csv, jsonl, parquet");
  parser->add_option("--output-format", args->output_format, "Format of the release where its name does not tell");
  parser->add_option("--report", request.report, "Write the report as JSON");
  parser->add_option("--row-map", request.row_map, "Write released row -> input row; private");
  parser->add_option("--save-recoding", request.save_recoding, "Keep the published boxes for a later batch");
  parser->add_flag("--allow-unequal", request.previous.allow_unequal,
                   "Release although the files do not list the same people; the audit of forced links is left out");
  parser->add_flag("--allow-dangling", request.previous.allow_dangling, "Release although rows match nothing in another file");
  parser->add_flag("--through-violation", request.previous.through_violation, "Search on if the most general release violates");
  parser->add_option("--sign", request.sign, "Sign the manifest by this private key (cordon keygen)");
  parser->add_flag("--force", request.force, "Replace files that are there");
  parser->add_flag("--dry-run", args->dry_run, "Do everything but write");
  parser->add_flag("--json", args->json, "Print the report as JSON");
  return {parser, [args](Console& console, const Run& run) { return RunReleaseNext(*args, console, run); }};
}

}  // namespace cordon::engine
