// SPDX-License-Identifier: Apache-2.0
//
// Hierarchy files that somebody has already, found for the columns of a table by name and by content.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/hierarchy.h"
#include "cordon/inspect/build_hierarchy.h"

namespace cordon::engine {

struct KnownHierarchy {
  std::string path;
  Hierarchy hierarchy;
};

// The files of a folder that read as hierarchies with a level between leaf and root; other files are passed over. By name.
Result<std::vector<KnownHierarchy>> ReadHierarchyFolder(const std::string& folder);

// The file whose leaves hold every value of the column. Of several the one whose name says the column; a name that says nothing
// is enough only where a single file fits and the column has more than a few values.
const KnownHierarchy* FindHierarchy(const std::vector<KnownHierarchy>& known, std::string_view column,
                                    const std::vector<Counted>& values);

}  // namespace cordon::engine
