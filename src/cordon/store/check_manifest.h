// SPDX-License-Identifier: Apache-2.0
//
// What the manifest of a store says of its rows, worked out again from the rows: how many there are, what each release that
// still stands cost and reached, and that the model holds.
#pragma once

#include <string>

#include "cordon/models/verify/help_verifier.h"
#include "cordon/report/utility.h"

namespace cordon::engine {

// The first claim that the rows do not bear out, such as "manifest.json: 'groups' is not the number of published groups"; empty
// if all do. `scale`: of the values of the verifier.
std::string WrongClaim(const Json& manifest, const HelpVerifier& rows, int scale);
// The part of it that needs no rows: that 'privacy' is one ke-anonymity model, as cordon writes it, of the permuted column.
std::string WrongModel(const Json& manifest);

}  // namespace cordon::engine
