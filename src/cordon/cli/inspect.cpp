// SPDX-License-Identifier: Apache-2.0
//
// cordon inspect INPUT [--write-policy P.toml]        what is in a table, and a first policy for it
#include "cordon/inspect/inspect.h"

#include "cordon/cli/command.h"
#include "cordon/cli/format_flag.h"
#include "cordon/cli/tell.h"

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

// What the draft leaves to its reader, in the order of its lines.
std::string ToFillIn(const InspectRequest& request, const Profile& profile) {
  std::vector<std::string> open;
  if (profile.names_in_doubt) open.emplace_back("header");
  const bool whose = profile.several_rows && profile.several_rows->column;
  for (const ColumnProfile& column : profile.columns) {
    if (!column.ask.empty()) open.push_back(fmt::format("the role of {}", column.name));
  }
  if (whose) open.push_back(fmt::format("the role of {}", profile.columns[*profile.several_rows->column].name));
  if (!request.k || (profile.several_rows && !whose)) open.emplace_back("k");
  std::string text;
  for (const std::string& each : open) text += ", fill in " + each;
  return text;
}

void TellOfDraft(const InspectRequest& request, const Draft& draft, const Profile& profile, Console& console) {
  console.Note("written: {}{}", request.write_policy,
               draft.hierarchies.empty()
                   ? ""
                   : fmt::format(" and {} next to it, with values of the data: {}",
                                 draft.hierarchies.size() == 1 ? "a hierarchy" : "hierarchies", Names(draft)));
  if (!draft.used.empty()) console.Note("hierarchies in use: {}", fmt::join(draft.used, ", "));
  for (const PassedOver& file : draft.passed_over) console.Note("not used: {}: {}", file.path, file.why);
  console.Note("next: read the roles{}, then cordon {} {} --policy {} --output OUT{}", ToFillIn(request, profile),
               request.stream ? "stream" : "anonymize", request.input.name, request.write_policy,
               draft.counts_persons ? " --row-map PRIVATE" : "");
}

Result<Answer> RunInspect(const InspectArgs& args, Console& console, const Run& run) {
  InspectRequest request = args.request;
  CORDON_TRY(request.format, ParseFormat(args.format));
  TellOfSheets(request.input.name, request.format, console, run);
  CORDON_TRY(Inspection made, Inspect(request, run));
  if (made.draft) TellOfDraft(request, *made.draft, made.profile, console);
  args.json ? console.Out(Dump(ToJson(made.profile))) : console.Say(Describe(made.profile));
  if (made.no_draft) return *std::move(made.no_draft);
  return Answer::kYes;
}

}  // namespace

Command AddInspect(CLI::App& app) {
  auto args = std::make_shared<InspectArgs>();
  CLI::App* parser = app.add_subcommand("inspect", "What is in a table? Drafts a policy for it");
  parser->add_option("INPUT", args->request.input.name, "Table in any format that anonymize reads; - is standard input")
      ->required();
  parser->add_option("--write-policy", args->request.write_policy, "Write a first policy here, and hierarchies next to it")
      ->type_name("FILE");
  parser->add_option("--k", args->request.k, "The k of the draft; without it the line is left to be filled in")->type_name("N");
  parser
      ->add_option("--hierarchies", args->request.hierarchies,
                   "Folder of hierarchy files; the draft uses those that fit a column by name and values")
      ->type_name("DIR");
  parser->add_flag("--stream", args->request.stream, "Draft a policy for cordon stream; INPUT is a sample of its rows");
  parser->add_flag("--no-header", args->request.no_header, "The first line is a row (default: found out)");
  parser->add_flag("--force", args->request.force, "Replace files that are there");
  AddDelimiter(*parser, args->request.delimiter,
               "Field separator (default: the most frequent of , ; | and tab in the first line)");
  parser->add_option("--format", args->format, "Input format, if the file name does not show it")
      ->type_name("csv|jsonl|parquet|xlsx|spss|stata|sas");
  parser->add_flag("--json", args->json, "Print JSON");
  Explain(*parser,
          {{"Draft", {"--write-policy", "--k", "--stream", "--hierarchies", "--force"}},
           {"Input", {"--delimiter", "--no-header", "--format"}},
           {"Output", {"--json"}}},
          {"cordon inspect patients.csv", "cordon inspect patients.csv --write-policy policy.toml --k 5",
           "cordon inspect adult.data --no-header --hierarchies arx --write-policy policy.toml"});
  return {parser, [args](Console& console, const Run& run) { return RunInspect(*args, console, run); }};
}

}  // namespace cordon::engine
