// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/ristretto.h"

#include <gtest/gtest.h>

#include "tests/crypto/crypto_vectors.h"

namespace cordon::engine {
namespace {

Scalar SmallScalar(std::uint8_t n) {
  Scalar scalar;
  (*scalar)[0] = n;
  return scalar;
}

TEST(Ristretto, MultiplesOfTheGeneratorAreThoseOfTheRfc) {
  const Json multiples = ReadVectors("rfc9496").at("multiples_of_the_generator");
  ASSERT_EQ(multiples.size(), 16U);
  const Point generator = ArrayOfHex<Point>(multiples[1]);
  for (std::uint8_t n = 1; n < 16; ++n) {
    EXPECT_EQ(ToHex(MultiplyGenerator(SmallScalar(n))), multiples[n]);
    EXPECT_EQ(ToHex(Multiply(SmallScalar(n), generator).value()), multiples[n]);
    if (n > 1) {
      const Point before = ArrayOfHex<Point>(multiples[n - 1]);
      EXPECT_EQ(ToHex(Add(before, generator).value()), multiples[n]);
      EXPECT_EQ(Subtract(ArrayOfHex<Point>(multiples[n]), generator).value(), before);
    }
  }
}

TEST(Ristretto, InvalidEncodingsOfTheRfcAreRefused) {
  const Json invalid = ReadVectors("rfc9496").at("invalid_encodings");
  ASSERT_EQ(invalid.size(), 29U);
  const Point generator = MultiplyGenerator(SmallScalar(1));
  for (const std::string hex : invalid) {
    const Point point = ArrayOfHex<Point>(hex);
    EXPECT_FALSE(Multiply(SmallScalar(2), point).has_value()) << hex;
    EXPECT_FALSE(Add(point, generator).has_value()) << hex;
    EXPECT_FALSE(Subtract(generator, point).has_value()) << hex;
  }
}

TEST(Ristretto, TheIdentityIsRefused) {
  const Point generator = MultiplyGenerator(SmallScalar(1));
  EXPECT_FALSE(Multiply(SmallScalar(2), Point{}).has_value());
  EXPECT_FALSE(Subtract(generator, generator).has_value());
  EXPECT_FALSE(Add(Point{}, Point{}).has_value());
}

TEST(Ristretto, HashesToTheElementsOfTheRfc) {
  const Json elements = ReadVectors("rfc9496").at("from_uniform_bytes");
  ASSERT_EQ(elements.size(), 7U);
  for (const Json& each : elements) {
    const auto input = ArrayOfHex<std::array<std::uint8_t, 64>>(each.at("input"));
    EXPECT_EQ(ToHex(HashToPoint(input)), each.at("output"));
  }
}

TEST(Ristretto, ScalarsCommute) {
  const ByteSource bytes = TestBytes(1);
  for (int i = 0; i < 20; ++i) {
    const Scalar a = DrawScalar(bytes), b = DrawScalar(bytes);
    const Point point = MultiplyGenerator(DrawScalar(bytes));
    EXPECT_EQ(Multiply(a, Multiply(b, point).value()), Multiply(b, Multiply(a, point).value()));
  }
}

}  // namespace
}  // namespace cordon::engine
