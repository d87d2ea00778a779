// SPDX-License-Identifier: Apache-2.0
//
// The known word closest to a mistyped one, for hints.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cordon::engine {

// Edits (insert, delete, replace, swap two neighbours) that turn `a` into `b`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The closest of `known`, if it is close enough to be what was meant.
std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> known);

}  // namespace cordon::engine
