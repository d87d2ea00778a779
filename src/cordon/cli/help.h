// SPDX-License-Identifier: Apache-2.0
//
// What --help and "cordon help" print.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cordon/cli/command_tree.h"

namespace cordon::engine {

// `facts` is the whole tree, of which `fact` is one: the program itself has the flags that go with every command.
std::string HelpText(const CommandFact& fact, const std::vector<CommandFact>& facts);

// Makes the parser print HelpText. REQUIRES: `app` outlives the formatter.
std::shared_ptr<CLI::FormatterBase> HelpFormatter(const CLI::App& app);

}  // namespace cordon::engine
