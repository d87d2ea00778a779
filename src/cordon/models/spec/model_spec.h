// SPDX-License-Identifier: Apache-2.0
//
// A privacy requirement as its author wrote it. Parameters that decide are exact and have no defaults.
// One spec gives rise to two implementations that share nothing but this file: the GroupModel that a search
// asks (group_model.h) and the judgement of published rows (verifier.h).
//
// Each model lists its fields once, in VisitFields, under their keys in a policy. The reader of policies, the digest of a
// policy, JSON and the schema are visitors: classes with a function per kind of field.
//   Sensitive  a sensitive column           Grouping  quasi columns; all of them if left out
//   Whole      a whole number, its least    Exact     a number without rounding
//   Choice     one of some names            Counts    rows or persons
//   Value      a value of that column       Values    columns with values of theirs
// Choices, counts, groupings and what is std::optional may be left out of a policy; everything else must be there.
// kComparesWithWhole: whether groups are compared with all published rows, so that a row less or a shard changes what is asked.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"

namespace cordon::engine {

enum class Distance { kOrdered, kHierarchical, kEqual };
inline constexpr std::array kDistances = {"ordered", "hierarchical", "equal"};
// What a model of sensitive values counts: rows, or the people who have a value in some row (docs/models/counts_persons.md).
enum class CountBy { kRows, kPersons };
inline constexpr std::array kCounts = {"rows", "persons"};

// Every combination of the quasi columns `on` (empty: all of them) belongs to at least k people.
struct KAnonymitySpec {
  static constexpr const char* kName = "k-anonymity";
  static constexpr bool kComparesWithWhole = false;
  std::int64_t k = 0;
  std::vector<std::string> on;

  static void VisitFields(auto& self, auto& visit) {
    visit.Whole("k", self.k, 1);
    visit.Grouping("on", self.on);
  }
};

struct LDiversitySpec {
  static constexpr const char* kName = "l-diversity";
  static constexpr bool kComparesWithWhole = false;
  enum class Kind {
    kDistinct,   // at least l different values
    kEntropy,    // entropy of the values at least ln l
    kRecursive,  // most frequent value < c * (sum of the l-th and rarer ones)
  };
  static constexpr std::array kKinds = {"distinct", "entropy", "recursive"};
  std::string sensitive;
  Rational l;  // whole for kDistinct and kRecursive
  Kind kind = Kind::kDistinct;
  std::optional<Rational> c;  // kRecursive
  CountBy counts = CountBy::kRows;

  static void VisitFields(auto& self, auto& visit) {
    visit.Sensitive("sensitive", self.sensitive);
    visit.Exact("l", self.l);
    visit.Choice("kind", self.kind, kKinds);
    visit.Exact("c", self.c);
    visit.Counts("counts", self.counts);
  }
};

// Earth mover's distance of the group's values to those of all published rows at most t.
struct TClosenessSpec {
  static constexpr const char* kName = "t-closeness";
  static constexpr bool kComparesWithWhole = true;
  std::string sensitive;
  Rational t;
  Distance distance = Distance::kOrdered;
  CountBy counts = CountBy::kRows;

  static void VisitFields(auto& self, auto& visit) {
    visit.Sensitive("sensitive", self.sensitive);
    visit.Exact("t", self.t);
    visit.Choice("distance", self.distance, kDistances);
    visit.Counts("counts", self.counts);
  }
};

struct BetaLikenessSpec {
  static constexpr const char* kName = "beta-likeness";
  static constexpr bool kComparesWithWhole = true;
  enum class Kind {
    kBasic,     // q <= (1 + beta) p for each value
    kEnhanced,  // q <= (1 + min(beta, -ln p)) p
  };
  static constexpr std::array kKinds = {"basic", "enhanced"};
  std::string sensitive;
  Rational beta;
  Kind kind = Kind::kEnhanced;
  // The same bound also for sets of related values, each as if it were one value:
  std::optional<Rational> range = {};          // numbers, dates: all runs of values with greatest - least <= range
  std::optional<std::int64_t> min_depth = {};  // categories: all inner nodes of the hierarchy at this depth (root: 0) or deeper
  CountBy counts = CountBy::kRows;

  static void VisitFields(auto& self, auto& visit) {
    visit.Sensitive("sensitive", self.sensitive);
    visit.Exact("beta", self.beta);
    visit.Choice("kind", self.kind, kKinds);
    visit.Exact("range", self.range);
    visit.Whole("min_depth", self.min_depth, 0);
    visit.Counts("counts", self.counts);
  }
};

// |ln(q / p)| < delta for every value; each value occurs in each group.
struct DeltaDisclosureSpec {
  static constexpr const char* kName = "delta-disclosure";
  static constexpr bool kComparesWithWhole = true;
  std::string sensitive;
  Rational delta;

  static void VisitFields(auto& self, auto& visit) {
    visit.Sensitive("sensitive", self.sensitive);
    visit.Exact("delta", self.delta);
  }
};

// k-anonymity, and `value` is at most the share alpha of any group.
struct AlphaKSpec {
  static constexpr const char* kName = "alpha-k";
  static constexpr bool kComparesWithWhole = false;
  std::string sensitive;
  std::string value;
  Rational alpha;
  std::int64_t k = 0;

