// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "cordon/base/rational.h"
#include "cordon/io/arrow/arrow_text_internal.h"

namespace cordon::engine {
namespace {

constexpr std::int64_t kMicros = 1'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;

// A positive number: d.ddd... * 10^exponent, without zeros at the end.
struct Digits {
  std::string digits;
  int exponent = 0;

  friend bool operator==(const Digits&, const Digits&) = default;
};

Digits FromScientific(std::string_view text) {
  const std::size_t e = text.find('e');
  Digits parsed{std::string(text.substr(0, e)), 0};
  std::erase(parsed.digits, '.');
  parsed.digits.erase(std::min(parsed.digits.size(), parsed.digits.find_last_not_of('0') + 1));
  const std::string_view exponent = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), parsed.exponent);
  return parsed;
}

// The fewest digits that tell it from its neighbours, nearest to it.
template <typename Float>
Digits Shortest(Float value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific).ptr;
  return FromScientific({buffer, static_cast<std::size_t>(end - buffer)});
}

// 17 digits: all of them, for a number that has no more.
Digits Precise(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific, 16).ptr;
  return FromScientific({buffer, static_cast<std::size_t>(end - buffer)});
}

// "0.0001", "120.0", "1.5e+16".
std::string Laid(const Digits& number, bool negative) {
  const auto& [digits, exponent] = number;
  std::string text = negative ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    text += digits[0];
    if (digits.size() > 1) text.append(1, '.').append(digits, 1);
    return text + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) return text.append("0.").append(std::string_view("000", -exponent - 1)).append(digits);
  const std::size_t whole = static_cast<std::size_t>(exponent) + 1;  // digits in front of the point
  if (digits.size() <= whole) return text.append(digits).append(whole - digits.size(), '0').append(".0");
  return text.append(digits, 0, whole).append(1, '.').append(digits, whole);
}

template <typename Float>
std::string NotFinite(Float value) {
  const std::string sign = std::signbit(value) ? "-" : "";
  return sign + (std::isnan(value) ? "nan" : "inf");
}

// DuckDB seeks the shortest text of a float by Grisu3. That gives up if two shortest texts are equally near, or if one lies on
// the border to a neighbour; it then writes the float as the double that it is.
bool GrisuGivesUp(float value, const Digits& shortest) {
  const double exact = value;
  const double below = std::nextafter(value, 0.0F);
  const double above = value == std::numeric_limits<float>::max() ? exact + (exact - below) : std::nextafter(value, INFINITY);
  const Digits own = Precise(exact);
  if (own.digits.size() == shortest.digits.size() + 1 && own.digits.back() == '5') return true;
  const auto stands_on = [&](double border) {
    const Digits digits = Precise(border);
    return digits.digits.size() < shortest.digits.size() || digits == shortest;
  };
  return stands_on((exact + below) / 2) || stands_on((exact + above) / 2);
}

// Divides in place; the remainder.
std::uint64_t Divide(std::span<std::uint64_t> words, std::uint64_t divisor) {
  UInt128 remainder = 0;
  for (std::size_t i = words.size(); i-- > 0;) {
    const UInt128 part = remainder << 64 | words[i];
    words[i] = static_cast<std::uint64_t>(part / divisor);
    remainder = part % divisor;
  }
  return static_cast<std::uint64_t>(remainder);
}

void Negate(std::span<std::uint64_t> words) {
  bool carry = true;
  for (std::uint64_t& word : words) {
    word = ~word + (carry ? 1 : 0);
    carry = carry && word == 0;
  }
}

std::string WholeText(std::vector<std::uint64_t> words) {
  constexpr std::uint64_t kPart = 10'000'000'000'000'000'000u;  // 19 digits
  std::string text;
  while (std::any_of(words.begin(), words.end(), [](std::uint64_t word) { return word != 0; })) {
    const std::uint64_t low = Divide(words, kPart);
    const bool last = std::all_of(words.begin(), words.end(), [](std::uint64_t word) { return word == 0; });
    text.insert(0, last ? fmt::format("{}", low) : fmt::format("{:019}", low));
  }
  return text.empty() ? "0" : text;
}

// Appends a number with zeros in front. REQUIRES: not negative.
void Append(std::string& text, std::int64_t number, std::size_t width) {
  const fmt::format_int digits(number);
  if (digits.size() < width) text.append(width - digits.size(), '0');
  text.append(digits.data(), digits.size());
}

