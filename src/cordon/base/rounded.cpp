// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/rounded.h"

#include <fmt/format.h>

namespace cordon::engine {

std::string Rounded(UInt128 numerator, UInt128 denominator, Rounding rounding) {
  constexpr int kDigits = 4;
  constexpr int kMaxDigits = 20;
  constexpr int kFourDigits = 1000;
  UInt128 scaled = numerator / denominator;
  UInt128 rest = numerator % denominator;
  int digits = 0;
  while (rest != 0 && (digits < kDigits || (scaled < kFourDigits && digits < kMaxDigits))) {
    rest *= 10;
    scaled = scaled * 10 + rest / denominator;
    rest %= denominator;
    ++digits;
  }
  if (rest != 0 && rounding == Rounding::kUp) ++scaled;
  for (; digits > 0 && scaled % 10 == 0; --digits) scaled /= 10;
  std::string text = fmt::format("{}", scaled);
  if (digits == 0) return text;
  const auto places = static_cast<std::size_t>(digits);
  if (text.size() <= places) text.insert(0, places + 1 - text.size(), '0');
  return text.insert(text.size() - places, 1, '.');
}

}  // namespace cordon::engine
