// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a column of a table that nobody has described, with the rows of each.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cordon/data/table.h"

namespace cordon::engine {

// Whole numbers at one scale, ascending, each with its rows.
using CountedNumbers = std::vector<std::pair<std::int64_t, std::uint64_t>>;

// Digits after the point that the numbers of the column have, as far as they matter.
int ScaleOf(const Column& column, const std::vector<std::string>& missing);

// In units of 10^-scale. Cells that are not numbers are left out.
CountedNumbers NumbersAt(const Column& column, int scale, const std::vector<std::string>& missing);
CountedNumbers DaysOf(const Column& column, const std::vector<std::string>& missing);

// To the nearest multiple of the step, halves up.
std::int64_t HalfUp(std::int64_t value, std::int64_t step);
CountedNumbers RoundedTo(std::int64_t step, const CountedNumbers& numbers);

// The number below which this share of the rows is. REQUIRES: there are numbers.
std::int64_t Quantile(const CountedNumbers& numbers, double share);

}  // namespace cordon::engine
