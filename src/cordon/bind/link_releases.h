// SPDX-License-Identifier: Apache-2.0
//
// A table or a release and what was published before about the same people, tied together by a policy: which columns they
// share, and how the cells of each are read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/linked.h"
#include "cordon/data/microdata.h"
#include "cordon/data/release.h"
#include "cordon/data/table.h"
#include "cordon/data/upper_end.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// A previous release as it was read.
struct PreviousTable {
  std::string name;    // of the file
  std::string sha256;  // of its bytes
  Table table;
  UpperEnds ends = {};  // as its manifest says; a column that is not there is one nothing is known of
};

// Ranges in two columns that may match more rows or fewer, and nothing says which.
Error EndsNotKnown(const std::string& file, const std::string& column);

struct LinkedReleases {
  LinkedTables linked;
  std::map<std::string, SharedAxis> axes;  // of the columns that several have
};

// The current table with its exact cells. An error if no previous release shares a column with it, or a cell cannot be read.
Result<LinkedReleases> LinkMicrodata(const Policy& policy, const Microdata& data, const std::string& name,
                                     const std::vector<PreviousTable>& previous);
// The release as it is published.
Result<LinkedReleases> LinkRelease(const Policy& policy, const Release& release, const std::string& name,
                                   const std::vector<PreviousTable>& previous);

}  // namespace cordon::engine
