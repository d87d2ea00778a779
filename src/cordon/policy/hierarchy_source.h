// SPDX-License-Identifier: Apache-2.0
//
// Where hierarchies come from: files in ARX's form, one line per leaf (leaf;level1;...;root), and rules that make
// them out of the values: prefixes of codes, intervals of numbers, months and years of dates.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/hierarchy.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// The delimiter is the first of ; , tab that the first line has. Labels may be quoted; LF or CRLF; a byte order mark
// and blank lines at the end are fine. "*" may only be the root. Errors name `name` and the line.
Result<Hierarchy> ParseHierarchy(std::string_view text, const std::string& name);
Result<Hierarchy> ReadHierarchy(const std::string& path);

// "53710" -> "5371*" -> "537*" -> ... -> "*": `length` levels above the values. A shorter code joins at its own
// length ("537" is under "537*"). Values may be cells of the data: no message names one.
Result<Hierarchy> PrefixHierarchy(std::vector<std::string> values, int length);

// Values (at `scale`, ascending) under "[20,30)", ... of growing widths, aligned to `origin`. With a grid the leaves
// are its cells. REQUIRES: widths at the same scale, ascending, each a multiple of the one before.
Result<Hierarchy> IntervalHierarchy(std::span<const std::int64_t> values, int scale, std::int64_t cell,
                                    std::span<const std::int64_t> widths, std::int64_t origin);

// All days of the units that first..last touch, under "2024-03", "2024-Q1", "2024".
Result<Hierarchy> DateHierarchy(std::int64_t first, std::int64_t last, std::span<const DateUnit> units);

// "2024-03", "2024-Q1", "2024": the label of the unit around a day.
std::string DateLabel(std::int64_t day, DateUnit unit);
// The first and the last day of such a label, if it is one.
struct DaySpan {
  std::int64_t first;
  std::int64_t last;
};
std::optional<DaySpan> ParseDateLabel(std::string_view label);

}  // namespace cordon::engine
