// SPDX-License-Identifier: Apache-2.0
//
// cordon history R.db [--check] [--json]
#include "cordon/registry/history.h"

#include "cordon/cli/command.h"

namespace cordon::engine {
namespace {

struct HistoryArgs {
  std::string registry;
  bool check = false;
  bool json = false;
};

Result<Answer> RunHistory(const HistoryArgs& args, Console& console) {
  CORDON_TRY(const History history, ReadHistory(args.registry, args.check));
  args.json ? console.Out(Dump(ToJson(history))) : console.Say(Describe(history));
  return !args.check || history.holds() ? Answer::kYes : Answer::kNo;
}

}  // namespace

Command AddHistory(CLI::App& app) {
  auto args = std::make_shared<HistoryArgs>();
  CLI::App* parser = app.add_subcommand("history", "What was published: the releases of a registry");
  parser
      ->add_option("REGISTRY", args->registry,
                   "The registry (--registry of anonymize, release-next, permute, append and stream)")
      ->required();
  parser->add_flag("--check", args->check, "Are their files still those that were published?");
  parser->add_flag("--json", args->json, "Print JSON");
  Explain(*parser, {},
          {"cordon history releases.db", "cordon history releases.db --check", "cordon history releases.db --json"});
  return {parser, [args](Console& console, const Run&) { return RunHistory(*args, console); }};
}

}  // namespace cordon::engine
