// SPDX-License-Identifier: Apache-2.0
#include "cordon/crypto/secret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <new>
#include <type_traits>

namespace cordon::engine {
namespace {

using Bytes32 = std::array<std::uint8_t, 32>;
static_assert(!std::is_copy_constructible_v<Secret<Bytes32>> && !std::is_copy_assignable_v<Secret<Bytes32>>);

bool AllZero(std::span<const std::uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

TEST(Secret, IsWipedWhenItGoes) {
  alignas(Secret<Bytes32>) std::array<std::uint8_t, sizeof(Secret<Bytes32>)> memory{};
  auto* secret = new (memory.data()) Secret<Bytes32>;
  (*secret)->fill(0xA5);
  EXPECT_FALSE(AllZero(memory));
  secret->~Secret();
  EXPECT_TRUE(AllZero(memory));
}

TEST(Secret, LeavesNothingWhereItMovedFrom) {
  Secret<Bytes32> from;
  from->fill(0xA5);
  const Secret<Bytes32> to = std::move(from);
  EXPECT_TRUE(AllZero(*from));  // NOLINT: what is left is the question
  EXPECT_EQ((*to)[31], 0xA5);
  Secret<Bytes32> assigned;
  from->fill(0x5A);
  assigned = std::move(from);
  EXPECT_TRUE(AllZero(*from));  // NOLINT
  EXPECT_EQ((*assigned)[0], 0x5A);
}

TEST(Secret, BytesOfDifferentLengthDiffer) {
  const std::array<std::uint8_t, 3> abc = {1, 2, 3};
  EXPECT_TRUE(SameBytes(abc, abc));
  EXPECT_FALSE(SameBytes(abc, std::span(abc).first(2)));
  const std::array<std::uint8_t, 3> abd = {1, 2, 4};
  EXPECT_FALSE(SameBytes(abc, abd));
}

TEST(Secret, TheOperatingSystemRepeatsNothing) {
  Bytes32 first{}, second{};
  OperatingSystemBytes()(first);
  OperatingSystemBytes()(second);
  EXPECT_NE(first, second);
}

}  // namespace
}  // namespace cordon::engine
