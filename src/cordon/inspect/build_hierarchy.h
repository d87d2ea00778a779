// SPDX-License-Identifier: Apache-2.0
//
// Hierarchies made out of a column's values, and the text form of a hierarchy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/hierarchy.h"
#include "cordon/data/table.h"

namespace cordon::engine {

// A value and the rows that have it.
using Counted = std::pair<std::string, std::uint64_t>;

// The values of a column, markers of missing cells left out, in ascending order.
std::vector<Counted> CountValues(const Column& column, const std::vector<std::string>& missing);

// The same, with all values that fewer than `least` people have counted as `other`. Without a column of persons each row is
// one.
std::vector<Counted> FoldRare(const Column& column, const Column* person, const std::vector<std::string>& missing,
                              std::uint64_t least, const std::string& other);

// For values of which nothing is known but how often they occur: rare ones are put together first, frequent ones stay
// themselves longest. From level to level the least share of a label grows fourfold; a label lists its values, "{a|b|c}" or
// "{a|b|+7}". `other`, if given, is one more leaf, for values to come, unless it is a value.
// REQUIRES: values are distinct.
Result<Hierarchy> FrequencyHierarchy(std::vector<Counted> values, const std::optional<std::string>& other);

// Widths for a range: about 16 intervals at the finest level, each level twice as wide, up to the whole.
// In units of 10^-scale.
std::vector<std::int64_t> NiceWidths(std::int64_t lo, std::int64_t hi);

// One line per leaf: leaf;level1;...;root. ParseHierarchy reads it back as the same hierarchy.
std::string HierarchyText(const Hierarchy& hierarchy);

// The tree, one line per node, children indented: "label (leaves)". At most `lines` lines; then says how many more there are.
std::string HierarchyTree(const Hierarchy& hierarchy, std::size_t lines);

}  // namespace cordon::engine
