// SPDX-License-Identifier: Apache-2.0
//
// Text of a file on its way to a terminal, which obeys control characters: cells could move the cursor, rewrite what stands
// there, or turn the reading direction.
#pragma once

#include <string>
#include <string_view>

namespace cordon::engine {

// One line to be read: control characters and marks of reading direction as \n, \x1b, \u202e. Other UTF-8 is left as it is.
std::string Printable(std::string_view text);

}  // namespace cordon::engine
