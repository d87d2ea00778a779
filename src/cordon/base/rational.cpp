// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/rational.h"

#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

namespace cordon::engine {
namespace {

Error TooFine(std::string_view text) {
  return Error::InvalidPolicy("the number {} has more digits than can be compared exactly", text)
      .WithHint("use at most nine digits, or a fraction such as \"2/3\"");
}

Result<Rational> Reduced(Int128 numerator, Int128 denominator, std::string_view text) {
  Int128 a = numerator < 0 ? -numerator : numerator;
  Int128 b = denominator;
  while (b != 0) {
    const Int128 rest = a % b;
    a = b;
    b = rest;
  }
  if (a == 0) return Rational(0);
  numerator /= a;
  denominator /= a;
  if (numerator > kRationalLimit || numerator < -kRationalLimit || denominator > kRationalLimit) return TooFine(text);
  return Rational(static_cast<std::int64_t>(numerator), static_cast<std::int64_t>(denominator));
}

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Reads [-]digits[.digits][e[-]digits] digit by digit: no double on the way.
Result<Rational> ParseDecimal(std::string_view text) {
  const auto not_a_number = [&] {
    return Error::InvalidPolicy("'{}' is not a number", text)
        .WithHint("write a decimal such as 0.2 or a fraction such as \"2/3\"");
  };
  std::size_t at = 0;
  bool negative = false;
  if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
  Int128 digits = 0;
  int scale = 0;
  bool any = false;
  bool after_point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    any = true;
    if (digits > static_cast<Int128>(1) << 90) return TooFine(text);
    digits = digits * 10 + (c - '0');
    if (after_point) ++scale;
  }
  if (!any) return not_a_number();
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return not_a_number();
    std::string_view exponent_text = text.substr(at + 1);
    if (!exponent_text.empty() && exponent_text.front() == '+') exponent_text.remove_prefix(1);
    const auto exponent = WholeNumber(exponent_text);
    if (!exponent || *exponent > 400 || *exponent < -400) return not_a_number();
    scale -= static_cast<int>(*exponent);
  }
  while (scale > 0 && digits != 0 && digits % 10 == 0) {
    digits /= 10;
    --scale;
  }
  if (digits == 0) return Rational(0);
  if (scale > 18 || scale < -9) return TooFine(text);
  Int128 denominator = 1;
  for (; scale > 0; --scale) denominator *= 10;
  for (; scale < 0; ++scale) digits *= 10;
  return Reduced(negative ? -digits : digits, denominator, text);
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
  CORDON_CHECK_NE(denominator, 0);
  const std::int64_t divisor = std::gcd(numerator, denominator) * (denominator < 0 ? -1 : 1);
  numerator_ = numerator / divisor;
  denominator_ = denominator / divisor;
}

Result<Rational> Rational::Parse(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return ParseDecimal(text);
  const auto numerator = WholeNumber(text.substr(0, slash));
  const auto denominator = WholeNumber(text.substr(slash + 1));
  if (!numerator || !denominator || *denominator <= 0) {
    return Error::InvalidPolicy("'{}' is not a fraction of two whole numbers", text).WithHint("write it as \"2/3\"");
  }
  return Reduced(*numerator, *denominator, text);
}

Result<Rational> Rational::FromDouble(double value) {
  if (!std::isfinite(value)) return Error::InvalidPolicy("a parameter must be a finite number");
  char buffer[64];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, value);
  CORDON_CHECK(code == std::errc());
  return ParseDecimal(std::string_view(buffer, static_cast<std::size_t>(end - buffer)));
}

std::string Rational::ToString() const {
  if (denominator_ == 1) return std::to_string(numerator_);
  return std::to_string(numerator_) + "/" + std::to_string(denominator_);
}

std::string Rational::ToShortString() const {
  if (denominator() == 1) return ToString();  // 100000, not 1e+05
  char buffer[64];
  const auto [end, code] = std::to_chars(buffer, buffer + sizeof buffer, ToDouble());
  if (code == std::errc()) {
    const std::string_view decimal(buffer, static_cast<std::size_t>(end - buffer));
    const auto again = ParseDecimal(decimal);
    if (decimal.size() <= 12 && again.ok() && again.value() == *this) return std::string(decimal);
  }
  return ToString();
}

}  // namespace cordon::engine
