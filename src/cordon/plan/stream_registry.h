// SPDX-License-Identifier: Apache-2.0
//
// The stream algorithms a policy can name, one line each. `auto` is decided here and nowhere else.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "cordon/algorithms/engine/stream_engine.h"
#include "cordon/base/random.h"
#include "cordon/base/result.h"
#include "cordon/models/verify/stream_verifier.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

struct StreamAlgorithmEntry {
  const char* name;  // of the catalog
  Result<std::unique_ptr<StreamEngine>> (*make)(const StreamSchema& schema, const Policy& policy, Random random);
  StreamVerifierOptions (*verifier)(const Policy& policy);  // what its departures are checked against
  bool needs_delay = true;                                  // in [stream]
  bool group_column = false;                                // its rows always tell their group
};

std::span<const StreamAlgorithmEntry> StreamAlgorithms();
// Whether the name is one of them.
bool IsStreamAlgorithm(std::string_view name);

// REQUIRES: the policy came out of ReadPolicy. "auto" is castle, and sabre-w if a model has a window. An unknown name is an
// error with a hint.
Result<const StreamAlgorithmEntry*> ChooseStreamAlgorithm(std::string_view name, const Policy& policy);

// How many tuples may arrive before one has left, if the delay counts tuples.
std::optional<std::int64_t> StreamDelay(const Policy& policy);

}  // namespace cordon::engine
