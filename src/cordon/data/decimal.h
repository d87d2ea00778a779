// SPDX-License-Identifier: Apache-2.0
//
// Exact numbers of a numeric column: whole multiples of 10^-scale, one scale per column. Dates are days since
// 1970-01-01 at scale 0. No value passes through floating point, so what is published is what was read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cordon::engine {

inline constexpr int kMaxScale = 15;

struct Decimal {
  std::int64_t mantissa = 0;
  int scale = 0;  // digits after the point, 0..kMaxScale, no trailing zero kept
};

// "-12.50", "+3", "1e3", ".5". Nothing if the text is not a number or needs more than 18 digits.
std::optional<Decimal> ParseDecimal(std::string_view text);
// Numbers as programs write those they keep in floating point, 1.2000000000000002: to 15 significant digits, which all of
// them have, if ParseDecimal has no room for more. Whole numbers are never rounded.
std::optional<Decimal> ParseRounded(std::string_view text);
// To the nearest number of that scale, half away from 0. Nothing if it does not fit.
std::optional<std::int64_t> RoundTo(const Decimal& value, int scale);
// The same value at another scale, if it fits there.
std::optional<std::int64_t> Rescale(const Decimal& value, int scale);
std::string FormatDecimal(std::int64_t mantissa, int scale);

// "2024-02-29", also "2024-02-29T10:15:00" whose time of day is left out. Proleptic Gregorian, years 0001 to 9999.
std::optional<std::int64_t> ParseDate(std::string_view text);
std::string FormatDate(std::int64_t days);

}  // namespace cordon::engine