  static void VisitFields(auto& self, auto& visit) {
    visit.Sensitive("sensitive", self.sensitive);
    visit.Value("value", self.value);
    visit.Exact("alpha", self.alpha);
    visit.Whole("k", self.k, 1);
  }
};

// rows(x and y) <= h * rows(x) for every combination x of the columns `on` and every listed value y.
struct ConfidenceSpec {
  static constexpr const char* kName = "confidence";
  static constexpr bool kComparesWithWhole = false;
  std::vector<std::string> on;                             // empty: all quasi columns
  std::map<std::string, std::vector<std::string>> values;  // sensitive column -> values; [] = every value
  Rational h;

  static void VisitFields(auto& self, auto& visit) {
    visit.Grouping("on", self.on);
    visit.Values("values", self.values);
    visit.Exact("h", self.h);
  }
};

// Of a stream, on every prefix that was let out: rows with equal quasi cells belong to at least k people. Of a table, it is
// k-anonymity on all quasi columns.
struct KsAnonymitySpec {
  static constexpr const char* kName = "ks-anonymity";
  static constexpr bool kComparesWithWhole = false;
  std::int64_t k = 0;

  static void VisitFields(auto& self, auto& visit) { visit.Whole("k", self.k, 1); }
};

// Every group has at least k different values of a number column that span at least e. For a permuted release (release.h)
// the groups are those its group column names, else rows that look alike.
struct KeAnonymitySpec {
  static constexpr const char* kName = "ke-anonymity";
  static constexpr bool kComparesWithWhole = false;
  enum class Objective { kSum, kMax };  // what the algorithm minimizes over groups of (greatest - least); nothing to judge
  static constexpr std::array kObjectives = {"sum", "max"};
  std::string sensitive;
  std::int64_t k = 0;
  Rational e;
  Objective objective = Objective::kSum;
  std::optional<Rational> max_share;  // no value has more than this share of a group's rows

  static void VisitFields(auto& self, auto& visit) {
    visit.Sensitive("sensitive", self.sensitive);
    visit.Whole("k", self.k, 2);
    visit.Exact("e", self.e);
    visit.Choice("objective", self.objective, kObjectives);
    visit.Exact("max_share", self.max_share);
  }
};

// Of a stream: every group that leaves lies in a run of `window` consecutive tuples, and its values are within t of those of
// that run by the earth mover's distance over the declared domain.
struct WindowClosenessSpec {
  static constexpr const char* kName = "window-closeness";
  static constexpr bool kComparesWithWhole = false;
  std::string sensitive;
  std::int64_t window = 0;
  Rational t;
  Distance distance = Distance::kOrdered;

  static void VisitFields(auto& self, auto& visit) {
    visit.Sensitive("sensitive", self.sensitive);
    visit.Whole("window", self.window, 1);
    visit.Exact("t", self.t);
    visit.Choice("distance", self.distance, kDistances);
  }
};

// The same with beta-likeness: q <= (1 + beta) p or (1 + min(beta, -ln p)) p, p being a value's share of the window.
struct WindowLikenessSpec {
  static constexpr const char* kName = "window-likeness";
  static constexpr bool kComparesWithWhole = false;
  std::string sensitive;
  std::int64_t window = 0;
  Rational beta;
  BetaLikenessSpec::Kind kind = BetaLikenessSpec::Kind::kEnhanced;

  static void VisitFields(auto& self, auto& visit) {
    visit.Sensitive("sensitive", self.sensitive);
    visit.Whole("window", self.window, 1);
    visit.Exact("beta", self.beta);
    visit.Choice("kind", self.kind, BetaLikenessSpec::kKinds);
  }
};

using ModelSpec =
    std::variant<KAnonymitySpec, LDiversitySpec, TClosenessSpec, BetaLikenessSpec, DeltaDisclosureSpec, AlphaKSpec,
                 ConfidenceSpec, KsAnonymitySpec, KeAnonymitySpec, WindowClosenessSpec, WindowLikenessSpec>;

// A spec of each, in which nothing is said yet.
std::vector<ModelSpec> EveryModel();

std::string ModelName(const ModelSpec& spec);  // "t-closeness"
// Canonical spelling, "t-closeness(salary, t=0.2, ordered)": manifests, messages and docs all use it.
std::string Describe(const ModelSpec& spec);
// What it asks for as a sentence, for the readers of a report.
std::string InWords(const ModelSpec& spec);
// The columns that make the groups (empty: all quasi) and the sensitive columns the model looks at.
std::vector<std::string> GroupingColumns(const ModelSpec& spec);
std::vector<std::string> SensitiveColumns(const ModelSpec& spec);
// Whether it goes by who has which value: counts = "persons".
bool CountsPersons(const ModelSpec& spec);
bool ComparesWithWhole(const ModelSpec& spec);
// Those that can be told of a release alone, which does not say whose a row is.
std::vector<ModelSpec> ToldByRows(const std::vector<ModelSpec>& specs);
// Whether every release satisfies it: then it guards nothing.
bool AlwaysHolds(const ModelSpec& spec);
// The tuples of the window that a model compares groups with; nothing for models that have none.
std::optional<std::int64_t> WindowOf(const ModelSpec& spec);
// What a window model asks of one window: the same as of a table. Other models as they are.
ModelSpec WithinWindow(const ModelSpec& spec);
// Parameters in their ranges: k >= 1, l >= 1, 0 <= t <= 1, beta > 0, range and min_depth >= 0, delta > 0, 0 < alpha <= 1,
// 0 < h <= 1, (k,e): k >= 2, e >= 0, windows >= 1
// tuples with 0 < t <= 1, ... Nothing is asked of people that only rows can tell: entropy, range and min_depth.
Result<void> Validate(const ModelSpec& spec);

}  // namespace cordon::engine
