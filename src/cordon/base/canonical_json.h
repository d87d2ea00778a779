// SPDX-License-Identifier: Apache-2.0
//
// The one spelling of a JSON value that is signed: the JSON Canonicalization Scheme (RFC 8785). No spaces, names in the order
// of their UTF-16 code units, numbers as ECMAScript writes them. Whole numbers beyond 2^53 are refused instead of rounded.
#pragma once

#include <string>
#include <string_view>

#include "cordon/base/json.h"
#include "cordon/base/result.h"

namespace cordon::engine {

// An error if the value has no canonical form: text that is not UTF-8, a number that is not finite or not exact.
Result<std::string> CanonicalJson(const Json& json);

// A double as ECMAScript writes it. REQUIRES: it is finite.
std::string CanonicalNumber(double value);

// Like ParseJson, but is_discarded() also if an object has a name twice: readers differ on which of the two counts.
Json ParseJsonOnce(std::string_view text);

}  // namespace cordon::engine
