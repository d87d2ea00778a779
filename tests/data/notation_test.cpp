// SPDX-License-Identifier: Apache-2.0
#include "cordon/data/notation.h"

#include <gtest/gtest.h>

#include "cordon/data/decimal.h"

namespace cordon::engine {
namespace {

std::string Date(const char* pattern, const char* cell) {
  return Notation::Date(pattern).value().Canonical(cell).value_or("none");
}
std::string Number(const char* example, const char* cell) {
  return Notation::Number(example).value().Canonical(cell).value_or("none");
}

TEST(Notation, SomeReadOneCellAsTwoDays) {
  const auto differ = [](const char* a, const char* b) {
    return ReadDifferently(Notation::Date(a).value(), Notation::Date(b).value());
  };
  EXPECT_TRUE(differ("DD/MM/YYYY", "MM/DD/YYYY"));
  EXPECT_TRUE(differ("M/D/YYYY", "DD/MM/YYYY"));
  EXPECT_TRUE(differ("DD/MM/YYYY hh:mm", "MM/DD/YYYY hh:mm"));
  EXPECT_FALSE(differ("DD.MM.YYYY", "MM/DD/YYYY"));
  EXPECT_FALSE(differ("DD.MM.YYYY", "D.M.YYYY"));
  EXPECT_FALSE(differ("YYYY-MM-DD", "YYYYMMDD"));
  EXPECT_FALSE(ReadDifferently(Notation::Number("1.234,56").value(), Notation::Number("1,234.56").value()));
}

TEST(Notation, Dates) {
  EXPECT_EQ(Date("DD.MM.YYYY", "21.04.1946"), "1946-04-21");
  EXPECT_EQ(Date("DD.MM.YYYY", "1.4.1946"), "none");
  EXPECT_EQ(Date("D.M.YYYY", "1.4.1946"), "1946-04-01");
  EXPECT_EQ(Date("D.M.YYYY", "21.04.1946"), "1946-04-21");
  EXPECT_EQ(Date("MM/DD/YYYY", "04/21/1946"), "1946-04-21");
  EXPECT_EQ(Date("DD/MM/YYYY", "04/21/1946"), "none");
  EXPECT_EQ(Date("DD.MM.YYYY", "29.02.2023"), "none");
  EXPECT_EQ(Date("DD.MM.YYYY", "21.04.1946 "), "none");
  EXPECT_EQ(Date("DD.MM.YYYY", "21.04.46"), "none");
  EXPECT_EQ(Date("YYYYMMDD", "19460421"), "1946-04-21");
  EXPECT_EQ(Date("DD.MM.YYYY hh:mm", "21.04.1946 23:59"), "1946-04-21");
  EXPECT_EQ(Date("DD.MM.YYYY hh:mm", "21.04.1946 24:00"), "none");
  EXPECT_EQ(Date("DD.MM.YYYY HH:mm:ss", "21.04.1946 23:59:07.123"), "1946-04-21");
  EXPECT_EQ(Date("M/D/YYYY h:mm AM", "4/21/1946 3:05 pm"), "1946-04-21");
  EXPECT_EQ(Date("M/D/YYYY h:mm AM", "4/21/1946 3:05"), "none");
  EXPECT_EQ(Date("YYYY-MM-DDThh:mmZ", "1946-04-21T03:05Z"), "1946-04-21");
}

TEST(Notation, Numbers) {
  EXPECT_EQ(Number("1234,56", "66,9"), "66.9");
  EXPECT_EQ(Number("1234,56", "-0,5"), "-0.5");
  EXPECT_EQ(Number("1234,56", "66.9"), "none");
  EXPECT_EQ(Number("1234,56", "1,2,3"), "none");
  EXPECT_EQ(Number("1234,56", ",5"), "none");
  EXPECT_EQ(Number("1234,56", "5,"), "none");
  EXPECT_EQ(Number("1.234,56", "2.941,69"), "2941.69");
  EXPECT_EQ(Number("1.234,56", "2.941"), "2941");
  EXPECT_EQ(Number("1.234,56", "2941,69"), "2941.69");
  EXPECT_EQ(Number("1.234,56", "12.34,5"), "none");
  EXPECT_EQ(Number("1.234,56", "1.2345"), "none");
  EXPECT_EQ(Number("1.234,56", "1234.567"), "none");
  EXPECT_EQ(Number("1.234,56", "1.234.567,8"), "1234567.8");
  EXPECT_EQ(Number("1,234.56", "1,234.5"), "1234.5");
  EXPECT_EQ(Number("1,234.56", "0,123"), "none");
  EXPECT_EQ(Number("1,234.56", "-1,023"), "-1023");
  EXPECT_EQ(Number("1,234.56", ",123"), "none");
  EXPECT_EQ(Number("1 234,56", "1 234,5"), "1234.5");
  EXPECT_EQ(Number("1 234,56", "1\u00a0234,5"), "1234.5");
  EXPECT_EQ(Number("1 234,56", "1\u202f234\u202f567"), "1234567");
  EXPECT_EQ(Number("1'234.56", "1'234.5"), "1234.5");
  EXPECT_EQ(Number("1234.56", ""), "none");
  EXPECT_EQ(Number("1234.56", "-"), "none");
}

TEST(Notation, AMonthIsItsFirstDay) {
  EXPECT_EQ(Date("MM.YYYY", "03.1956"), "1956-03-01");
  EXPECT_EQ(Date("YYYY-M", "1956-3"), "1956-03-01");
  EXPECT_EQ(Date("MM.YYYY", "13.1956"), "none");
  EXPECT_EQ(Date("MM.YYYY", "31.03.1956"), "none");
}

TEST(Notation, PatternsThatMeanNothing) {
  for (const char* pattern : {"dd.mm.yyyy", "%d.%m.%Y", "DD.MM.YY", "DD.MM", "DD.MM.YYYY DD", "", "21.04.1946"}) {
    EXPECT_FALSE(Notation::Date(pattern).ok()) << pattern;
  }
  for (const char* example : {"1,234,56", "1.234.56", "", "12,5", ","}) EXPECT_FALSE(Notation::Number(example).ok()) << example;
}

TEST(Notation, OfEveryKnownOneTheFirstThatFitsReadsItsOwnCells) {
  for (const Notation& known : KnownDates()) EXPECT_TRUE(Notation::Date(known.text()).ok());
  for (const Notation& known : KnownNumbers()) EXPECT_EQ(known.Canonical(known.text()), "1234.56") << known.text();
}

// What programs print of numbers they keep in floating point.
TEST(Decimals, OfMoreDigitsThanFitAreReadToFifteenSignificant) {
  const auto read = [](const char* text) {
    const auto number = ParseRounded(text);
    return number ? FormatDecimal(number->mantissa, number->scale) : std::string("none");
  };
  EXPECT_EQ(read("1.2000000000000002"), "1.2");
  EXPECT_EQ(read("0.30000000000000004"), "0.3");
  EXPECT_EQ(read("-0.49999999999999994"), "-0.5");
  EXPECT_EQ(read("123456.789"), "123456.789");
  EXPECT_EQ(read("99999.999999999999999"), "100000");
  EXPECT_EQ(read("1.0000000000000001e-3"), "0.001");
  EXPECT_EQ(read("3.2e-17"), "0");
  EXPECT_EQ(read("6e-16"), "0.000000000000001");
  EXPECT_EQ(read("1.2345678901234567e+16"), "12345678901234567");  // fits as it is
  EXPECT_EQ(read("1.2345678901234567e+17"), "123456789012345670");
  EXPECT_EQ(read("1234567.8901234567891"), "1234567.89012346");
  EXPECT_EQ(read("1e300"), "none");
  EXPECT_EQ(read("1234567890123456789"), "none");  // a whole number: a key is not rounded
  EXPECT_EQ(read("1.2.3"), "none");
  EXPECT_EQ(read("abc"), "none");
  EXPECT_EQ(read(""), "none");
}

TEST(Decimals, RoundToTheNearestHalfAwayFromZero) {
  EXPECT_EQ(RoundTo({125, 2}, 1), 13);
  EXPECT_EQ(RoundTo({-125, 2}, 1), -13);
  EXPECT_EQ(RoundTo({124, 2}, 1), 12);
  EXPECT_EQ(RoundTo({125, 2}, 3), 1250);
  EXPECT_EQ(RoundTo({125, 2}, 0), 1);
}

}  // namespace
}  // namespace cordon::engine
