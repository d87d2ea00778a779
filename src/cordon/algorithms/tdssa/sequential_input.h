// SPDX-License-Identifier: Apache-2.0
//
// What a search against previous releases is given, and what it tells of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cordon/data/linked.h"
#include "cordon/models/spec/join_spec.h"

namespace cordon::engine {

// What was published before, and what must hold of all of it together. Everything outlives the search.
struct SequentialInput {
  const LinkedTables&
      linked;  // the current table with its exact cells, row by row as the microdata, then the previous releases
  const std::map<std::string, SharedAxis>& axes;
  const std::vector<std::string>& missing;  // markers of missing cells
  const std::vector<JoinSpec>& specs;
  const std::vector<ImpossiblePairs>& impossible;
  // Whether the columns that join are generalized in addition to those in X.
  bool generalize_joining = true;
};

struct JoinFacts {
  std::string text;  // of the requirement
  bool closed = false;
  std::uint64_t classes = 0;  // different cells in what joins, of the previous releases together
  std::uint64_t entries = 0;  // of these by x, and by what Y needs
};

}  // namespace cordon::engine
