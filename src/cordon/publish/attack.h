// SPDX-License-Identifier: Apache-2.0
//
// The attacks of the room `attack` on files: a release, the original behind it and the policy.
#pragma once

#include <optional>
#include <string>

#include "cordon/attack/attack.h"
#include "cordon/publish/release_files.h"

namespace cordon::engine {

struct AttackRequest {
  TableInput release;
  TableInput original;
  std::optional<FileFormat> format;  // of the releases, if their names do not tell
  std::string row_map;               // empty: the attacker works out groups by himself
  TableInput second;                 // another release of the same people, by the same policy; empty: there is none
  std::optional<std::string> html;   // private: the answer as a page
  AttackOptions options;
};

Result<AttackReport> Attack(const AttackRequest& request, const Policy& policy, const Run& run);

}  // namespace cordon::engine
