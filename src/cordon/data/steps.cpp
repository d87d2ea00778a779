// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/steps.h"

#include <chrono>

#include "cordon/base/rational.h"

namespace cordon::engine {
namespace {

std::int64_t FirstDayOf(int year, unsigned month) {
  return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / 1).time_since_epoch().count();
}

}  // namespace

StepSpan UnitAround(std::int64_t day, DateUnit unit) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  const int year = static_cast<int>(date.year());
  const unsigned month = static_cast<unsigned>(date.month());
  const unsigned length = unit == DateUnit::kMonth ? 1 : (unit == DateUnit::kQuarter ? 3 : 12);
  const unsigned first = (month - 1) / length * length + 1;
  const bool last_of_year = first + length > 12;
  return {FirstDayOf(year, first), FirstDayOf(last_of_year ? year + 1 : year, last_of_year ? 1 : first + length)};
}

StepSpan Steps::Around(std::int64_t value) const {
  if (unit) return UnitAround(value, *unit);
  const Int128 offset = static_cast<Int128>(value) - origin;
  const Int128 rest = ((offset % width) + width) % width;
  const auto from = static_cast<std::int64_t>(value - rest);
  return {from, from + width};
}

}  // namespace cordon::engine
