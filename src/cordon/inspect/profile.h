// SPDX-License-Identifier: Apache-2.0
//
// What a table holds, before anybody has said what its columns mean: types, distinct values, how well each column alone and
// pairs of columns tell rows apart, and from that a first guess at roles. A guess only: it errs towards protecting.
#pragma once

#include <cstdint>
#include <optional>
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
  bool some_contacts = false;    // a value or more is a way to reach people
  std::uint64_t remarks = 0;     // sentences that one row has, of a column whose other texts are none
  std::uint64_t stars = 0;       // cells "*", which would read as suppressed
  bool named_sensitive = false;  // by its name, whatever role it gets
  Role role = Role::kQuasi;      // suggested
  std::string why;               // for that role, in words; no cell is in it
  std::string ask;               // what the reader has to decide before the role holds; empty: nothing
};

// Rows that a set of columns singles out.
struct Singled {
  std::vector<std::string> columns;
  std::uint64_t unique_rows = 0;
  std::uint64_t groups = 0;
};

// No column tells people apart, and the rows look as if each person had several.
struct SeveralRowsEach {
  double share = 0;                   // of the rows: those that agree with another one in all that tells people apart
  double rows_each = 0;               // on average
  std::optional<std::size_t> column;  // one that was left out and may tell people apart
};

struct Profile {
  std::uint64_t rows = 0;
  std::vector<ColumnProfile> columns;
  std::vector<std::string> missing;  // markers that occur, of those that usually mean "no value"; "" is always among them
  std::vector<Singled> pairs;        // of suspected quasi columns, the worst first, at most five
  Singled all;                       // all suspected quasi columns together
  bool names_in_doubt = false;       // the names of the columns may be a row of the data
  std::optional<SeveralRowsEach> several_rows;
};

// "1 of its cells is not a number (row 201)".
std::string DescribeOdd(const ColumnProfile::OddCells& odd);
// "3 cells are \"*\" (...)"; only columns that are published matter.
bool HasStars(const ColumnProfile& column);
std::string DescribeStars(const ColumnProfile& column);
bool HasSensitive(const Profile& profile);
// Also of those that are left out.
bool LooksSensitive(const Profile& profile);
inline constexpr const char* kNoneSensitive =
    "no column looks sensitive: is that so? What nobody should learn of a person (an illness, an income, a conviction) needs "
    "role = \"sensitive\" and a model";

inline constexpr const char* kNamesInDoubt =
    "the first line is taken for the names of the columns, and one of them may be a person, or none is a usual one. Names are "
    "published: if the line is a row, give --no-header, or put a line of names above it";
// "the rows look as if each person had several, 6.0 on average".
std::string DescribeSeveralRows(const SeveralRowsEach& several);
// Asks whether one of the quasi columns of texts is sensitive as well; empty if none is such.
std::string AskOfTexts(const Profile& profile);

Profile ProfileTable(const Table& table, const Run& run);

// Texts of the table that usually mean "no value", "" first. Not one that is a value here: - next to +.
std::vector<std::string> MarkersIn(const Table& table);
// Of the texts that usually mean "no value", whether a table has it or not.
bool MeansMissing(std::string_view text);
// A number; a leading zero makes a code of it: 01234 is not a quantity.
bool IsQuantity(std::string_view text);

// How well a column whose values repeat tells people apart. From kNamesOfPeople on it is people that its values name.
enum PersonRank : int {
  kNobody,
  kDevice,          // network addresses, serial numbers
  kKeyOfAnything,   // visit_id, order number
  kBareKey,         // id
  kKindOfPeople,    // "user" with a few labels, which may be people
  kNamesOfPeople,   // with surnames: two people may have one
  kWayToReach,      // mail, telephone, address, account, household: a family may have one, and patients one doctor's
  kOfficialNumber,  // of an office, an insurance
  kKeyOfPeople,     // patient_id, customer number
};

struct Suggestion {
  Role role = Role::kQuasi;
  std::string why;
  PersonRank rank = kNobody;
};

struct ColumnTexts {
  std::vector<std::string_view> texts;
  std::vector<std::uint64_t> rows;  // of each
};

// The role that name and contents of a column suggest, and why.
Suggestion SuggestRole(const ColumnProfile& column, std::uint64_t rows, const ColumnTexts& values);

// Gives one column at most the role of the person column, by the ranks of SuggestRole and by which column determines which: if
// each visit has one insured person and there are fewer of these, the insured are the people. All others become identifiers.
void ChoosePerson(const Table& table, const std::vector<int>& ranks, Profile& profile, const Run& run);

// Sets Profile::several_rows if no column tells people apart and the rows look as if one should. Rows that are counted as
// people make groups of one person, and nobody notices.
void LookForSeveralRows(const Table& table, Profile& profile, const Run& run);

}  // namespace cordon::engine
