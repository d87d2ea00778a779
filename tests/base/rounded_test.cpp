// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/rounded.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

TEST(Rounded, GoesToTheSideThatIsAskedFor) {
  EXPECT_EQ(Rounded(331, 1125, Rounding::kUp), "0.2943");
  EXPECT_EQ(Rounded(331, 1125, Rounding::kDown), "0.2942");
  EXPECT_EQ(Rounded(2999999, 10000000, Rounding::kUp), "0.3");
  EXPECT_EQ(Rounded(3000001, 10000000, Rounding::kUp), "0.3001");
  EXPECT_EQ(Rounded(99999, 100000, Rounding::kUp), "1");
  EXPECT_EQ(Rounded(99999, 100000, Rounding::kDown), "0.9999");
}

TEST(Rounded, LeavesAloneWhatIsShort) {
  EXPECT_EQ(Rounded(0, 7, Rounding::kUp), "0");
  EXPECT_EQ(Rounded(10, 2, Rounding::kDown), "5");
  EXPECT_EQ(Rounded(3, 2, Rounding::kUp), "1.5");
  EXPECT_EQ(Rounded(1, 16, Rounding::kUp), "0.0625");
}

TEST(Rounded, SmallNumbersKeepFourDigitsThatCount) {
  EXPECT_EQ(Rounded(1, 30000, Rounding::kUp), "0.00003334");
  EXPECT_EQ(Rounded(1, 30000, Rounding::kDown), "0.00003333");
}

TEST(Rounded, LargePartsDoNotOverflow) {
  const UInt128 large = UInt128{1} << 119;
  EXPECT_EQ(Rounded(large, large + 1, Rounding::kUp), "1");
  EXPECT_EQ(Rounded(large / 3, large, Rounding::kDown), "0.3333");
}

}  // namespace
}  // namespace cordon::engine
