// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/ristretto.h"

#include <sodium.h>

#include "cordon/base/check.h"
#include "cordon/base/digest.h"

namespace cordon::engine {
namespace {

static_assert(crypto_core_ristretto255_BYTES == std::tuple_size_v<Point>);

bool IsIdentity(const Point& point) { return sodium_is_zero(point.data(), point.size()) == 1; }

}  // namespace

Scalar DrawScalar(const ByteSource& bytes) {
  InitializeSodium();
  Scalar scalar;
  Secret<std::array<std::uint8_t, crypto_core_ristretto255_NONREDUCEDSCALARBYTES>> wide;
  do {
    bytes(*wide);
    crypto_core_ristretto255_scalar_reduce(scalar->data(), wide->data());
  } while (sodium_is_zero(scalar->data(), scalar->size()) == 1);
  return scalar;
}

Point HashToPoint(std::span<const std::uint8_t, 64> hash) {
  InitializeSodium();
  Point point;
  CORDON_CHECK_EQ(crypto_core_ristretto255_from_hash(point.data(), hash.data()), 0);
  return point;
}

std::optional<Point> Multiply(const Scalar& scalar, const Point& point) {
  InitializeSodium();
  Point product;
  if (crypto_scalarmult_ristretto255(product.data(), scalar->data(), point.data()) != 0) return std::nullopt;
  return product;
}

std::optional<Point> Add(const Point& a, const Point& b) {
  Point sum;
  if (crypto_core_ristretto255_add(sum.data(), a.data(), b.data()) != 0 || IsIdentity(sum)) return std::nullopt;
  return sum;
}

std::optional<Point> Subtract(const Point& a, const Point& b) {
  Point difference;
  if (crypto_core_ristretto255_sub(difference.data(), a.data(), b.data()) != 0 || IsIdentity(difference)) return std::nullopt;
  return difference;
}

Point MultiplyGenerator(const Scalar& scalar) {
  InitializeSodium();
  Point product;
  CORDON_CHECK_EQ(crypto_scalarmult_ristretto255_base(product.data(), scalar->data()), 0);
  return product;
}

}  // namespace cordon::engine
