// SPDX-License-Identifier: Apache-2.0
//
// Numbers as the texts that DuckDB 1.4 casts them to; arrow_stream.h says where these are not what one would expect.
// If a value has no such text, the text is empty.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cordon::engine {

std::string DoubleText(double value);
std::string FloatText(float value);
// The value of the IEEE 754 half-precision number with these bits.
float FromHalf(std::uint16_t bits);

// A number in two's complement, its lowest word first, as a multiple of 10^-scale.
struct DecimalForm {
  int precision = 0;
  int scale = 0;  // below zero: zeros are added
};
std::string DecimalText(std::span<const std::uint64_t> words, const DecimalForm& form);

// Days since 1970-01-01: "1969-12-31", "0044-03-15 (BC)", "infinity".
std::string DateText(std::int32_t days);

// Since 1970-01-01 00:00:00 and since midnight, in units of 1/per_second seconds. Empty: DuckDB would show another value.
enum class Zone { kNone, kUtc };
std::string TimestampText(std::int64_t value, std::int64_t per_second, Zone zone);
std::string TimeText(std::int64_t value, std::int64_t per_second);

}  // namespace cordon::engine
