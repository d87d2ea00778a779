// SPDX-License-Identifier: Apache-2.0
//
// cordon hierarchy check H.csv INPUT COLUMN        which values of a column does a hierarchy lack?
#include <algorithm>

#include "cordon/cli/command.h"
#include "cordon/cli/inputs.h"
#include "cordon/publish/hierarchy_source.h"
#include "cordon/publish/open_release.h"

namespace cordon {
namespace {

struct HierarchyCheckArgs {
  std::string hierarchy;
  std::string input;
  std::string column;
  std::string delimiter;
};

// The values it prints are the answer the custodian asked for; they go to stdout only.
Result<Answer> RunHierarchyCheck(const HierarchyCheckArgs& args, Console& console, const Run& run) {
  CORDON_TRY(const Hierarchy hierarchy, ReadHierarchy(args.hierarchy));
  CORDON_TRY(const TextFormat text, GuessTextFormat(args.input, args.delimiter, std::nullopt));
  CORDON_TRY(const Table table, ReadTableFile(args.input, text, std::nullopt, run));
  const Column* column = table.Find(args.column);
  if (column == nullptr) return Error::InvalidData("{} has no column '{}'", args.input, args.column);
  std::vector<std::string> lacking;
  for (std::size_t i = 0; i < column->dictionary->size(); ++i) {
    const std::string_view value = (*column->dictionary)[static_cast<Code>(i)].bytes();
    if (!hierarchy.FindLeaf(value)) lacking.emplace_back(value);
  }
  std::sort(lacking.begin(), lacking.end());
  for (const std::string& value : lacking) console.Print("{}", value);
  console.Note("{} of {} values of '{}' are not in {} ({} leaves, {} levels)", lacking.size(), column->dictionary->size(),
               args.column, args.hierarchy, hierarchy.num_leaves(), hierarchy.num_levels());
  return lacking.empty() ? Answer::kYes : Answer::kNo;
}

}  // namespace

Command AddHierarchy(CLI::App& app) {
  auto args = std::make_shared<HierarchyCheckArgs>();
  CLI::App* parser = app.add_subcommand("hierarchy", "Look at a hierarchy");
  parser->require_subcommand(1);
  CLI::App* check = parser->add_subcommand("check", "Which values of a column does a hierarchy lack?");
  check->add_option("HIERARCHY", args->hierarchy, "leaf;level1;...;root, a line a leaf")->required();
  check->add_option("INPUT", args->input, "The table")->required();
  check->add_option("COLUMN", args->column, "Its column")->required();
  check->add_option("--delimiter", args->delimiter,
                    "Of the table; default: the one of , ; | and tab that its first line has most of");
  return {parser, [args](Console& console, const Run& run) { return RunHierarchyCheck(*args, console, run); }};
}

}  // namespace cordon
