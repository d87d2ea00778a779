// SPDX-License-Identifier: Apache-2.0
//
// JSON values whose keys stay in the order in which they were set: reports, manifests, schemas.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cordon::engine {

using Json = nlohmann::ordered_json;

// What a text says; is_discarded() if it is not JSON: nor if it has a byte order mark, a byte of zero, or lists and objects
// more than 200 deep in each other. Ordinary functions: the parser of the library takes a second or two to compile, in every
// file that calls it. `see` is told of each part.
Json ParseJson(std::string_view text);
Json ParseJson(std::string_view text, const Json::parser_callback_t& see);

// Indented, with a line end. File names that are not UTF-8 are shown with replacement characters.
std::string Dump(const Json& json);

// JSON has no infinity; a value that no bound reaches is null.
Json JsonNumber(double value);

}  // namespace cordon::engine
