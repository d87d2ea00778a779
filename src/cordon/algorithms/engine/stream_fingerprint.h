// SPDX-License-Identifier: Apache-2.0
//
// The head of a stream engine's snapshot: its version, and a fingerprint of all that the engine was made with. A snapshot is
// taken up only by an engine that was made alike; what follows the head is each engine's own.
#pragma once

#include <string_view>

#include "cordon/algorithms/engine/group_requirements.h"
#include "cordon/base/bytes.h"
#include "cordon/base/result.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

// The quasi axes: names, ends, hierarchies, weights.
void FingerprintAxes(const StreamSchema& schema, ByteWriter& writer);
// k, and l of each column that has one.
void FingerprintNeeds(const StreamSchema& schema, const GroupRequirements& needs, ByteWriter& writer);

// Reads the head. An error if the version or the fingerprint differ; bytes that are not a head are left to the reader's Finish.
// `what` is the snapshot in words.
Result<void> CheckSnapshotHead(ByteReader& reader, std::uint64_t version, std::string_view fingerprint, std::string_view what);

}  // namespace cordon::engine
