// SPDX-License-Identifier: Apache-2.0
//
// What the command line says in the place of the policy file: --set privacy[0].k=7.
//
// A path is keys with points between them, quoted if a name holds a point, each with [N] if it is a list. A list of one
// table needs no [N]; one of several does, so that nobody overrides a model by mistake.
#pragma once

#include <toml++/toml.h>

#include <string>
#include <vector>

#include "cordon/base/result.h"

namespace cordon::engine::internal {

Result<void> ApplyOverrides(const std::vector<std::string>& overrides, toml::table& document);

// The document as a policy file.
std::string TomlText(const toml::table& document);

}  // namespace cordon::engine::internal
