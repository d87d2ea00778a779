// SPDX-License-Identifier: Apache-2.0
//
// A connection is made again: both parties say where they stand, and send again, as the same bytes, what the other lacks.
// Afterwards both have the same frames, and RunParty goes on from them.
#pragma once

#include "cordon/base/digest.h"
#include "cordon/base/result.h"
#include "cordon/party/journal.h"

namespace cordon::engine {

// `audit` of the journal; an empty one if there is none yet. Adds to the past what the peer sends again. An error if the two
// journals are not of one run: nothing is made up then, and the run cannot go on.
Result<void> CatchUp(PartyRole role, const Sha256Digest& channel_binding, const JournalAudit& audit, PartyPast& past,
                     JournaledTransport& transport);

}  // namespace cordon::engine
