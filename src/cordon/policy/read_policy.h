// SPDX-License-Identifier: Apache-2.0
//
// From the text of a policy to one that is whole: parsed, checked, its hierarchy and workload files read.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// Each override is "PATH=VALUE" and stands in the place of what the file says: "privacy[0].k=7", "data.delimiter=\";\"".
// VALUE is TOML, or a text that begins with a letter. They are part of the digest like everything else.
using Overrides = std::vector<std::string>;

Result<Policy> ReadPolicy(const std::string& path, const Overrides& overrides = {});
// `name` stands in messages; `directory` is the base of relative paths.
Result<Policy> ParsePolicy(std::string_view text, const std::filesystem::path& directory, const std::string& name,
                           const Overrides& overrides = {});
// The same without opening any file: hierarchies that are files stay unread, the digest goes by their paths.
Result<Policy> ParsePolicyText(std::string_view text, const std::string& name, const Overrides& overrides = {});

// The files that the policy names, each with what it is for: no output may be one of them.
std::vector<std::pair<std::string, std::string>> FilesOfPolicy(const Policy& policy);

}  // namespace cordon::engine
