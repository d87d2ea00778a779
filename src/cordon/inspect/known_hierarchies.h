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

// A file that serves no column, and why not. No cell is in it.
struct PassedOver {
  std::string path;
  std::string why;
};

struct HierarchyFolder {
  std::vector<KnownHierarchy> known;    // by name
  std::vector<PassedOver> passed_over;  // files that are not hierarchies
};

Result<HierarchyFolder> ReadHierarchyFolder(const std::string& folder);

// The file whose leaves hold every value of the column. Of several the one whose name says the column; a name that says nothing
// is enough only if a single file fits and the column has more than a few values.
const KnownHierarchy* FindHierarchy(const std::vector<KnownHierarchy>& known, std::string_view column,
                                    const std::vector<Counted>& values);

// Whether the name of the file says the column.
bool SaysColumn(const std::string& path, std::string_view column);
// How many of the values are not leaves of the file.
std::size_t NumLacking(const Hierarchy& hierarchy, const std::vector<Counted>& values);

}  // namespace cordon::engine
