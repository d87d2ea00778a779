// SPDX-License-Identifier: Apache-2.0
//
// Cells brought into the notation of releases: dates as 2024-02-29, numbers as 1234.56, whatever the input writes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/data/domain.h"
#include "cordon/data/notation.h"
#include "cordon/data/table.h"
#include "cordon/policy/policy.h"

namespace cordon::engine {

// The column in that notation; missing cells stay. A cell that no notation fits is an error that says which one would.
Result<Column> Rewrite(const Column& column, const AttributePolicy& attribute, const DataPolicy& data, int threads);

// Numbers that floating point prints with more digits than fit, 1.2000000000000002: all of the column get the digits after the
// point that leave the largest of them 15 significant ones. Nothing if there are none; what is not a number stays.
std::optional<Column> RoundFloating(const Column& column, const DataPolicy& data, int threads);

// "3971 of 3971 rows look like DD.MM.YYYY": the notation that most cells have, of those people use; nothing where none fits
// half of them.
struct LookAlike {
  std::string text;        // of the notation
  std::uint64_t rows;      // that have it
  std::uint64_t of;        // rows with a value
  std::string rival = {};  // another that reads these cells as other days; empty: none
  std::string Say() const;
};
std::optional<LookAlike> LooksLike(const Column& column, const DataPolicy& data, Domain::Kind type);

// Two notations between which nothing in the column decides, DD/MM/YYYY and MM/DD/YYYY: all cells fit both, or some fit the
// one alone and some the other. Nothing: there are none.
std::optional<std::pair<Notation, Notation>> AmbiguousDates(const Column& column, const DataPolicy& data);

// The same of numbers: every point, or every comma, stands before exactly three digits, and no number without one needs it.
// 3.407 may then be between three and four, or above three thousand. The reading as decimals comes first.
std::optional<std::pair<Notation, Notation>> AmbiguousNumbers(const Column& column, const DataPolicy& data);

// Notations that together read every value of the column; empty: the column is not of that type, or needs none.
std::vector<Notation> GuessNotations(const Column& column, const DataPolicy& data, Domain::Kind type);

}  // namespace cordon::engine
