// SPDX-License-Identifier: Apache-2.0
//
// Places where the published intervals of a number or date column may end: multiples of a width, or the first days of months,
// quarters or years. They are declared, so an interval that ends there shows the value of nobody.
#pragma once

#include <cstdint>
#include <optional>

namespace cordon::engine {

enum class DateUnit { kMonth, kQuarter, kYear };

// from <= value < to
struct StepSpan {
  std::int64_t from = 0;
  std::int64_t to = 0;
  friend bool operator==(const StepSpan&, const StepSpan&) = default;
};

// The unit around a day (since 1970-01-01).
StepSpan UnitAround(std::int64_t day, DateUnit unit);

struct Steps {
  std::int64_t width = 0;   // of numbers, at the scale of the column
  std::int64_t origin = 0;  // where one of them starts
  std::optional<DateUnit> unit;

  bool any() const { return width > 0 || unit.has_value(); }
  // REQUIRES: any().
  StepSpan Around(std::int64_t value) const;
};

}  // namespace cordon::engine
