// SPDX-License-Identifier: Apache-2.0
//
// cordon verify --stream OUT --audit LOG --policy P.toml
#pragma once

#include <optional>
#include <string>

#include "cordon/cli/command.h"
#include "cordon/policy/policy.h"

namespace cordon {

Result<Answer> VerifyStreamFiles(const std::string& out, const std::string& audit, const Policy& policy,
                                 std::optional<FileFormat> format, bool json, Console& console, const Run& run);

}  // namespace cordon
