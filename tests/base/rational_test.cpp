// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/rational.h"

#include <gtest/gtest.h>

#include <limits>

namespace cordon::engine {
namespace {

TEST(Rational, ADecimalIsTheFractionItsAuthorWrote) {
  EXPECT_EQ(Rational::Parse("0.2").value(), Rational(1, 5));
  EXPECT_EQ(Rational::Parse("2/3").value(), Rational(2, 3));
  EXPECT_EQ(Rational::Parse("1e-3").value(), Rational(1, 1000));
  EXPECT_EQ(Rational::Parse("-.5").value(), Rational(-1, 2));
  EXPECT_EQ(Rational::Parse("1.500e2").value(), Rational(150));
  EXPECT_EQ(Rational::Parse("0").value(), Rational(0));
  EXPECT_EQ(Rational::Parse("0.0000").value(), Rational(0));
}

TEST(Rational, ADoubleIsTakenByItsShortestDecimal) {
  EXPECT_EQ(Rational::FromDouble(0.2).value(), Rational(1, 5));
  EXPECT_EQ(Rational::FromDouble(0.1).value(), Rational(1, 10));
  EXPECT_EQ(Rational::FromDouble(1e-9).value(), Rational(1, 1'000'000'000));
  EXPECT_FALSE(Rational::FromDouble(std::numeric_limits<double>::infinity()).ok());
  EXPECT_FALSE(Rational::FromDouble(std::numeric_limits<double>::quiet_NaN()).ok());
}

TEST(Rational, RefusesWhatIsNoNumberOrTooFineToCompare) {
  for (const char* text : {"", ".", "-", "0.2x", "1/0", "1/-2", "2/3/4", "e5", "1e", "0x10", "nan", "0.12345678901", "1e-12",
                           "99999999999", "1e400"}) {
    EXPECT_FALSE(Rational::Parse(text).ok()) << text;
  }
}

TEST(Rational, OrdersExactlyWhereDoublesTie) {
  const Rational a(333'333'333, 1'000'000'000);
  const Rational b(1, 3);
  EXPECT_LT(a, b);
  EXPECT_LT(Rational(-1, 2), Rational(0));
  EXPECT_EQ(Rational(2, 4), Rational(1, 2));
  EXPECT_EQ(Rational(1, -2), Rational(-1, 2));
}

TEST(Rational, IsSpelledShortWhereThatIsExact) {
  EXPECT_EQ(Rational(1, 5).ToString(), "1/5");
  EXPECT_EQ(Rational(1, 5).ToShortString(), "0.2");
  EXPECT_EQ(Rational(2, 3).ToShortString(), "2/3");
  EXPECT_EQ(Rational(7).ToShortString(), "7");
}

}  // namespace
}  // namespace cordon::engine
