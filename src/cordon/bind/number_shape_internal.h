// SPDX-License-Identifier: Apache-2.0
//
// How the numbers and dates of a column come to their values: one scale, clamped, rounded, put on a grid. Shared by tables
// and streams.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/base/result.h"
#include "cordon/data/decimal.h"
#include "cordon/policy/policy.h"

namespace cordon::engine::internal {

std::optional<Decimal> ParseNumber(Domain::Kind type, std::string_view text);

inline Int128 FloorTo(Int128 value, Int128 width) { return value - ((value % width) + width) % width; }

// Beyond them a published end could not be read again.
inline bool IsFar(const StepSpan& step, Domain::Kind type) {
  constexpr std::int64_t kGreatest = 999'999'999'999'999'999;  // of 18 digits
  constexpr std::int64_t kFirstDay = -719'162;                 // 0001-01-01
  constexpr std::int64_t kLastDay = 2'932'896;                 // 9999-12-31
  const bool date = type == Domain::Kind::kDate;
  return step.from < (date ? kFirstDay : -kGreatest) || step.to > (date ? kLastDay : kGreatest);
}

// What the policy says of a numeric column, at the scale of the column.
struct NumberShape {
  int scale = 0;
  std::optional<std::int64_t> range_lo, range_hi, top, bottom, round, grid;
  std::vector<std::int64_t> widths;
  std::optional<std::vector<std::int64_t>> values;
  Steps steps;  // of the finest level of declared intervals or dates, if no grid says where intervals end

  std::int64_t origin() const { return range_lo.value_or(0); }

  std::int64_t Clamp(std::int64_t value) const {
    if (top) value = std::min(value, *top);
    if (bottom) value = std::max(value, *bottom);
    return value;
  }
  bool InRange(std::int64_t value) const { return !range_lo || (*range_lo <= value && value <= *range_hi); }
  // Half up: 2.5 rounds to 3 and -2.5 to -2.
  std::int64_t Settle(std::int64_t value) const {
    if (round)
      value = static_cast<std::int64_t>(FloorTo(static_cast<Int128>(value) * 2 + *round, static_cast<Int128>(*round) * 2) / 2);
    if (grid) value = static_cast<std::int64_t>(FloorTo(static_cast<Int128>(value) - origin(), *grid) + origin());
    return value;
  }
};

// The least scale that holds the numbers of the policy and those given.
int ScaleOf(const AttributePolicy& attribute, const std::vector<std::optional<Decimal>>& numbers);
Result<NumberShape> ShapeOf(const AttributePolicy& attribute, int scale);

}  // namespace cordon::engine::internal
