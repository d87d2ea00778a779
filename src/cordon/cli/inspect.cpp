// SPDX-License-Identifier: Apache-2.0
//
// cordon inspect INPUT [--write-policy P.toml]        what is in a table, and a first policy for it
#include "cordon/inspect/inspect.h"

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"

namespace cordon::engine {
namespace {

struct InspectArgs {
  InspectRequest request;
  std::string format;
  bool json = false;
};

std::string Names(const Draft& draft) {
  std::vector<std::string> names;
  for (const auto& [name, text] : draft.hierarchies) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void TellOfDraft(const InspectRequest& request, const Draft& draft, Console& console) {
  console.Note("written: {}{}", request.write_policy,
               draft.hierarchies.empty()
                   ? ""
                   : fmt::format(" and {} beside it, which hold values of the data: {}",
                                 draft.hierarchies.size() == 1 ? "a hierarchy" : "hierarchies", Names(draft)));
  if (!draft.used.empty()) console.Note("hierarchies in use: {}", fmt::join(draft.used, ", "));
  console.Note("next: read the roles{}, then cordon anonymize {} --policy {} --output OUT", request.k ? "" : ", fill in k",
               request.input.name, request.write_policy);
}

Result<Answer> RunInspect(const InspectArgs& args, Console& console, const Run& run) {
  InspectRequest request = args.request;
  CORDON_TRY(request.format, ParseFormat(args.format));
  CORDON_TRY(const Inspection made, Inspect(request, run));
  if (made.draft) TellOfDraft(request, *made.draft, console);
  console.Out(args.json ? Dump(ToJson(made.profile)) : Describe(made.profile));
  return Answer::kYes;
}

}  // namespace

Command AddInspect(CLI::App& app) {
  auto args = std::make_shared<InspectArgs>();
  CLI::App* parser = app.add_subcommand("inspect", "What is in a table? Drafts a policy for it");
  parser->add_option("INPUT", args->request.input.name, "Table: .csv, .jsonl, .parquet, sql:SELECT ...; - is standard input")
      ->required();
  parser->add_option("--write-policy", args->request.write_policy, "Write a first policy here, and hierarchies beside it");
  parser->add_option("--k", args->request.k, "The k of the draft; without it the line is left to be filled in");
  parser->add_option("--hierarchies", args->request.hierarchies,
                     "Folder of hierarchy files that the draft is to use where they fit a column by name and values");
  parser->add_flag("--no-header", args->request.no_header, "The first line is a row (default: found out)");
  parser->add_flag("--force", args->request.force, "Replace files that are there");
  parser->add_option("--delimiter", args->request.delimiter,
                     "Between cells; default: the one of , ; | and tab that the first line has most of");
  parser->add_option("--format", args->format, "Where the name does not tell: csv, jsonl, parquet");
  parser->add_flag("--json", args->json, "Print JSON");
  return {parser, [args](Console& console, const Run& run) { return RunInspect(*args, console, run); }};
}

}  // namespace cordon::engine
