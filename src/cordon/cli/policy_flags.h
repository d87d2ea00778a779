// SPDX-License-Identifier: Apache-2.0
//
// The policy of a command, and what the command line says in its place.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cordon/policy/policy.h"

namespace cordon::engine {

struct PolicyFlags {
  std::string path;
  std::vector<std::string> set;
  std::string delimiter;
  bool no_header = false;

  // --policy, --set, --delimiter and --no-header.
  void AddTo(CLI::App& parser, const std::string& help);
  // --set alone, for a command that takes the policy otherwise.
  void AddOverridesTo(CLI::App& parser);
  Result<Policy> Read() const;
};

}  // namespace cordon::engine
