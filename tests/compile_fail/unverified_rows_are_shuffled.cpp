// SPDX-License-Identifier: Apache-2.0
// A release that is larger than memory takes rows that a verifier has judged, and no others.
#include "cordon/io/sink.h"

using namespace cordon::engine;

#ifdef FORBIDDEN
Result<void> Add(ShuffledRelease& rows, const Release& part) { return rows.Add(part, {}); }
#else
Result<void> Add(ShuffledRelease& rows, const VerifiedRelease& part) { return rows.Add(part, {}); }
#endif
