// SPDX-License-Identifier: Apache-2.0
#include "cordon/attack/figure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace cordon::engine {
namespace {

// The standard error of a share, by the textbook.
double StandardError(double share, double targets) { return std::sqrt(share * (1 - share) / targets); }

TEST(Figure, CountsTargetsGuessesAndSureOnes) {
  const std::vector<Score> scores = {{1, 0, 0.95}, {0, 1, 0.9}, {0, 0, 0.5}, {0, 1, 0, false}};
  const Figure figure = Summarize({"skewness", "", "s"}, scores, QuickRandom(1));
  EXPECT_EQ(figure.targets, 4u);
  EXPECT_EQ(figure.guesses, 3u);
  EXPECT_EQ(figure.right, 1);
  EXPECT_EQ(figure.share.value, 0.25);
  EXPECT_EQ(figure.baseline.value, 0.5);
  EXPECT_EQ(figure.gain.value, -0.25);
  EXPECT_EQ(figure.highest, 0.95);
  EXPECT_EQ(figure.sure, 2u);
  EXPECT_EQ(figure.sure_right, 1u);
}

TEST(Figure, IntervalsAgreeWithTheTextbook) {
  for (const std::size_t targets : {50, 1'000, 200'000}) {
    for (const double share : {0.02, 0.2, 0.5, 0.9}) {
      if (static_cast<double>(targets) * share * (1 - share) < 8) continue;  // the textbook takes them for normal
      std::vector<Score> scores(targets);
      const auto right = static_cast<std::size_t>(share * static_cast<double>(targets));
      for (std::size_t i = 0; i < right; ++i) scores[i].right = 1;
      const Figure figure = Summarize({"skewness"}, scores, QuickRandom(7));
      const double error = StandardError(figure.share.value, static_cast<double>(targets));
      EXPECT_NEAR(figure.share.interval.lo, figure.share.value - 1.96 * error, 0.35 * error) << targets << " " << share;
      EXPECT_NEAR(figure.share.interval.hi, figure.share.value + 1.96 * error, 0.35 * error) << targets << " " << share;
    }
  }
}

// A baseline that is right about the same people leaves the gain certain, however uncertain both shares are.
TEST(Figure, TheGainIsOfTheSameResamples) {
  std::vector<Score> scores(100);
  for (std::size_t i = 0; i < 30; ++i) scores[i].right = scores[i].baseline = 1;
  const Figure figure = Summarize({"skewness"}, scores, QuickRandom(3));
  EXPECT_LT(figure.share.interval.lo, 0.25);
  EXPECT_EQ(figure.gain.interval.lo, 0);
  EXPECT_EQ(figure.gain.interval.hi, 0);
}

TEST(Figure, TheSameSeedGivesTheSameIntervals) {
  std::vector<Score> scores;
  for (int i = 0; i < 500; ++i) scores.push_back({1.0 / (1 + i % 37), 0.01 * (i % 3)});
  const Figure a = Summarize({"linkage"}, scores, QuickRandom(5));
  const Figure b = Summarize({"linkage"}, scores, QuickRandom(5));
  EXPECT_EQ(a.share.interval.lo, b.share.interval.lo);
  EXPECT_EQ(a.gain.interval.hi, b.gain.interval.hi);
}

TEST(Figure, NobodyToAttackIsNoFigure) {
  const Figure figure = Summarize({"linkage"}, {}, QuickRandom(1));
  EXPECT_EQ(figure.targets, 0u);
  EXPECT_EQ(figure.share.value, 0);
}

TEST(DrawBinomial, HasMeanAndVarianceOfTheDistribution) {
  QuickRandom random(11);
  for (const auto& [trials, p] : {std::pair{20, 0.3}, std::pair{40, 0.97}, std::pair{1'000, 0.01}, std::pair{100'000, 0.4}}) {
    constexpr int kDraws = 20'000;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < kDraws; ++i) {
      const auto drawn = static_cast<double>(DrawBinomial(static_cast<std::uint64_t>(trials), p, random));
      EXPECT_LE(drawn, trials);
      sum += drawn;
      squares += drawn * drawn;
    }
    const double mean = sum / kDraws;
    const double variance = squares / kDraws - mean * mean;
    const double expected = trials * p * (1 - p);
    EXPECT_NEAR(mean, trials * p, 5 * std::sqrt(expected / kDraws)) << trials << " " << p;
    EXPECT_NEAR(variance, expected, 0.06 * expected) << trials << " " << p;
  }
}

}  // namespace
}  // namespace cordon::engine
