// SPDX-License-Identifier: Apache-2.0
//
// Whether the rows of a table look as if each person had several, found by counting alone: half of the rows or more agree with
// another one in every column, although the columns together tell nearly all people apart.
//
// The yardstick is what the table itself says without repeats. Of the different rows (each combination once) the share of pairs
// that agree in a column is counted, and for each further column that share among the pairs that agree in the column before it
// that says most of it: a zip code says the town. Their product times the number of rows is how many rows are expected to agree
// with a given one. Repeats of one person are no part of it, so they cannot excuse themselves.
//
// Calibration (share of rows that agree with another / chance expected; it fires from 50 % on, if at most 10 % are expected):
// Adult by 8 columns 53 / 48, FARS by 7 columns 57 / 36, UCI Adult by 10 columns 45 / 34, German by 6 columns 46 / 40, census
// 37 / 42, patients 39 / 14, 100,000 people by zip, town, region, age and sex 58 to 100 / 45 to 100. Tables of 36 to 10,000
// people with one to twenty rows each, by birth date, sex and zip: 87 to 100 / 0 to 6.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cordon/base/run.h"
#include "cordon/metrics/grouping.h"

namespace cordon::engine {

struct SeveralRows {
  double share = 0;          // of the rows: those that agree with another one in every column
  double expected = 0;       // the same, if the rows were different people
  std::uint64_t groups = 0;  // different rows: about as many people
};

// Nothing if the rows do not look so, which is no proof: people that differ in few columns cannot be told from rows of one.
std::optional<SeveralRows> FindSeveralRows(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run);

// The pairs of rows that agree in all columns, ordered ones: n (n - 1) of n equal rows.
double AgreeingPairs(std::span<const CodedColumn> columns, std::size_t num_rows, const Run& run);

}  // namespace cordon::engine
