// SPDX-License-Identifier: Apache-2.0
//
// The commands and flags of the parser, for what describes them: completion scripts and the manual page.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cordon::engine {

struct FlagFact {
  std::string name;  // "--policy"
  std::string help;
  bool takes_value = false;
};

struct CommandFact {
  std::vector<std::string> path;  // {"hierarchy", "check"}
  std::string help;
  std::vector<FlagFact> flags;
  std::vector<FlagFact> places;  // INPUT, ...
  std::vector<std::string> commands;
};

// The program itself first, then every command, each followed by its own.
std::vector<CommandFact> CommandTree(const CLI::App& app);

}  // namespace cordon::engine
