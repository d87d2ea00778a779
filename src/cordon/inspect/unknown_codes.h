// SPDX-License-Identifier: Apache-2.0
//
// Values that probably say "unknown": 99 in a column of ages, -9 in one of counts, and the 0 of a day next to its 99;
// 000000000 in a column of people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cordon/data/table.h"

namespace cordon::engine {

// Each with its rows, ascending; in a release they would count as quantities. REQUIRES: a column of numbers.
std::vector<std::pair<std::int64_t, std::uint64_t>> CodesForUnknown(const Column& column,
                                                                    const std::vector<std::string>& missing);

// Values of a column that tells people apart which look as if they stood for nobody: one digit repeated, or a word such as
// "unknown", with several times the rows that other values have. Each with its rows. REQUIRES: `missing` are no values.
std::vector<std::pair<std::string, std::uint64_t>> Placeholders(const Column& column, const std::vector<std::string>& missing);

}  // namespace cordon::engine
