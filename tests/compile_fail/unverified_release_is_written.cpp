// SPDX-License-Identifier: Apache-2.0
// A release that no verifier has judged cannot be written.
#include "cordon/io/sink.h"

using namespace cordon::engine;

#ifdef FORBIDDEN
Result<Written> Write(const Release& release) { return WriteRelease(release, "out.csv", {}, {}); }
#else
Result<Written> Write(const VerifiedRelease& release) { return WriteRelease(release, "out.csv", {}, {}); }
#endif
