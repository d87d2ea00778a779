// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/decimal.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

std::string Round(std::string_view text) {
  const auto value = ParseDecimal(text);
  return value ? FormatDecimal(value->mantissa, value->scale) : "refused";
}

TEST(Decimal, ReadsAndWritesExactly) {
  EXPECT_EQ(Round("0"), "0");
  EXPECT_EQ(Round("-0.0"), "0");
  EXPECT_EQ(Round("12.50"), "12.5");
  EXPECT_EQ(Round("+007"), "7");
  EXPECT_EQ(Round(".5"), "0.5");
  EXPECT_EQ(Round("5."), "5");
  EXPECT_EQ(Round("-0.001"), "-0.001");
  EXPECT_EQ(Round("1e3"), "1000");
  EXPECT_EQ(Round("1.25E-2"), "0.0125");
  EXPECT_EQ(Round("999999999999999999"), "999999999999999999");
  EXPECT_EQ(Round("0.1"), "0.1");
}

TEST(Decimal, RefusesWhatItCannotHoldExactly) {
  for (const char* text : {"", "-", ".", "1.2.3", "1,5", " 1", "1 ", "0x1", "NaN", "inf", "1e", "1e99", "9999999999999999999",
                           "0.0000000000000001", "--1", "1-", "20-24"}) {
    EXPECT_EQ(Round(text), "refused") << text;
  }
}

TEST(Decimal, RescalesOnlyWithoutLoss) {
  EXPECT_EQ(Rescale({125, 2}, 3), 1250);
  EXPECT_EQ(Rescale({-5, 0}, 2), -500);
  EXPECT_EQ(Rescale({125, 2}, 1), std::nullopt);
  EXPECT_EQ(Rescale({999'999'999'999'999'999, 0}, 1), std::nullopt);
}

TEST(Date, ReadsIsoDatesAndRefusesDaysThatAreNot) {
  EXPECT_EQ(ParseDate("1970-01-01"), 0);
  EXPECT_EQ(ParseDate("2000-03-01").value() - ParseDate("2000-02-29").value(), 1);
  for (const char* text : {"2024-02-29T23:59:59", "2024-02-29 23:59", "2024-02-29T10:15:00.25Z", "2024-02-29T10:15+01:00"}) {
    EXPECT_EQ(ParseDate(text), ParseDate("2024-02-29")) << text;
  }
  for (const char* text :
       {"2023-02-29", "2024-13-01", "2024-00-10", "24-01-01", "2024/01/01", "2024-1-1", "0000-01-01", "2024-01-011", "",
        "2024-02-29Tgarbage", "2024-02-29T25:00", "2024-02-29T10", "2024-02-29T10:15:00Zx"}) {
    EXPECT_EQ(ParseDate(text), std::nullopt) << text;
  }
  for (const char* text : {"0001-01-01", "1969-12-31", "2024-02-29", "9999-12-31"})
    EXPECT_EQ(FormatDate(*ParseDate(text)), text);
}

}  // namespace
}  // namespace cordon::engine
