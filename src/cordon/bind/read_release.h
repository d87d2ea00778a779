// SPDX-License-Identifier: Apache-2.0
//
// A table that was published, by whatever tool, becomes a Release again: every column gets its role and a
// domain on which its cells can be read.
#pragma once

#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"
#include "cordon/data/table.h"
#include "cordon/data/upper_end.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// Expects the policy's columns less identifiers without pseudonym and the person column; a column `group` more is
// welcome, a pair age_lo, age_hi stands for a numeric quasi column age.
//
// Domains are those of `original` where given (may be null): loss and truth are then told against the data behind
// the release. Else they come from the policy and, if it declares none, from the cells.
// Release::suppressed counts the rows with "*" in every quasi column.
// `ends` says which ranges in two columns have their upper end; those of a column that is not there are read with it.
Result<Release> ReadRelease(const Policy& policy, const Table& table, const Microdata* original, const Run& run,
                            const UpperEnds& ends = {});

// Columns that have ranges, of which it is not known whether the upper end belongs.
std::vector<std::string> RangesWithoutEnds(const Policy& policy, const Table& table, const UpperEnds& ends);

}  // namespace cordon::engine
