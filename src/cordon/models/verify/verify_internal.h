// SPDX-License-Identifier: Apache-2.0
//
// How the verifier decides one model for one group of published rows. Second formulas on purpose: nothing here is shared
// with the group models (group_model.h), and tests compare the two.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/data/attribute.h"
#include "cordon/models/spec/model_spec.h"
#include "cordon/models/verify/tally.h"

namespace cordon::engine {

// A person has a value: this many rows of the person show it.
struct Holder {
  Code person;
  Code value;
  std::uint32_t rows = 0;
};

// One sensitive column over all published rows.
struct SensitiveFacts {
  std::string name;
  std::shared_ptr<const Domain> domain;  // null: texts are values, without order
  std::shared_ptr<const Dictionary> texts;
  std::optional<Code> missing;       // the value that stands for none
  std::vector<std::int64_t> counts;  // by value: the reference distribution
  std::int64_t rows = 0;
  std::vector<Holder> holders = {};  // by person, then by value, each pair once; only if a model counts people

  // The value of a text in a policy; nothing if the column has no such value.
  std::optional<Code> Find(const std::string& text) const;
};

// What was counted: groups with rows, people and values.
class Evidence {
 public:
  // The tally has a histogram per column, one of persons, and one of places among the holders per column that has some.
  Evidence(Tally tally, std::vector<SensitiveFacts> columns, bool persons);

  std::size_t num_groups() const { return tally_.num_groups(); }
  std::int64_t rows(std::size_t group) const { return static_cast<std::int64_t>(tally_.rows(group)); }
  std::int64_t persons(std::size_t group) const {
    return persons_ ? static_cast<std::int64_t>(people(group).size()) : rows(group);
  }
  bool knows_people() const { return persons_; }
  // Whose rows they are, each person once. REQUIRES: knows_people().
  std::span<const Tally::Entry> people(std::size_t group) const { return tally_.histogram(columns_.size(), group); }
  std::uint64_t first_row(std::size_t group) const { return tally_.first_row(group); }
  std::span<const Tally::Entry> values(std::size_t column, std::size_t group) const { return tally_.histogram(column, group); }
  // By person, then by value, each pair once. REQUIRES: the column has holders.
  std::vector<Holder> holders(std::size_t column, std::size_t group) const;
  std::size_t Find(const std::string& column) const;  // REQUIRES: it is there
  const SensitiveFacts& column(std::size_t i) const { return columns_[i]; }

 private:
  Tally tally_;
  std::vector<SensitiveFacts> columns_;
  bool persons_;
};

// The value of a group: a fraction if it is one (denominator 0: infinite), else a real number. Parts of fractions are
// small enough for products of two of them: below 2^96 over 2^32, or both below 2^64.
struct Measure {
  UInt128 numerator = 0;
  UInt128 denominator = 1;
  long double real = 0;
  bool is_real = false;

  static Measure Fraction(UInt128 numerator, UInt128 denominator) { return {numerator, denominator, 0, false}; }
  static Measure Real(long double value) { return {0, 1, value, true}; }
  // -1, 0, 1 as a is below, equal to or above b. REQUIRES: of the same kind.
  static int Compare(const Measure& a, const Measure& b);
};

// The people of a group: how many have each value that somebody has, ascending by value, and how many rows each person has.
struct HeldValues {
  std::vector<Tally::Entry> values;
  std::map<std::int64_t, std::int64_t> people_by_rows;
  std::int64_t people = 0;

  // How many are not expected to have what set_rows of all rows have: of a person with m rows, max(0, 1 - m * share of the
  // set). Times whole_rows: below 2^64.
  Int128 Unexpected(std::int64_t set_rows, std::int64_t whole_rows) const;
};
HeldValues HeldValuesOf(std::span<const Holder> holders);

struct Finding {
  bool holds = false;
  Measure value;
};

class GroupJudge {
 public:
  virtual ~GroupJudge() = default;
  virtual Finding Judge(const Evidence& evidence, std::size_t group) const = 0;
  virtual bool smaller_is_worse() const { return false; }
  // Whether it goes by rows although people are what it protects.
  virtual bool counts_rows() const { return true; }
  // What all fractions are to be divided by in addition.
  virtual UInt128 common_denominator() const { return 1; }
  enum class Numbers { kExact, kShown };
  virtual std::string Note(const Evidence&, Numbers) const { return ""; }
  virtual std::vector<std::string> Warnings(const Evidence&) const { return {}; }
};

using JudgeResult = Result<std::unique_ptr<const GroupJudge>>;

JudgeResult MakeJudge(const KAnonymitySpec& spec, const Evidence& evidence);
JudgeResult MakeJudge(const LDiversitySpec& spec, const Evidence& evidence);
JudgeResult MakeJudge(const TClosenessSpec& spec, const Evidence& evidence);
JudgeResult MakeJudge(const BetaLikenessSpec& spec, const Evidence& evidence);
JudgeResult MakeJudge(const DeltaDisclosureSpec& spec, const Evidence& evidence);
JudgeResult MakeJudge(const AlphaKSpec& spec, const Evidence& evidence);
JudgeResult MakeJudge(const ConfidenceSpec& spec, const Evidence& evidence);
JudgeResult MakeJudge(const KsAnonymitySpec& spec, const Evidence& evidence);
JudgeResult MakeJudge(const KeAnonymitySpec& spec, const Evidence& evidence);
// Refused: which window a row was in is not told by a table (stream_judge_internal.h).
JudgeResult MakeJudge(const WindowClosenessSpec& spec, const Evidence& evidence);
JudgeResult MakeJudge(const WindowLikenessSpec& spec, const Evidence& evidence);

}  // namespace cordon::engine
