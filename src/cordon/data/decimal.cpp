// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/decimal.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

namespace cordon::engine {
namespace {

constexpr std::int64_t kLargest = 999'999'999'999'999'999;  // 18 digits: sums and differences stay in 64 bits

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Appends a digit; false if the number grows too long.
bool PushDigit(std::int64_t& mantissa, int digit) {
  if (mantissa > (kLargest - digit) / 10) return false;
  mantissa = mantissa * 10 + digit;
  return true;
}

std::optional<int> ParseExponent(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value > 40 || value < -40) return std::nullopt;
  return value;
}

// HH:MM, with seconds, fractions of them and an offset (Z, +01:00) as one may like.
bool IsTimeOfDay(std::string_view text) {
  const auto two_digits = [&](int most) {
    if (text.size() < 2 || !IsDigit(text[0]) || !IsDigit(text[1]) || (text[0] - '0') * 10 + (text[1] - '0') > most)
      return false;
    text.remove_prefix(2);
    return true;
  };
  const auto take = [&](char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
  };
  if (!two_digits(23) || !take(':') || !two_digits(59)) return false;
  if (take(':')) {
    if (!two_digits(60)) return false;
    if (take('.')) {
      if (text.empty() || !IsDigit(text.front())) return false;
      while (!text.empty() && IsDigit(text.front())) text.remove_prefix(1);
    }
  }
  if (take('Z') || text.empty()) return text.empty();
  if (!take('+') && !take('-')) return false;
  return two_digits(23) && (text.empty() || (take(':') && two_digits(59) && text.empty()));
}

}  // namespace

std::optional<Decimal> ParseDecimal(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  std::int64_t mantissa = 0;
  int scale = 0;
  bool any = false;
  bool after_point = false;
  std::size_t at = 0;
  for (; at < text.size() && (IsDigit(text[at]) || (text[at] == '.' && !after_point)); ++at) {
    if (text[at] == '.') {
      after_point = true;
      continue;
    }
    any = true;
    if (!PushDigit(mantissa, text[at] - '0')) return std::nullopt;
    if (after_point) ++scale;
  }
  if (!any) return std::nullopt;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    const auto exponent = ParseExponent(text.substr(at + 1));
    if (!exponent) return std::nullopt;
    scale -= *exponent;
  }
  if (mantissa == 0) return Decimal{0, 0};
  for (; scale > 0 && mantissa % 10 == 0; --scale) mantissa /= 10;
  for (; scale < 0; ++scale) {
    if (!PushDigit(mantissa, 0)) return std::nullopt;
  }
  if (scale > kMaxScale) return std::nullopt;
  return Decimal{negative ? -mantissa : mantissa, scale};
}

std::optional<Decimal> ParseRounded(std::string_view text) {
  if (const auto exact = ParseDecimal(text)) return exact;
  constexpr std::int64_t kFifteen = 1'000'000'000'000'000;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t end = text.find_first_of("eE");
  int exponent = 0;
  if (end != std::string_view::npos) {
    // Beyond 400 there is no floating point number; far below 0 it is 0 at any scale.
    std::string_view power = text.substr(end + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto [last, code] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (code != std::errc() || last != power.data() + power.size() || exponent < -400 || exponent > 400) return std::nullopt;
    text = text.substr(0, end);
  }
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos && end == std::string_view::npos) return std::nullopt;  // a whole number, too long
  std::int64_t mantissa = 0;
  int scale = -exponent;
  bool any = false;
  bool after_point = false;
  std::optional<int> next;  // the first digit that is left out
  for (const char c : text) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!IsDigit(c)) return std::nullopt;
    any = true;
    if (mantissa >= kFifteen / 10) {
      if (!next) next = c - '0';
      if (!after_point) --scale;
      continue;
    }
    mantissa = mantissa * 10 + (c - '0');
    if (after_point) ++scale;
  }
  if (!any) return std::nullopt;
  if (next.value_or(0) >= 5) ++mantissa;
  for (; scale > 0 && mantissa % 10 == 0 && mantissa > 0; --scale) mantissa /= 10;
  for (; scale > kMaxScale && mantissa > 0; --scale) {
    mantissa = scale == kMaxScale + 1 ? (mantissa + 5) / 10 : mantissa / 10;
  }
  if (mantissa == 0) return Decimal{0, 0};
  for (; scale > 0 && mantissa % 10 == 0; --scale) mantissa /= 10;
  for (; scale < 0; ++scale) {
    if (!PushDigit(mantissa, 0)) return std::nullopt;
  }
  return Decimal{negative ? -mantissa : mantissa, scale};
}

std::optional<std::int64_t> RoundTo(const Decimal& value, int scale) {
  if (scale >= value.scale) return Rescale(value, scale);
  std::int64_t mantissa = value.mantissa < 0 ? -value.mantissa : value.mantissa;
  std::int64_t unit = 1;
  for (int at = scale; at < value.scale; ++at) unit *= 10;
  mantissa = mantissa / unit + (mantissa % unit >= unit - unit / 2 ? 1 : 0);
  return value.mantissa < 0 ? -mantissa : mantissa;
}

std::optional<std::int64_t> Rescale(const Decimal& value, int scale) {
  if (scale < value.scale) return std::nullopt;  // Decimals keep no trailing zero, so digits would be lost
  std::int64_t mantissa = value.mantissa < 0 ? -value.mantissa : value.mantissa;
  for (int at = value.scale; at < scale; ++at) {
    if (!PushDigit(mantissa, 0)) return std::nullopt;
  }
  return value.mantissa < 0 ? -mantissa : mantissa;
}

std::string FormatDecimal(std::int64_t mantissa, int scale) {
  std::uint64_t size = mantissa < 0 ? 0 - static_cast<std::uint64_t>(mantissa) : static_cast<std::uint64_t>(mantissa);
  for (; scale > 0 && size % 10 == 0; --scale) size /= 10;
  std::string digits = std::to_string(size);
  if (scale > 0) {
    if (digits.size() <= static_cast<std::size_t>(scale)) digits.insert(0, scale + 1 - digits.size(), '0');
    digits.insert(digits.size() - scale, 1, '.');
  }
  return mantissa < 0 ? "-" + digits : digits;
}

std::optional<std::int64_t> ParseDate(std::string_view text) {
  if (text.size() > 10 && (text[10] == 'T' || text[10] == ' ') && IsTimeOfDay(text.substr(11))) text = text.substr(0, 10);
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
  for (const std::size_t at : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (!IsDigit(text[at])) return std::nullopt;
  }
  const auto number = [&](std::size_t from, std::size_t count) {
    int value = 0;
    for (std::size_t i = from; i < from + count; ++i) value = value * 10 + (text[i] - '0');
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year(number(0, 4)), std::chrono::month(number(5, 2)),
                                         std::chrono::day(number(8, 2))};
  if (!date.ok() || number(0, 4) == 0) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

std::string FormatDate(std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

}  // namespace cordon::engine
