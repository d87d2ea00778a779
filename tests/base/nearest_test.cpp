// SPDX-License-Identifier: Apache-2.0
#include "cordon/base/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace cordon::engine {
namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("zpi", "zip"), 1u);
  EXPECT_EQ(EditDistance("abcd", "badc"), 2u);
}

TEST(Nearest, FindsWhatWasMeantAndNothingFarOff) {
  const std::vector<std::string> known = {"delimiter", "quote", "header"};
  EXPECT_EQ(Nearest("delimeter", known), "delimiter");
  EXPECT_EQ(Nearest("qoute", known), "quote");
  EXPECT_EQ(Nearest("zzzz", known), std::nullopt);
  EXPECT_EQ(Nearest("x", {}), std::nullopt);
}

}  // namespace
}  // namespace cordon::engine
