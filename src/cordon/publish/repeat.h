// SPDX-License-Identifier: Apache-2.0
//
// What a run takes over from an earlier one: its randomness, and how it cut a table that is larger than memory. Both stand in
// the private run record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cordon/base/json.h"
#include "cordon/base/random.h"
#include "cordon/plan/request.h"

namespace cordon::engine {

// The operating system's, that of a seed, or that of an earlier run over the same input. `input_sha256` is empty for rows
// that are not files.
Result<Random> RandomOf(const AnonymizeRequest& request, const std::string& input_sha256);

// The memory that the table may take: of the request, or of the run that is repeated. An error if the two differ.
Result<std::optional<std::uint64_t>> MemoryOf(const AnonymizeRequest& request);

// An error if the run that is repeated was cut in another way. `shards`: as the record would have it.
Result<void> CheckRepeats(const AnonymizeRequest& request, const Json& shards);

}  // namespace cordon::engine
