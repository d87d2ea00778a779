// SPDX-License-Identifier: Apache-2.0
//
// Requirements of a release together with what was published before: (X,Y)-anonymity and (X,Y)-linkability of their join.
// They need more than a release to be judged, so they are not ModelSpecs. They list their fields as model_spec.h does, with
// three more kinds: Known (what an attacker knows, X), Counted (what is counted, Y) and Guarded (columns with values).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"

namespace cordon::engine {

// "job", "previous.zip", "previous2.zip".
struct ColumnRef {
  static constexpr int kOnlyPrevious = -1;  // the one previous release that has it

  int release = 0;  // 0: the current one; n: the n-th previous one
  std::string column;
  friend bool operator==(const ColumnRef&, const ColumnRef&) = default;
};
ColumnRef ParseColumnRef(std::string_view text);
std::string Describe(const ColumnRef& ref);

// Every x that occurs in the join occurs with at least k different Y.
struct XyAnonymitySpec {
  static constexpr const char* kName = "xy-anonymity";
  enum class Count {
    kPersons,       // people of the current release
    kPreviousRows,  // rows of a previous release
    kPairs,         // tuples of rows: not people
    kColumns,       // different values
  };
  std::vector<ColumnRef> x;
  Count count = Count::kPersons;
  std::vector<ColumnRef> y;                 // kColumns
  int previous = ColumnRef::kOnlyPrevious;  // kPreviousRows: which
  std::int64_t k = 0;

  static void VisitFields(auto& self, auto& visit) {
    visit.Known("x", self.x);
    visit.Counted("y", self);
    visit.Whole("k", self.k, 1);
  }
};

// tuples(x and y) <= h * tuples(x) for every x of the join and every listed value y.
struct XyLinkabilitySpec {
  static constexpr const char* kName = "xy-linkability";
  std::vector<ColumnRef> x;
  std::vector<std::pair<ColumnRef, std::vector<std::string>>> values;
  Rational h;

  static void VisitFields(auto& self, auto& visit) {
    visit.Known("x", self.x);
    visit.Guarded("values", self.values);
    visit.Exact("h", self.h);
  }
};

using JoinSpec = std::variant<XyAnonymitySpec, XyLinkabilitySpec>;

// Values of a column of one release and of a column of another that nobody has together.
struct ImpossiblePairs {
  std::string current;
  std::string previous;
  std::vector<std::pair<std::string, std::string>> pairs;
};

// A spec of each, in which nothing is said yet.
std::vector<JoinSpec> EveryJoinModel();

std::string ModelName(const JoinSpec& spec);
// Y in words: "person", "rows of previous2", "pairs"; columns as "job+previous.zip".
std::string YAsText(const XyAnonymitySpec& spec);
// "xy-anonymity(job+previous.zip -> person, k=5)".
std::string Describe(const JoinSpec& spec);
const std::vector<ColumnRef>& KnownColumns(const JoinSpec& spec);  // X
// The columns of Y, if it is made of columns.
std::vector<ColumnRef> GuardedColumns(const JoinSpec& spec);
// Whether every release satisfies it: then it guards nothing.
bool AlwaysHolds(const JoinSpec& spec);
Result<void> Validate(const JoinSpec& spec);

// A requirement with every column found. Table 0 is the current release.
struct ResolvedJoin {
  struct Place {
    std::size_t table = 0;
    std::string column;
    friend bool operator==(const Place&, const Place&) = default;
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct Guarded {
    Place place;
    std::vector<std::string> values;  // empty: every value
  };
  std::vector<Place> x;               // a column that several releases have, with all its copies; ascending
  std::vector<Guarded> y;             // the columns of Y, if it is made of columns
  std::vector<std::size_t> keys;      // the releases whose rows (current: people) Y counts
  bool closed = false;                // every column that joins is in x
  std::vector<std::size_t> y_tables;  // the releases that Y is of, ascending
};
// `columns`: by release. An error names what is not there, or not the only one.
Result<ResolvedJoin> Resolve(const JoinSpec& spec, const std::vector<std::vector<std::string>>& columns,
                             const std::vector<ImpossiblePairs>& impossible);

}  // namespace cordon::engine
