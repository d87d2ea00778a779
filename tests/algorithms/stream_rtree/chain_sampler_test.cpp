// SPDX-License-Identifier: Apache-2.0
//
// The sampler: nothing expired is ever a sample, every arrival of the window is one with the same chance, chains know nothing
// of each other, and counts in boxes are those of a look at every point.
#include "cordon/algorithms/stream_rtree/chain_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace cordon::engine {
namespace {

double ChiSquare(const std::vector<double>& counts) {
  double sum = 0;
  for (const double count : counts) sum += count;
  const double expected = sum / static_cast<double>(counts.size());
  double square = 0;
  for (const double count : counts) square += (count - expected) * (count - expected) / expected;
  return square;
}

TEST(ChainSampler, ASampleIsNeverOlderThanTheWindow) {
  for (const std::int64_t window : {1, 2, 3, 7, 50, 200}) {
    const std::int64_t sample = std::min<std::int64_t>(window, 40);
    ChainSampler sampler({1000}, sample, window, Random::FromSeed(static_cast<std::uint64_t>(window)));
    for (Position step = 1; step <= 1500; ++step) {
      const double point = static_cast<double>(step % 997);
      sampler.Step(&point);
      ASSERT_EQ(sampler.steps(), step);
      for (std::size_t chain = 0; chain < sampler.num_chains(); ++chain) {
        ASSERT_GT(sampler.arrival(chain), step - window);
        ASSERT_LE(sampler.arrival(chain), step);
        ASSERT_EQ(sampler.point(chain)[0], static_cast<double>(sampler.arrival(chain) % 997));  // the point as it arrived
      }
    }
  }
}

// A sample stays until it expires or a newer arrival takes its place; it never goes back.
TEST(ChainSampler, ASampleGoesOnlyForANewerOneOrInItsTime) {
  constexpr std::int64_t kWindow = 60;
  ChainSampler sampler({0}, 50, kWindow, Random::FromSeed(3));
  std::vector<Position> before(50, 0);
  std::size_t expired = 0;
  std::size_t restarted = 0;
  const double point = 0;
  for (Position step = 1; step <= 5000; ++step) {
    sampler.Step(&point);
    for (std::size_t chain = 0; chain < 50; ++chain) {
      const Position now = sampler.arrival(chain);
      if (now == before[chain]) continue;
      ASSERT_GT(now, before[chain]);
      const bool in_time = before[chain] == step - kWindow;
      ASSERT_TRUE(in_time || now == step);  // before its time only the arrival itself
      ++(in_time ? expired : restarted);
      before[chain] = now;
    }
  }
  EXPECT_GT(expired, 1000u);
  EXPECT_GT(restarted, 3000u);
}

TEST(ChainSampler, AgesAreUniformInAFullWindowAndBefore) {
  for (const Position steps : {Position{37}, Position{100}, Position{101}, Position{250}, Position{1000}}) {
    constexpr std::int64_t kWindow = 100;
    const auto span = static_cast<std::size_t>(std::min<Position>(steps, kWindow));
    std::vector<double> ages(span);
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      ChainSampler sampler({0}, 100, kWindow, Random::FromSeed(seed));
      const double point = 0;
      for (Position step = 1; step <= steps; ++step) sampler.Step(&point);
      for (std::size_t chain = 0; chain < 100; ++chain) ++ages[static_cast<std::size_t>(steps - sampler.arrival(chain))];
    }
    const auto freedom = static_cast<double>(span - 1);
    EXPECT_LT(ChiSquare(ages), freedom + 4.5 * std::sqrt(2 * freedom)) << steps;
  }
}

// A window so short that a coin at the step of expiry would show.
TEST(ChainSampler, ChainsAreIndependent) {
  constexpr std::int64_t kWindow = 10;
  std::vector<double> pairs(100);
  const double point = 0;
  for (std::uint64_t seed = 0; seed < 30'000; ++seed) {
    ChainSampler sampler({0}, 2, kWindow, Random::FromSeed(seed));
    for (Position step = 1; step <= 25; ++step) sampler.Step(&point);
    ++pairs[static_cast<std::size_t>(10 * (25 - sampler.arrival(0)) + 25 - sampler.arrival(1))];
  }
  EXPECT_LT(ChiSquare(pairs), 99 + 4.5 * std::sqrt(2 * 99.0));
}

// Axes of few values, of just 256, and of more, so that a byte only sieves.
TEST(ChainSampler, CountsAreThoseOfALookAtEveryPoint) {
  for (const std::vector<double>& ranges : {std::vector<double>{3, 40}, {255, 7, 0}, {256, 5}, {1e6, 9e15, 30}, {}}) {
    for (const std::int64_t sample : {1, 31, 32, 33, 100}) {
      Random random = Random::FromSeed(static_cast<std::uint64_t>(sample));
      ChainSampler sampler(ranges, sample, 150, Random::FromSeed(9));
      std::vector<double> point(ranges.size());
      const auto draw = [&](std::size_t axis) {
        return std::floor(std::min(random.Unit() < .5 ? .1 * ranges[axis] : ranges[axis], ranges[axis]) * random.Unit());
      };
      for (int step = 0; step < 400; ++step) {
        for (std::size_t axis = 0; axis < ranges.size(); ++axis) point[axis] = draw(axis);
        sampler.Step(point.data());
        std::vector<double> lo;
        std::vector<double> hi;
        for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
          const double* corner = sampler.point(random.Below(static_cast<std::uint64_t>(sample)));  // hits boundaries
          const double other = draw(axis);
          lo.push_back(std::min(corner[axis], other));
          hi.push_back(std::max(corner[axis], other));
        }
        std::vector<std::int32_t> expected;
        for (std::size_t chain = 0; chain < sampler.num_chains(); ++chain) {
          bool inside = true;
          for (std::size_t axis = 0; axis < ranges.size(); ++axis) {
            inside = inside && sampler.point(chain)[axis] >= lo[axis] && sampler.point(chain)[axis] <= hi[axis];
          }
          if (inside) expected.push_back(static_cast<std::int32_t>(chain));
        }
        std::vector<std::int32_t> found;
        sampler.FindWithin(lo, hi, found);
        ASSERT_EQ(found, expected);
        ASSERT_EQ(sampler.CountWithin(lo, hi), static_cast<std::int64_t>(expected.size()));
      }
    }
  }
}

}  // namespace
}  // namespace cordon::engine
