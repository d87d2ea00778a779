// SPDX-License-Identifier: Apache-2.0
//
// The form of a policy as a JSON Schema (2020-12), for editors that complete and check TOML. Keys, models, algorithms and
// their options come from the reader itself, so that the two cannot drift apart; what depends on the data or on other
// parts of the policy, only the reader checks.
#pragma once

#include "cordon/base/json.h"

namespace cordon::engine {

Json PolicySchema();

}  // namespace cordon::engine
