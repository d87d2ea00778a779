// SPDX-License-Identifier: Apache-2.0
//
// cordon help [COMMAND]
#include "cordon/cli/help.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "cordon/base/nearest.h"
#include "cordon/cli/command.h"

namespace cordon::engine {
namespace {

constexpr std::size_t kHelpWidth = 100;
constexpr std::size_t kHelpColumn = 30;  // where the explanations begin

// The words behind a text that fills its line up to `column`, broken between them; later lines begin there, too.
std::string Broken(const std::string& words, std::size_t column) {
  std::string text;
  std::size_t used = column;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    if (used > column && used + 1 + word.size() > kHelpWidth) {
      text += "\n" + std::string(column, ' ');
      used = column;
    }
    if (used > column) text += ' ', ++used;
    text += word;
    used += word.size();
  }
  return text + "\n";
}

// "  -p, --policy FILE       What the columns are ..."
std::string HelpLine(const std::string& name, const std::string& help) {
  const std::string start = "  " + name;
  const bool fits = start.size() + 2 <= kHelpColumn;
  return start + (fits ? "" : "\n") + std::string(fits ? kHelpColumn - start.size() : kHelpColumn, ' ') +
         Broken(help, kHelpColumn);
}

// Names without a short form stand below those that have one.
std::string Indented(const FlagFact& flag) { return (flag.brief.empty() ? "    " : "") + Spelling(flag); }

void AddGroup(const std::string& title, const std::vector<FlagFact>& flags, const std::string& group, std::string& text) {
  text += "\n" + title + ":\n";
  for (const FlagFact& flag : flags) {
    if (flag.group == group) text += HelpLine(Indented(flag), flag.help + (flag.required ? " (required)" : ""));
  }
}

class OwnFormatter final : public CLI::FormatterBase {
 public:
  explicit OwnFormatter(const CLI::App& app) : app_(&app) {}
  std::string make_help(const CLI::App* asked, std::string, CLI::AppFormatMode) const override {
    const std::vector<CommandFact> facts = CommandTree(*app_);
    std::vector<std::string> path;
    for (const CLI::App* at = asked; at->get_parent() != nullptr; at = at->get_parent()) {
      path.insert(path.begin(), at->get_name());
    }
    const auto found = std::find_if(facts.begin(), facts.end(), [&](const CommandFact& fact) { return fact.path == path; });
    return HelpText(*found, facts);
  }

 private:
  const CLI::App* app_;
};

// "cordon help hierarchy build": the help of the command that the words name.
Result<Answer> RunHelp(const std::vector<std::string>& words, const CLI::App& app, Console& console) {
  const std::vector<CommandFact> facts = CommandTree(app);
  const CommandFact* at = &facts[0];
  std::vector<std::string> path;
  for (const std::string& word : words) {
    path.push_back(word);
    const auto found = std::find_if(facts.begin(), facts.end(), [&](const CommandFact& fact) { return fact.path == path; });
    if (found == facts.end()) {
      Error error = Error::InvalidPolicy("there is no command '{}'", fmt::join(path, " "));
      if (const auto near = Nearest(word, at->commands)) return std::move(error).WithHint("did you mean '{}'?", *near);
      return std::move(error).WithHint("cordon help lists the commands");
    }
    at = &*found;
  }
  console.Out(HelpText(*at, facts));
  return Answer::kYes;
}

}  // namespace

std::string HelpText(const CommandFact& fact, const std::vector<CommandFact>& facts) {
  constexpr std::string_view kUsage = "Usage: ";
  std::string text = fmt::format("{}\n{}{}", Broken(fact.help, 0), kUsage, Broken(Synopsis(fact), kUsage.size()));
  if (!fact.commands.empty()) {
    text += "\nCommands:\n";
    for (const CommandFact& below : facts) {
      const bool own =
          below.path.size() == fact.path.size() + 1 && std::equal(fact.path.begin(), fact.path.end(), below.path.begin());
      if (own) text += HelpLine(below.path.back(), below.help);
    }
  }
  if (!fact.places.empty()) {
    text += "\nArguments:\n";
    for (const FlagFact& place : fact.places) text += HelpLine(place.name, place.help);
  }
  for (const std::string& group : GroupsOf(fact.flags)) AddGroup(group, fact.flags, group, text);
  if (!fact.path.empty()) {
    text += "\nWith every command:\n";
    for (const FlagFact& flag : facts[0].flags) {
      if (flag.name != "--help" && flag.name != "--version") text += HelpLine(Indented(flag), flag.help);
    }
  }
  if (!fact.examples.empty()) text += fmt::format("\nExamples:\n  {}\n", fmt::join(fact.examples, "\n  "));
  return text;
}

std::shared_ptr<CLI::FormatterBase> HelpFormatter(const CLI::App& app) { return std::make_shared<OwnFormatter>(app); }

Command AddHelp(CLI::App& app) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* parser = app.add_subcommand("help", "Explain a command");
  parser->add_option("COMMAND", *words, "Its name, as in: cordon help hierarchy build")->expected(0, 2);
  Explain(*parser, {}, {"cordon help", "cordon help anonymize", "cordon help hierarchy build"});
  return {parser, [words, &app](Console& console, const Run&) { return RunHelp(*words, app, console); }};
}

}  // namespace cordon::engine
