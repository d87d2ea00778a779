// SPDX-License-Identifier: Apache-2.0
//
// cordon append STORE MORE.csv [--re-release frozen|guarded]
#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/seed.h"
#include "cordon/store/ke_append.h"

namespace cordon::engine {
namespace {

struct AppendArgs {
  AppendRequest request;
  std::string format;
  std::string mode = "frozen";
  std::optional<std::string> seed;
  bool insecure_seed = false;
  bool json = false;
};

Result<Answer> RunAppend(const AppendArgs& args, Console& console, const Run& run) {
  AppendRequest request = args.request;
  CORDON_TRY(request.input_format, ParseFormat(args.format));
  CORDON_TRY(request.seed, ParseProtectedSeed(args.seed, args.insecure_seed));
  if (request.input.empty() && !request.compact) {
    return Error::InvalidPolicy("which rows are to be appended?").WithHint("cordon append STORE MORE.csv, or STORE --compact");
  }
  if (args.mode != "frozen" && args.mode != "guarded") {
    return Error::InvalidPolicy("there is no way '{}' to re-release", args.mode).WithHint("known: frozen, guarded");
  }
  request.mode = args.mode == "guarded" ? AppendRequest::Mode::kGuarded : AppendRequest::Mode::kFrozen;
  CORDON_TRY(const KeReport report, Append(request, run));
  for (const std::string& warning : report.warnings) console.Warn("warning: {}", warning);
  args.json ? console.Out(Dump(ToJson(report))) : console.Say(Summary(report));
  return Answer::kYes;
}

}  // namespace

Command AddAppend(CLI::App& app) {
  auto args = std::make_shared<AppendArgs>();
  CLI::App* parser = app.add_subcommand("append", "More rows for a store that permute made");
  parser->add_option("STORE", args->request.store, "The store")->required();
  parser->add_option("MORE", args->request.input.name,
                     "Rows of other people, columns as in the first table; - is standard input");
  parser
      ->add_option(
          "--re-release", args->mode,
          "frozen (default): publish new groups only. guarded: group everything anew, if every row keeps its candidates")
      ->type_name("frozen|guarded");
  parser->add_option("--format", args->format, "Format of MORE, if its name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser->add_flag("--again", args->request.again, "Take in a batch although the same bytes or rows were taken in before");
  parser->add_flag("--compact", args->request.compact, "Encode all rows of the store anew, in full row groups");
  parser->add_option("--sign", args->request.sign, "Sign the manifest by this private key; a signed store asks for it")
      ->type_name("FILE");
  parser->add_option("--seed", args->seed, "A number that repeats a run; whoever knows it can undo the shuffle")
      ->type_name("N");
  parser->add_flag("--insecure-seed", args->insecure_seed, "Allow --seed: for tests only");
  parser->add_flag("--json", args->json, "Print the report as JSON");
  Explain(
      *parser,
      {{"Input", {"--format", "--again"}},
       {"Release", {"--re-release", "--compact", "--sign", "--json"}},
       {"Tests", {"--seed", "--insecure-seed"}}},
      {"cordon append store july.csv", "cordon append store july.csv --re-release guarded", "cordon append store --compact"});
  return {parser, [args](Console& console, const Run& run) { return RunAppend(*args, console, run); }};
}

}  // namespace cordon::engine
