// SPDX-License-Identifier: Apache-2.0
//
// The axis of one attribute: its values in an order, as codes 0..size()-1.
//
//   numeric, date   the distinct values, ascending; a run of codes is published as the interval they span, or, if steps
//                   are declared, as the steps that hold it
//   categorical     the leaves of a hierarchy, from left to right; a run is published as their common ancestor
//
// Either way a group of rows needs only the least and greatest code per attribute, its box. Missing values
// are one more code: for numbers the last one, for categories one more leaf under the root. Alone they are
// published as the first missing marker, mixed with values as "*".
//
// Immutable; safe to share between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/data/codes.h"
#include "cordon/data/hierarchy.h"
#include "cordon/data/steps.h"

namespace cordon::engine {

struct CodeRange {
  Code lo = 0;
  Code hi = 0;
  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

// What a published cell says, no matter who published it.
struct Meaning {
  enum class Kind { kEverything, kMissing, kInterval, kNode };
  Kind kind = Kind::kEverything;
  std::int64_t lo = 0;  // kInterval, at the domain's scale
  std::int64_t hi = 0;
  bool open_above = false;  // [lo, hi)
  NodeId node = kRoot;      // kNode
  friend bool operator==(const Meaning&, const Meaning&) = default;
};

class Domain {
 public:
  enum class Kind { kNumeric, kDate, kCategorical };

  struct NumericSpec {
    Kind kind = Kind::kNumeric;
    int scale = 0;                     // digits after the point
    std::vector<std::int64_t> values;  // ascending, distinct; with a grid, the lower ends of the cells in use
    std::int64_t cell = 0;             // grid width: value v stands for [v, v + cell); 0 for plain points
    Steps steps;                       // plain points: where a run of several values may end; none: at its values
    std::int64_t range_lo = 0;         // the domain of the loss; covers all values
    std::int64_t range_hi = 0;
    std::optional<std::string> missing;       // the marker, if missing cells are values of this domain
    std::shared_ptr<const Hierarchy> labels;  // optional: labels that name intervals, levels for level-based algorithms
  };
  // REQUIRES: values ascending and within the range.
  static Domain Numeric(NumericSpec spec);
  // `missing`, if given, is a leaf of the hierarchy.
  static Domain Categorical(std::shared_ptr<const Hierarchy> hierarchy, std::optional<std::string> missing);

  Kind kind() const { return spec_.kind; }
  bool is_categorical() const { return spec_.kind == Kind::kCategorical; }
  Code size() const { return size_; }
  std::optional<Code> missing() const { return missing_; }
  // Categorical: always there. Numeric: the optional labels.
  const std::shared_ptr<const Hierarchy>& hierarchy() const { return is_categorical() ? hierarchy_ : spec_.labels; }
  const NumericSpec& numeric() const { return spec_; }

  // Numbers alone: the same with more digits after the point, so that cells that show more can be read. Codes mean the same
  // numbers. Nothing if they would not fit, or have that many digits already.
  std::optional<Domain> WithDigits(int scale) const;

  // Numeric only: the value of a code that is not missing, at scale().
  std::int64_t value(Code code) const { return spec_.values[code]; }
  int scale() const { return spec_.scale; }
  // Of declared steps the one around the value. REQUIRES: numeric().steps.any()
  const StepSpan& step(Code code) const { return steps_[code]; }
  // The number or date as published.
  std::string FormatValue(std::int64_t value) const;
  std::optional<std::int64_t> ParseValue(std::string_view text) const;

  // Of the box lo..hi: share of the domain that it leaves open, 0 (exact) to 1 (nothing said).
  double Loss(Code lo, Code hi) const;
  std::string Publish(Code lo, Code hi) const;
  // The cell that Read takes for this meaning.
  std::string Publish(const Meaning& meaning) const;

  // The code of an input cell; nothing if the value is not of this domain. Missing cells are the caller's.
  std::optional<Code> Encode(std::string_view text) const;

  // Reading a published cell: a value, a label, a range literal, "*", the missing marker.
  std::optional<Meaning> Read(std::string_view published) const;
  bool Covers(const Meaning& meaning, Code code) const;
  // The codes that Covers says yes to; lo > hi if there is none. A missing number is not in a star's run of values,
  // yet covered by it: kEverything is all codes.
  CodeRange CoveredCodes(const Meaning& meaning) const;
  double Loss(const Meaning& meaning) const;
  // The theses' form for categories: leaves / all leaves, 0 for a single leaf. Numbers as in Loss.
  double LossThesis(const Meaning& meaning) const;

 private:
  Domain() = default;
  std::optional<Meaning> ReadInterval(std::string_view published) const;
  double Width(std::int64_t lo, std::int64_t hi) const;

  NumericSpec spec_;
  std::vector<StepSpan> steps_;  // of each value; empty: none are declared
  std::shared_ptr<const Hierarchy> hierarchy_;
  Code size_ = 0;
  std::optional<Code> missing_;
};

}  // namespace cordon::engine
