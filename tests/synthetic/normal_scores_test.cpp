// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/normal_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace cordon::engine {
namespace {

double Units(std::int32_t score) { return static_cast<double>(score) / (1 << kScoreBits); }
double Phi(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

TEST(NormalScores, QuantilesInvertTheDistributionFunction) {
  for (const std::uint64_t p : {1u, 20u, 1000u, 31731u, 49999u, 50000u, 50001u, 84134u, 97725u, 99999u}) {
    const double share = static_cast<double>(p) / 100000;
    EXPECT_NEAR(Phi(Units(NormalQuantile(p, 100000))), share, 3e-8 * share) << p;
  }
  EXPECT_NEAR(Units(NormalQuantile(1, 40)), -1.959963984540054, 1e-8);
  EXPECT_EQ(NormalQuantile(1, 2), 0);
}

TEST(NormalScores, QuantilesAreSymmetric) {
  for (std::uint64_t p = 1; p < 500; p += 7) EXPECT_EQ(NormalQuantile(p, 1000), -NormalQuantile(1000 - p, 1000));
}

TEST(NormalScores, WordsBecomeTheirQuantileWithinTheStatedError) {
  const NormalScores scores;
  for (int bit = 2; bit < 31; ++bit) {
    for (std::uint64_t sub = 0; sub < 777; ++sub) {
      const std::uint64_t word = (std::uint64_t{1} << (63 - bit)) + sub * ((std::uint64_t{1} << (63 - bit)) / 777);
      const double p = std::ldexp(static_cast<double>(word), -63) / 2;  // top bit 0: the lower half
      const double x = Units(scores(word));
      // A step of 10^-5 in x changes the probability by at most 10^-5 times the density.
      const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
      ASSERT_NEAR(Phi(x), p, 1e-5 * density) << bit << " " << sub;
    }
  }
}

TEST(NormalScores, RiseWithTheTailAndMirrorAtTheMiddle) {
  const NormalScores scores;
  std::int32_t before = scores(0);
  EXPECT_NEAR(Units(before), -6.338, 0.001);
  for (std::uint64_t word = 1; word < std::uint64_t{1} << 63; word += word / 64 + 1) {
    const std::int32_t score = scores(word);
    ASSERT_GE(score, before) << word;
    ASSERT_LE(score, 0);
    ASSERT_EQ(scores(word | std::uint64_t{1} << 63), -score) << word;
    before = score;
  }
  EXPECT_NEAR(Units(before), 0, 0.05);
}

}  // namespace
}  // namespace cordon::engine
