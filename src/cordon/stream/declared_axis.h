// SPDX-License-Identifier: Apache-2.0
//
// The axis of a quasi attribute whose domain is declared: the place of a cell on it, and the text of a box. Nothing is
// learned from the stream, so the answer to one cell never depends on another.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordon/data/domain.h"
#include "cordon/data/stream.h"

namespace cordon::engine {

// How a number or date gets its place: clamped, checked against the range, rounded, put on a grid. All at one scale.
struct NumberRule {
  Domain::Kind kind = Domain::Kind::kNumeric;  // or kDate
  int scale = 0;
  std::int64_t range_lo = 0;
  std::int64_t range_hi = 0;
  std::optional<std::int64_t> top, bottom, round;
  std::int64_t cell = 0;                            // grid: v stands for [v, v + cell); 0: plain points
  Steps steps;                                      // where a box of several values may end; none: at its values
  std::optional<std::vector<std::int64_t>> values;  // ascending: no other is allowed
};

class DeclaredAxis {
 public:
  static DeclaredAxis Numeric(std::string name, NumberRule rule, double weight);
  // `missing`: the leaf of missing cells; `other`: of values that the hierarchy lacks. Without one they have no place.
  static DeclaredAxis Categorical(std::string name, const std::shared_ptr<const Hierarchy>& hierarchy,
                                  std::optional<std::string> missing, std::optional<std::string> other, double weight);

  const StreamAxis& axis() const { return axis_; }

  // What is wrong with a cell, as text that goes on after "column age: "; null: nothing, and `place` is set.
  const char* Place(std::string_view cell, std::int64_t& place) const;
  // Nothing: a missing cell has no place here.
  std::optional<std::int64_t> missing() const { return missing_; }

  std::string Publish(const AxisRange& range) const;
  bool is_number() const { return rule_.kind != Domain::Kind::kCategorical; }  // or a date
  bool is_date() const { return rule_.kind == Domain::Kind::kDate; }
  // Of a number or date: the published ends; equal if the range is one value.
  std::pair<std::string, std::string> Ends(const AxisRange& range) const;
  // Whether the upper end of a published range lies outside of it.
  bool open_above() const { return rule_.cell > 0 || rule_.steps.any(); }
  // The share of the domain that the box leaves open: 0 (exact) to 1 (nothing said).
  double Loss(const AxisRange& range) const;

 private:
  const char* PlaceNumber(std::string_view cell, std::int64_t& place) const;
  const char* Settle(std::int64_t value, std::int64_t& place) const;
  std::string Format(std::int64_t value) const;
  bool stepped(const AxisRange& range) const { return rule_.steps.any() && range.lo != range.hi; }

  StreamAxis axis_;
  NumberRule rule_;
  std::optional<std::int64_t> missing_;
  std::optional<Code> other_;
};

}  // namespace cordon::engine
