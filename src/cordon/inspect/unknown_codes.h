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

// Values of a person column that look like placeholders, with their numbers of rows: a long repeated digit, zeros, nines or a
// word such as "unknown". Each has several times the rows of other values. Values in `missing` are left out.
std::vector<std::pair<std::string, std::uint64_t>> Placeholders(const Column& column, const std::vector<std::string>& missing);

}  // namespace cordon::engine
