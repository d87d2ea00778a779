// SPDX-License-Identifier: Apache-2.0
//
// A store whose machine stopped, or whose append was killed in its last steps, as the journal says it is.
//
// The tables are put together from the bytes that they had when all was last durable, which STORE, the spare or a spare
// that was being grown has, and those in the journal; what comes out must have the digests of the manifest. Then
// they are put into place as by any append: killed on the way, nothing is lost.
//
// A store that is ahead of its journal is left as it is, if it is whole: then the journal is damaged, or of before.
#pragma once

#include <string>

#include "cordon/base/result.h"
#include "cordon/base/run.h"

namespace cordon::engine {

// REQUIRES: the lock is held.
Result<void> RecoverStore(const std::string& store, const Run& run);

// The same for a reader: nothing where the private half is not at hand, or an append runs that would see to it.
Result<void> RecoverIfAtHand(const std::string& store, const Run& run);

}  // namespace cordon::engine
