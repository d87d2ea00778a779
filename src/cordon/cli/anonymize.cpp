// SPDX-License-Identifier: Apache-2.0
//
// cordon anonymize INPUT --policy P.toml --output OUT
#include "cordon/publish/anonymize.h"

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/measure_flags.h"
#include "cordon/cli/seed.h"
#include "cordon/policy/read_policy.h"

namespace cordon::engine {
namespace {

struct AnonymizeArgs {
  AnonymizeRequest request;
  MeasureFlags measure;
  std::string policy;
  std::string format;
  std::string output_format;
  std::string order;
  std::string effort;
  std::optional<std::string> seed;
  bool dry_run = false;
  bool json = false;
  bool keep_order = false;
};

Result<std::optional<RowOrder>> ParseOrder(const std::string& name) {
  if (name.empty()) return std::optional<RowOrder>();
  if (name == "shuffled") return std::optional(RowOrder::kShuffled);
  if (name == "sorted") return std::optional(RowOrder::kSorted);
  if (name == "input") return std::optional(RowOrder::kInput);
  return Error::InvalidPolicy("there is no order '{}'", name).WithHint("known: shuffled, sorted, input");
}

Result<std::optional<Effort>> ParseEffort(const std::string& name) {
  if (name.empty()) return std::optional<Effort>();
  if (name == "low") return std::optional(Effort::kLow);
  if (name == "normal") return std::optional(Effort::kNormal);
  if (name == "high") return std::optional(Effort::kHigh);
  return Error::InvalidPolicy("there is no effort '{}'", name).WithHint("known: low, normal, high");
}

Result<Answer> RunAnonymize(const AnonymizeArgs& args, Console& console, const Run& run) {
  AnonymizeRequest request = args.request;
  CORDON_TRY(request.input_format, ParseFormat(args.format));
  CORDON_TRY(request.output_format, ParseFormat(args.output_format));
  if (args.seed) {
    CORDON_TRY(request.seed, ParseSeed(*args.seed));
  }
  CORDON_TRY(request.order, ParseOrder(args.keep_order ? "input" : args.order));
  CORDON_TRY(request.effort, ParseEffort(args.effort));
  if (args.dry_run) {
    request.output.clear();
  } else if (request.output.empty()) {
    return Error::InvalidPolicy("where should the release go?")
        .WithHint("give --output FILE, --output - for standard output, or --dry-run");
  }
  CORDON_TRY(request.measure, args.measure.Options());
  if (!request.report && !request.html && !args.json) request.measure.risk.reset();  // nobody would see it
  CORDON_TRY(const Policy policy, ReadPolicy(args.policy));
  CORDON_TRY(const Report report, Anonymize(request, policy, run));
  const std::string text = args.json ? Dump(ToJson(report)) : Summary(report);
  for (const Warning& warning : report.warnings) console.Note("warning: {}: {}", warning.code, warning.fix);
  // The release itself has stdout where it was asked to go there.
  if (request.output == "-") {
    console.Err(text);
  } else {
    console.Out(text);
  }
  return Answer::kYes;
}

}  // namespace

Command AddAnonymize(CLI::App& app) {
  auto args = std::make_shared<AnonymizeArgs>();
  AnonymizeRequest& request = args->request;
  CLI::App* parser = app.add_subcommand("anonymize", "Read, bind, anonymize, verify, write");
  parser
      ->add_option("INPUT", request.input.name,
                   "Table to anonymize: .csv or .jsonl, each also .gz, .parquet, or sql:SELECT ...; - is standard input")
      ->required();
  parser->add_option("--policy", args->policy, "What the columns are and what must hold (TOML)")->required();
  parser->add_option("--output", request.output, "Where the release goes; - is standard output");
  parser->add_option("--format", args->format, "Format of the input where its name does not tell: csv, jsonl, parquet");
  parser->add_option("--output-format", args->output_format, "Format of the release where its name does not tell");
  parser->add_option("--report", request.report, "Write the report as JSON");
  parser->add_option("--html", request.html, "Write the report as a page with charts; private");
  parser->add_option("--algorithm", request.algorithm, "Instead of the policy's");
  parser->add_option("--order", args->order,
                     "Order of the released rows: shuffled (default), sorted (default of tdr and tdd), input");
  parser->add_option("--effort", args->effort, "How long to search for less loss: low, normal (default), high");
  parser->add_option("--seconds", request.seconds,
                     "Stop improving after so many seconds of search; the result then depends on the machine");
  parser->add_flag("--keep-order", args->keep_order, "The same as --order input")->excludes("--order");
  parser->add_option("--row-map", request.row_map, "Write released row -> input row; private");
  parser->add_flag("--group-column", request.group_column, "Add a column with an opaque group name");
  parser->add_flag("--bounds", request.bounds, "Numeric ranges as two columns, name_lo and name_hi");
  parser->add_option("--sign", request.sign, "Sign the manifest by this private key (cordon keygen)");
  parser->add_flag("--force", request.force, "Replace files that are there");
  parser->add_flag("--dry-run", args->dry_run, "Do everything but write");
  parser->add_option("--save-recoding", request.save_recoding, "Keep the published boxes for a later batch");
  parser->add_option("--recoding", request.recoding, "Use the boxes of an earlier batch instead of an algorithm")
      ->excludes("--algorithm");
  parser->add_option("--seed", args->seed, "A number that repeats a run; default: randomness of the operating system");
  parser->add_option("--repeat", request.repeat, "Use the randomness of an earlier run again: its OUT.private.json")
      ->excludes("--seed");
  args->measure.AddTo(*parser, 0);
  parser->add_flag("--insecure-seed", request.insecure_seed, "Allow --seed where randomness protects");
  parser->add_flag("--json", args->json, "Print the report as JSON");
  return {parser, [args](Console& console, const Run& run) { return RunAnonymize(*args, console, run); }};
}

}  // namespace cordon::engine
