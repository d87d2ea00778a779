// SPDX-License-Identifier: Apache-2.0
//
// What a table holds, before anybody has said what its columns mean: types, distinct values, how well each column alone and
// pairs of columns tell rows apart, and from that a first guess at roles. A guess only: it errs towards protecting.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cordon/base/result.h"
#include "cordon/base/run.h"
#include "cordon/data/attribute.h"
#include "cordon/data/table.h"
#include "cordon/inspect/recognize.h"

namespace cordon::engine {

struct ColumnProfile {
  std::string name;
  Domain::Kind type = Domain::Kind::kCategorical;
  std::uint64_t distinct = 0;        // values, the missing not counted
  std::uint64_t missing = 0;         // cells
  std::uint64_t unique_rows = 0;     // rows whose value no other row has
  double distinction = 0;            // distinct values / rows
  double separation = 0;             // share of the pairs of rows that the column tells apart
  std::vector<std::string> unclear;  // two formats of dates between which the cells do not decide
  std::vector<std::string> format;   // how its numbers or dates are written, if not as in a release
  struct OddCells {
    Domain::Kind others = Domain::Kind::kCategorical;  // what nearly all cells are: numbers or dates
    std::uint64_t cells = 0;                           // that are not, of a column that is categorical because of them
    std::uint64_t first_row = 0;                       // of these, from 1
  };
  OddCells odd;
  int longest = 0;        // characters of the longest value
  bool codes = false;     // values of one length, digits among them: postal codes and the like
  bool postcode = false;  // codes, and the name says of what
  Content content = Content::kUnknown;
  bool named_sensitive = false;  // by its name, whatever role it gets
  Role role = Role::kQuasi;      // suggested
  std::string why;               // for that role, in words; no cell is in it
};

// Rows that a set of columns singles out.
struct Singled {
  std::vector<std::string> columns;
  std::uint64_t unique_rows = 0;
  std::uint64_t groups = 0;
};

struct Profile {
  std::uint64_t rows = 0;
  std::vector<ColumnProfile> columns;
  std::vector<std::string> missing;  // markers that occur, of those that usually mean "no value"; "" is always among them
  std::vector<Singled> pairs;        // of suspected quasi columns, the worst first, at most five
  Singled all;                       // all suspected quasi columns together
  bool names_in_doubt = false;       // the names of the columns may be a row of the data
};

// "1 of its cells is not a number (row 201)".
std::string DescribeOdd(const ColumnProfile::OddCells& odd);
bool HasSensitive(const Profile& profile);
// Also of those that are left out.
bool LooksSensitive(const Profile& profile);
inline constexpr const char* kNoneSensitive =
    "no column looks sensitive: is that so? What nobody should learn of a person (an illness, an income, a conviction) needs "
    "role = \"sensitive\" and a model";

inline constexpr const char* kNamesInDoubt =
    "the first line is taken for the names of the columns, and none of them is a usual one. Names are published: if the line "
    "is "
    "a row, give --no-header, or put a line of names above it";
// Asks whether one of the quasi columns of texts is sensitive as well; empty if none is such.
std::string AskOfTexts(const Profile& profile);

Profile ProfileTable(const Table& table, const Run& run);

// Texts of the table that usually mean "no value", "" first. Not one that is a value here: - next to +.
std::vector<std::string> MarkersIn(const Table& table);
// Of the texts that usually mean "no value", whether a table has it or not.
bool MeansMissing(std::string_view text);
// A number; a leading zero makes a code of it: 01234 is not a quantity.
bool IsQuantity(std::string_view text);

struct Suggestion {
  Role role = Role::kQuasi;
  std::string why;
  int rank = 0;  // how well the column would serve as the person column, above 0 if it would at all
};

// The role that name and contents of a column suggest, and why. REQUIRES: `values` are the distinct ones.
Suggestion SuggestRole(const ColumnProfile& column, std::uint64_t rows, const std::vector<std::string_view>& values);

}  // namespace cordon::engine
