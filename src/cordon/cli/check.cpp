// SPDX-License-Identifier: Apache-2.0
//
// cordon check FILE --quasi a,b --sensitive c        which k, l, t, beta and delta does a file have? No policy needed.
#include "cordon/publish/check.h"

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/tell.h"

namespace cordon::engine {
namespace {

struct CheckArgs {
  CheckRequest request;
  std::string format;
  bool json = false;
};

Result<Answer> RunCheck(const CheckArgs& args, Console& console, const Run& run) {
  CheckRequest request = args.request;
  CORDON_TRY(request.format, ParseFormat(args.format));
  CORDON_TRY(const Checked checked, Check(request, run));
  args.json ? console.Out(Dump(ToJson(checked))) : console.Say(Describe(checked));
  if (request.rows_at_risk) TellOfFiles({.open = {}, .secret = {*request.rows_at_risk}}, console);
  return Answer::kYes;
}

}  // namespace

Command AddCheck(CLI::App& app) {
  auto args = std::make_shared<CheckArgs>();
  CLI::App* parser = app.add_subcommand("check", "Which k, l, t, beta and delta does a file have? No policy needed");
  parser->add_option("FILE", args->request.table.name, "Any table, published or not")->required();
  parser->add_option("--quasi", args->request.quasi, "Columns an attacker may know (comma-separated)")
      ->type_name("COLUMNS")
      ->delimiter(',')
      ->required();
  parser->add_option("--sensitive", args->request.sensitive, "Columns an attacker wants to learn (comma-separated)")
      ->type_name("COLUMNS")
      ->delimiter(',');
  parser
      ->add_option("--person", args->request.person,
                   "Column that tells people apart: k, and l, t and beta by person, count people, not rows")
      ->type_name("COLUMN");
  AddDelimiter(*parser, args->request.delimiter,
               "Field separator (default: the most frequent of , ; | and tab in the first line)");
  parser->add_option("--format", args->format, "Input format, if the file name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser->add_flag("--exempt-suppressed", args->request.exempt_suppressed, "Leave rows with * in every quasi column out");
  parser
      ->add_option("--rows-at-risk", args->request.rows_at_risk,
                   "A private file with the rows that few others look like, and the columns and values that do it")
      ->type_name("FILE");
  parser->add_option("--below", args->request.at_risk_below, "How few: fewer rows than this look alike (default 2)")
      ->type_name("N");
  parser->add_flag("--force", args->request.force, "Replace the file of --rows-at-risk if it is there");
  parser->add_flag("--json", args->json, "Print JSON");
  Explain(*parser,
          {{"Columns", {"--quasi", "--sensitive", "--person"}},
           {"Input", {"--delimiter", "--format", "--exempt-suppressed"}},
           {"Rows at risk", {"--rows-at-risk", "--below", "--force"}},
           {"Output", {"--json"}}},
          {"cordon check release.csv --quasi age,zip",
           "cordon check release.csv --quasi age,zip --sensitive disease --person patient",
           "cordon check release.csv --quasi age,zip --rows-at-risk rows.csv --below 5"});
  return {parser, [args](Console& console, const Run& run) { return RunCheck(*args, console, run); }};
}

}  // namespace cordon::engine
