// SPDX-License-Identifier: Apache-2.0
//
// From the text of a policy to one that is whole: parsed, checked, its hierarchy and workload files read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cordon/base/result.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

Result<Policy> ReadPolicy(const std::string& path);
// `name` stands in messages; `directory` is the base of relative paths.
Result<Policy> ParsePolicy(std::string_view text, const std::filesystem::path& directory, const std::string& name);
// The same without opening any file: hierarchies that are files stay unread, the digest goes by their paths.
Result<Policy> ParsePolicyText(std::string_view text, const std::string& name);

}  // namespace cordon::engine
