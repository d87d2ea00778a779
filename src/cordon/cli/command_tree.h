// SPDX-License-Identifier: Apache-2.0
//
// The commands and flags of the parser, for what describes them: help, completion scripts and the manual page.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cordon::engine {

struct FlagFact {
  std::string name;   // "--policy", "INPUT"
  std::string brief;  // "-p"; empty: none
  std::string help;
  std::string group;                 // under which help lists it
  std::string value;                 // what it takes, "FILE"; empty: nothing
  std::vector<std::string> choices;  // all values there are; empty: any
  bool required = false;

  bool takes_value() const { return !value.empty(); }
  bool takes_file() const { return value == "FILE" || value == "DIR"; }
};

struct CommandFact {
  std::vector<std::string> path;  // {"hierarchy", "check"}
  std::string help;
  std::vector<FlagFact> flags;
  std::vector<FlagFact> places;  // INPUT, ...
  std::vector<std::string> commands;
  std::vector<std::string> examples;
};

// The program itself first, then every command, each followed by its own.
std::vector<CommandFact> CommandTree(const CLI::App& app);

// Groups in the order in which help lists them; flags in none come under "Options".
std::vector<std::string> GroupsOf(const std::vector<FlagFact>& flags);

// "cordon anonymize INPUT --policy FILE [OPTIONS]"
std::string Synopsis(const CommandFact& fact);
// "-p, --policy FILE"
std::string Spelling(const FlagFact& flag);

struct FlagGroup {
  const char* name;
  std::vector<std::string> flags;
};
// How help lists the flags of a command, and commands to try.
void Explain(CLI::App& parser, const std::vector<FlagGroup>& groups, const std::vector<std::string>& examples);

}  // namespace cordon::engine
