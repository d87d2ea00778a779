// SPDX-License-Identifier: Apache-2.0
//
// The group ristretto255 (RFC 9496) as libsodium has it: of prime order, every element with one encoding. Multiplications take
// the same time for all scalars.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "cordon/crypto/secret.h"

namespace cordon::engine {

using Point = std::array<std::uint8_t, 32>;
using Scalar = Secret<std::array<std::uint8_t, 32>>;

// Uniform among the scalars but 0.
Scalar DrawScalar(const ByteSource& bytes);

// The element of 64 uniform bytes; nobody knows its logarithm.
Point HashToPoint(std::span<const std::uint8_t, 64> hash);

// Nothing: the bytes do not encode an element, or the result is the identity. A peer that sends such a point breaks the rules.
std::optional<Point> Multiply(const Scalar& scalar, const Point& point);
std::optional<Point> Add(const Point& a, const Point& b);
std::optional<Point> Subtract(const Point& a, const Point& b);

// REQUIRES: the scalar is not 0.
Point MultiplyGenerator(const Scalar& scalar);

}  // namespace cordon::engine
