// SPDX-License-Identifier: Apache-2.0
//
// A policy and the names of a stream's columns become its layout, before the first row: every domain is declared, so a row
// can be checked against it and nothing is learned from the stream.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/policy/policy.h"
#include "cordon/stream/layout.h"

namespace cordon::engine {

// The columns that a JSON Lines stream may have: those of the policy, in its order, and the event time.
std::vector<std::string> StreamColumns(const Policy& policy);

// What the policy lacks before it can serve a stream, column by column: "[attributes.age] (line 4) needs 'range'".
std::vector<std::string> MissingDeclarations(const Policy& policy);

// How the cells of a sensitive column become codes.
Result<SensitiveCoder> BindSensitive(const Policy& policy, const AttributePolicy& attribute);

Result<StreamLayout> BindStream(const Policy& policy, std::span<const std::string> columns);

}  // namespace cordon::engine
