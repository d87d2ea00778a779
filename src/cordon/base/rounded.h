// SPDX-License-Identifier: Apache-2.0
//
// Decimals for people. A value that is compared with a bound is rounded towards the side on which it looks worse.
#pragma once

#include <string>

#include "cordon/base/rational.h"

namespace cordon::engine {

enum class Rounding { kDown, kUp };

// "0.2943" for 331/1125, upwards: four digits after the point, or four that count if it is smaller; no zeros at the end.
// REQUIRES: 0 < denominator < 2^120, and the whole part has at most 30 digits.
std::string Rounded(UInt128 numerator, UInt128 denominator, Rounding rounding);

}  // namespace cordon::engine
