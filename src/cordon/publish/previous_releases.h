// SPDX-License-Identifier: Apache-2.0
//
// The files of previous releases: reading them, and whether they are about the people of the current table.
#pragma once

#include <string>
#include <vector>

#include "cordon/base/run.h"
#include "cordon/bind/link_releases.h"
#include "cordon/data/microdata.h"
#include "cordon/io/table_input.h"
#include "cordon/plan/algorithm_entry.h"
#include "cordon/plan/request.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// Text files may use any delimiter; the first line names the columns.
Result<std::vector<PreviousTable>> ReadPreviousTables(const std::vector<TableInput>& inputs, const Run& run);

// Every value that the policy guards or calls impossible is one of its column: one that is not is far more likely misspelt than
// meant, and would guard nothing. `exact`: the current table has its exact cells; a release may have lost a value.
Result<void> CheckNamedValues(const Policy& policy, const LinkedReleases& releases, bool exact);

// The current table tied to what was published before. Refused if the tables do not list the same people, unless the request
// allows it.
Result<PreviousReleases> TieToPrevious(const AnonymizeRequest& request, const Policy& policy, const Microdata& data,
                                       const Run& run);

}  // namespace cordon::engine
