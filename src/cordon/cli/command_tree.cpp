// SPDX-License-Identifier: Apache-2.0
#include "cordon/cli/command_tree.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace cordon::engine {
namespace {

constexpr const char* kNoGroup = "Options";
constexpr std::size_t kLongestValue = 32;  // of choices that stand next to the flag's name

std::vector<std::string> SplitAt(const std::string& text, char mark) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
  return parts;
}

// The parser's own names of types say less than ours.
std::string ValueName(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  const std::string named = option.get_type_name();
  const std::string type = named.substr(0, named.find(":INT"));  // what a check adds
  if (type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT")) return "N";
  return type.empty() || type.starts_with("TEXT") ? "TEXT" : type;
}

FlagFact FlagOf(const CLI::Option& option) {
  FlagFact flag;
  flag.name = option.get_name();
  flag.help = option.get_description();
  flag.group = option.get_group();
  flag.value = ValueName(option);
  flag.required = option.get_required();
  if (!option.get_lnames().empty()) flag.name = "--" + option.get_lnames().front();
  if (!option.get_snames().empty()) flag.brief = "-" + option.get_snames().front();
  if (flag.value.find('|') == std::string::npos) return flag;
  flag.choices = SplitAt(flag.value, '|');
  if (option.get_positional() || flag.value.size() > kLongestValue) {
    flag.help += fmt::format(": {}", fmt::join(flag.choices, ", "));
    flag.value = "NAME";
  }
  return flag;
}

CommandFact FactOf(const CLI::App& app, std::vector<std::string> path) {
  CommandFact fact;
  fact.path = std::move(path);
  fact.help = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_lnames().empty()) {
      fact.flags.push_back(FlagOf(*option));
    } else if (option->get_positional()) {
      fact.places.push_back(FlagOf(*option));
    }
  }
  for (const CLI::App* command : app.get_subcommands({})) fact.commands.push_back(command->get_name());
  fact.examples = SplitAt(app.get_footer(), '\n');
  return fact;
}

void Walk(const CLI::App& app, const std::vector<std::string>& path, std::vector<CommandFact>& facts) {
  facts.push_back(FactOf(app, path));
  for (const CLI::App* command : app.get_subcommands({})) {
    std::vector<std::string> below = path;
    below.push_back(command->get_name());
    Walk(*command, below, facts);
  }
}

}  // namespace

std::vector<CommandFact> CommandTree(const CLI::App& app) {
  std::vector<CommandFact> facts;
  Walk(app, {}, facts);
  return facts;
}

std::vector<std::string> GroupsOf(const std::vector<FlagFact>& flags) {
  std::vector<std::string> groups;
  for (const FlagFact& flag : flags) {
    if (std::find(groups.begin(), groups.end(), flag.group) == groups.end()) groups.push_back(flag.group);
  }
  // The flags without a group, among them --help, come last.
  std::stable_partition(groups.begin(), groups.end(), [](const std::string& group) { return group != kNoGroup; });
  return groups;
}

std::string Synopsis(const CommandFact& fact) {
  std::string line = fact.path.empty() ? "cordon" : fmt::format("cordon {}", fmt::join(fact.path, " "));
  for (const FlagFact& place : fact.places) line += place.required ? " " + place.name : " [" + place.name + "]";
  for (const FlagFact& flag : fact.flags) {
    if (flag.required) line += fmt::format(" {} {}", flag.name, flag.value);
  }
  if (!fact.commands.empty()) line += fact.path.empty() ? " COMMAND" : fmt::format(" {}", fmt::join(fact.commands, "|"));
  return line + " [OPTIONS]";
}

std::string Spelling(const FlagFact& flag) {
  const std::string names = flag.brief.empty() ? flag.name : flag.brief + ", " + flag.name;
  if (!flag.takes_value() || !flag.name.starts_with("--")) return names;
  return names + " " + flag.value;
}

void Explain(CLI::App& parser, const std::vector<FlagGroup>& groups, const std::vector<std::string>& examples) {
  for (const FlagGroup& group : groups) {
    for (const std::string& flag : group.flags) parser.get_option(flag)->group(group.name);
  }
  parser.footer(fmt::format("{}", fmt::join(examples, "\n")));
}

}  // namespace cordon::engine