// Any day; DateText knows the two that stand for infinity.
void AppendDate(std::string& text, std::int64_t days) {
  constexpr std::int64_t kCycleDays = 146'097;  // 400 years of the Gregorian calendar, which then repeats itself
  std::int64_t cycles = days / kCycleDays;
  if (days % kCycleDays < 0) --cycles;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days - cycles * kCycleDays))};
  const std::int64_t year = static_cast<int>(date.year()) + 400 * cycles;
  Append(text, year > 0 ? year : 1 - year, 4);
  text += '-';
  Append(text, static_cast<unsigned>(date.month()), 2);
  text += '-';
  Append(text, static_cast<unsigned>(date.day()), 2);
  if (year <= 0) text += " (BC)";
}

// "12:00:00.25". REQUIRES: not negative.
void AppendClock(std::string& text, std::int64_t value, std::int64_t per_second) {
  const std::int64_t seconds = value / per_second;
  Append(text, seconds / 3600, 2);
  text += ':';
  Append(text, seconds / 60 % 60, 2);
  text += ':';
  Append(text, seconds % 60, 2);
  std::int64_t part = value % per_second;
  if (part == 0) return;
  text += '.';
  std::size_t width = 0;
  for (std::int64_t unit = per_second; unit > 1; unit /= 10) ++width;
  for (; part % 10 == 0; part /= 10) --width;
  Append(text, part, width);
}

}  // namespace

std::string DoubleText(double value) {
  if (!std::isfinite(value)) return NotFinite(value);
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  return Laid(Shortest(std::abs(value)), value < 0);
}

std::string FloatText(float value) {
  if (!std::isfinite(value)) return NotFinite(value);
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  const float size = std::abs(value);
  const Digits shortest = Shortest(size);
  return GrisuGivesUp(size, shortest) ? DoubleText(value) : Laid(shortest, value < 0);
}

float FromHalf(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const float size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                     : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                     : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return std::copysign(size, (bits & 0x8000) != 0 ? -1.0F : 1.0F);
}

std::string DecimalText(std::span<const std::uint64_t> words, const DecimalForm& form) {
  std::vector<std::uint64_t> size(words.begin(), words.end());
  const bool negative = static_cast<std::int64_t>(size.back()) < 0;
  if (negative) Negate(size);
  std::string text = WholeText(std::move(size));
  if (form.scale < 0 && text != "0") text.append(static_cast<std::size_t>(-form.scale), '0');
  if (form.scale > 0) {
    const auto scale = static_cast<std::size_t>(form.scale);
    const std::size_t least = scale + (form.precision > form.scale ? 1 : 0);
    if (text.size() < least) text.insert(0, least - text.size(), '0');
    text.insert(text.size() - scale, 1, '.');
  }
  return negative ? "-" + text : text;
}

std::string DateText(std::int32_t days) {
  if (days == std::numeric_limits<std::int32_t>::max()) return "infinity";
  if (days == -std::numeric_limits<std::int32_t>::max()) return "-infinity";
  std::string text;
  AppendDate(text, days);
  return text;
}

std::string TimestampText(std::int64_t value, std::int64_t per_second, Zone zone) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  // DuckDB keeps seconds and milliseconds as microseconds, and nanoseconds only without a zone.
  if (per_second < kMicros) {
    if (__builtin_mul_overflow(value, kMicros / per_second, &value)) return "";
    per_second = kMicros;
  } else if (value == kMax || value == -kMax) {
    return value > 0 ? "infinity" : "-infinity";
  } else if (zone == Zone::kUtc && per_second > kMicros) {
    if (value % (per_second / kMicros) != 0) return "";
    value /= per_second / kMicros;
    per_second = kMicros;
  }
  const std::int64_t per_day = kSecondsPerDay * per_second;
  std::int64_t day = value / per_day;
  if (value % per_day < 0) --day;
  std::int64_t midnight = 0;
  if (__builtin_mul_overflow(day, per_day, &midnight)) return "";
  std::string text;
  AppendDate(text, day);
  text += ' ';
  AppendClock(text, value - midnight, per_second);
  if (zone == Zone::kUtc) text += "+00";
  return text;
}

std::string TimeText(std::int64_t value, std::int64_t per_second) {
  if (value < 0 || value > kSecondsPerDay * per_second) return "";
  if (per_second > kMicros) {
    if (value % (per_second / kMicros) != 0) return "";
    value /= per_second / kMicros;
    per_second = kMicros;
  }
  std::string text;
  AppendClock(text, value, per_second);
  return text;
}

}  // namespace cordon::engine
