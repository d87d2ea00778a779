// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace cordon::engine {
namespace {

Result<int> Half(int n) {
  if (n % 2 != 0) return Error::InvalidData("{} is odd", n).WithHint("double it");
  return n / 2;
}

Result<int> Quarter(int n) {
  CORDON_TRY(const int half, Half(n));
  return Half(half).WithContext("halving twice");
}

Result<void> CheckEven(int n) {
  CORDON_RETURN_IF_ERROR(Half(n));
  return {};
}

TEST(Result, CarriesAValue) {
  EXPECT_EQ(Quarter(8).value(), 2);
  EXPECT_TRUE(CheckEven(2).ok());
}

TEST(Result, SaysWhatThenWhereAndKeepsTheHintClosestToTheCause) {
  const auto failed = Quarter(6);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message(), "halving twice: 3 is odd");
  EXPECT_EQ(failed.error().hint(), "double it");
  EXPECT_EQ(Quarter(5).error().message(), "5 is odd");
  EXPECT_FALSE(CheckEven(3).ok());
  EXPECT_EQ(Error::Io("x").WithHint("first").WithHint("second").hint(), "first");
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> made(std::make_unique<int>(4));
  EXPECT_EQ(*std::move(made).value(), 4);
}

TEST(ResultDeathTest, AskingAnErrorForAValueIsABug) { EXPECT_DEATH((void)Half(3).value(), "internal error"); }

}  // namespace
}  // namespace cordon::engine
