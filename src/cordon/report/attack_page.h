// SPDX-License-Identifier: Apache-2.0
//
// What attacks on a release came to, as one page for the custodian: shares and counts, no cell of the data. Self-contained
// like the report (html.h), and private like it.
#pragma once

#include <string>

#include "cordon/attack/attack.h"

namespace cordon::engine {

// `path`: of the release.
std::string AttackPage(const std::string& path, const AttackReport& report);

}  // namespace cordon::engine
