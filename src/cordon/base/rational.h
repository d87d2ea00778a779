// SPDX-License-Identifier: Apache-2.0
//
// The exact numbers that decide. A privacy parameter is the fraction its author wrote: 0.2 is 1/5, "2/3" is
// 2/3. Both parts stay below kRationalLimit, so that a comparison of counts (below 2^32 each) against it
// fits in 128 bits: count * count * part * 2^20 < 2^127.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "cordon/base/result.h"

namespace cordon::engine {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

inline constexpr std::int64_t kRationalLimit = 1'000'000'000;  // about 2^30

class Rational {
 public:
  constexpr Rational() = default;
  // REQUIRES: denominator != 0. Reduced, with a positive denominator.
  Rational(std::int64_t numerator, std::int64_t denominator);
  Rational(std::int64_t whole) : numerator_(whole) {}  // NOLINT: a whole number is a rational

  // "0.2", "2/3", "1e-3", "7". Refuses what is not finite or needs a part above kRationalLimit.
  static Result<Rational> Parse(std::string_view text);
  // By the shortest decimal that reads back as the same double: 0.2 is 1/5.
  static Result<Rational> FromDouble(double value);

  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }
  double ToDouble() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_); }
  std::string ToString() const;       // "1/5", "3"
  std::string ToShortString() const;  // "0.2" if the decimal is exact and short, else "2/3"

  friend bool operator==(const Rational&, const Rational&) = default;
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) {
    const Int128 left = static_cast<Int128>(a.numerator_) * b.denominator_;
    const Int128 right = static_cast<Int128>(b.numerator_) * a.denominator_;
    return left < right ? std::strong_ordering::less
                        : (left > right ? std::strong_ordering::greater : std::strong_ordering::equal);
  }

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

}  // namespace cordon::engine
