// SPDX-License-Identifier: Apache-2.0
//
// Which column of a table tells people apart, and whether people have several rows if none does. Rows that are counted as
// people make groups of one person, and nobody notices.
#pragma once

#include <vector>

#include "cordon/base/run.h"
#include "cordon/data/table.h"
#include "cordon/inspect/profile.h"

namespace cordon::engine {

// Gives one column at most the role of the person column, by the ranks of SuggestRole and by which column determines which: if
// each visit has one insured person and there are fewer of these, the insured are the people. All others become identifiers.
void ChoosePerson(const Table& table, const std::vector<int>& ranks, Profile& profile, const Run& run);

// Sets Profile::several_rows if no column tells people apart and the rows look as if it should.
void LookForSeveralRows(const Table& table, Profile& profile, const Run& run);

}  // namespace cordon::engine
