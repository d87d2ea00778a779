// SPDX-License-Identifier: Apache-2.0
//
// cordon inspect INPUT [--write-policy P.toml]        what is in a table, and a first policy for it
#include <filesystem>

#include "cordon/bind/open_release.h"
#include "cordon/cli/command.h"
#include "cordon/cli/inputs.h"
#include "cordon/inspect/draft_policy.h"
#include "cordon/io/files/atomic_file_set.h"
#include "cordon/policy/policy.h"
#include "cordon/report/report.h"

namespace cordon {
namespace {

struct InspectArgs {
  std::string input;
  std::string write_policy;
  std::string delimiter;
  std::string format;
  std::optional<std::int64_t> k;
  bool force = false;
  bool json = false;
};

Json ToJson(const Singled& singled) {
  return {{"columns", singled.columns}, {"unique_rows", singled.unique_rows}, {"groups", singled.groups}};
}

Json ToJson(const Profile& profile) {
  Json json = {{"format", 1},
               {"rows", profile.rows},
               {"missing", profile.missing},
               {"columns", Json::array()},
               {"pairs", Json::array()}};
  for (const ColumnProfile& column : profile.columns) {
    json["columns"].push_back({{"name", column.name},
                               {"type", TypeName(column.type)},
                               {"distinct", column.distinct},
                               {"missing", column.missing},
                               {"unique_rows", column.unique_rows},
                               {"distinction", column.distinction},
                               {"separation", column.separation},
                               {"role", RoleName(column.role)},
                               {"why", column.why}});
  }
  for (const Singled& pair : profile.pairs) json["pairs"].push_back(ToJson(pair));
  json["all_quasi"] = ToJson(profile.all);
  return json;
}

double Percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void Print(const Profile& profile, Console& console) {
  std::size_t width = 6;
  for (const ColumnProfile& column : profile.columns) width = std::max(width, column.name.size());
  width = std::min<std::size_t>(width, 30);
  console.Print("{} rows, {} columns\n", profile.rows, profile.columns.size());
  console.Print("{:<{}}  {:<11} {:>9} {:>9} {:>8} {:>11} {:>10}  suggested role", "column", width, "type", "distinct",
                "missing", "unique", "distinction", "separation");
  for (const ColumnProfile& column : profile.columns) {
    console.Print("{:<{}}  {:<11} {:>9} {:>9} {:>7.1f}% {:>10.2f}% {:>9.2f}%  {}: {}", column.name, width,
                  TypeName(column.type), column.distinct, column.missing, Percent(column.unique_rows, profile.rows),
                  100 * column.distinction, 100 * column.separation, RoleName(column.role), column.why);
  }
  if (profile.all.columns.empty()) return;
  console.Print("\nrows that nobody shares with another, by what an attacker knows:");
  for (const Singled& pair : profile.pairs) {
    console.Print("{:>6.1f}%  {}", Percent(pair.unique_rows, profile.rows), fmt::join(pair.columns, ", "));
  }
  console.Print("{:>6.1f}%  all quasi columns ({})", Percent(profile.all.unique_rows, profile.rows),
                profile.all.columns.size());
}

std::string Names(const Draft& draft) {
  std::vector<std::string> names;
  for (const auto& [name, text] : draft.hierarchies) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<void> WriteDraft(const InspectArgs& args, const Draft& draft, Console& console) {
  const std::filesystem::path folder = std::filesystem::path(args.write_policy).parent_path();
  std::vector<std::pair<std::string, std::string>> files = {{args.write_policy, draft.policy}};
  for (const auto& [name, text] : draft.hierarchies) files.emplace_back((folder / name).string(), text);
  std::vector<std::pair<std::string, std::string>> paths = {{"the input", args.input}};
  Outputs outputs;
  for (const auto& [path, text] : files) {
    if (!args.force) CORDON_RETURN_IF_ERROR(CheckNotThere({path}));
    paths.emplace_back("the draft", path);
    CORDON_RETURN_IF_ERROR(outputs.Reserve(path, AtomicFile::Access::kPrivate));
    CORDON_RETURN_IF_ERROR(outputs.Write(path, text));
  }
  CORDON_RETURN_IF_ERROR(CheckDistinct(paths));
  CORDON_RETURN_IF_ERROR(outputs.Sync());
  CORDON_RETURN_IF_ERROR(outputs.Show());
  console.Note("written: {}{}", args.write_policy,
               draft.hierarchies.empty()
                   ? ""
                   : fmt::format(" and {} beside it, which hold values of the data: {}",
                                 draft.hierarchies.size() == 1 ? "a hierarchy" : "hierarchies", Names(draft)));
  console.Note("next: read the roles{}, then cordon anonymize {} --policy {} --output OUT", args.k ? "" : ", fill in k",
               args.input, args.write_policy);
  return {};
}

Result<Answer> RunInspect(const InspectArgs& args, Console& console, const Run& run) {
  if (args.k && *args.k < 2) return Error::InvalidPolicy("--k must be at least 2");
  CORDON_TRY(const std::optional<FileFormat> format, ParseFormat(args.format));
  CORDON_TRY(const TextFormat text, GuessTextFormat(args.input, args.delimiter, format));
  CORDON_TRY(const Table table, ReadTableFile(args.input, text, format, run));
  if (table.num_rows == 0) return Error::InvalidData("{} has no rows", args.input);
  const Profile profile = ProfileTable(table, run);
  if (run.Stopped()) return Error::Cancelled();
  std::optional<Draft> draft;
  if (!args.write_policy.empty()) {
    CORDON_TRY(draft, DraftPolicy(table, profile, text, args.k));
  }
  if (draft) CORDON_RETURN_IF_ERROR(WriteDraft(args, *draft, console));
  if (args.json) {
    console.Out(Dump(ToJson(profile)));
  } else {
    Print(profile, console);
  }
  return Answer::kYes;
}

}  // namespace

Command AddInspect(CLI::App& app) {
  auto args = std::make_shared<InspectArgs>();
  CLI::App* parser = app.add_subcommand("inspect", "What is in a table? Drafts a policy for it");
  parser->add_option("INPUT", args->input, "Table: .csv, .jsonl, .parquet, sql:SELECT ...; - is standard input")->required();
  parser->add_option("--write-policy", args->write_policy, "Write a first policy here, and hierarchies beside it");
  parser->add_option("--k", args->k, "The k of the draft; without it the line is left to be filled in");
  parser->add_flag("--force", args->force, "Replace files that are there");
  parser->add_option("--delimiter", args->delimiter,
                     "Between cells; default: the one of , ; | and tab that the first line has most of");
  parser->add_option("--format", args->format, "Where the name does not tell: csv, jsonl, parquet");
  parser->add_flag("--json", args->json, "Print JSON");
  return {parser, [args](Console& console, const Run& run) { return RunInspect(*args, console, run); }};
}

}  // namespace cordon
