// SPDX-License-Identifier: Apache-2.0
//
// Texts as TOML writes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cordon::engine {

std::string TomlText(std::string_view text);
std::string TomlKey(const std::string& name);
std::string TomlList(const std::vector<std::string>& texts);

}  // namespace cordon::engine
