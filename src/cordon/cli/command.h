// SPDX-License-Identifier: Apache-2.0
//
// What a subcommand is: it adds its flags to the parser, and runs once they are read. One file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/cli/command_tree.h"
#include "cordon/cli/console.h"

namespace cordon::engine {

// kNo is a valid request whose answer is no: exit status 1.
enum class Answer { kYes, kNo };

struct Command {
  CLI::App* parser = nullptr;
  std::function<Result<Answer>(Console&, const Run&)> run;
};

Command AddAnonymize(CLI::App& app);
Command AddAppend(CLI::App& app);
Command AddAttack(CLI::App& app);
Command AddCheck(CLI::App& app);
Command AddCompare(CLI::App& app);
Command AddCompletion(CLI::App& app);
Command AddEvaluate(CLI::App& app);
Command AddGenerate(CLI::App& app);
Command AddHelp(CLI::App& app);
Command AddHierarchy(CLI::App& app);
Command AddParty(CLI::App& app);
Command AddHistory(CLI::App& app);
Command AddPermute(CLI::App& app);
Command AddInspect(CLI::App& app);
Command AddKeygen(CLI::App& app);
Command AddManual(CLI::App& app);
Command AddPolicy(CLI::App& app);
Command AddQuery(CLI::App& app);
Command AddReleaseNext(CLI::App& app);
Command AddStream(CLI::App& app);
Command AddSweep(CLI::App& app);
Command AddVerify(CLI::App& app);

}  // namespace cordon::engine
