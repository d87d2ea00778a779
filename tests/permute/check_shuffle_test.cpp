// SPDX-License-Identifier: Apache-2.0
//
// What published rows say of a shuffle, and how a batch is known again.
#include "cordon/permute/check_shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "cordon/base/random.h"

namespace cordon::engine {
namespace {

struct Rows {
  std::vector<std::int64_t> group;
  std::vector<std::int64_t> shown;
  std::vector<std::int64_t> truth;

  Result<void> Check() const { return RequireShuffle({group, shown, truth}); }
};

// Groups 4, 5, ... of this many rows, values drawn from a few.
Rows Unshuffled(std::size_t groups, std::size_t size, std::uint64_t values, Random& random) {
  Rows rows;
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t i = 0; i < size; ++i) {
      rows.group.push_back(static_cast<std::int64_t>(group) + 4);
      rows.truth.push_back(static_cast<std::int64_t>(random.Below(values)));
    }
  }
  rows.shown = rows.truth;
  return rows;
}

void Shuffle(Rows& rows, std::size_t size, Random& random) {
  for (std::size_t begin = 0; begin < rows.shown.size(); begin += size)
    random.Shuffle(std::span(rows.shown).subspan(begin, size));
}

TEST(RequireShuffle, AcceptsShufflesAndRefusesRowsInPlace) {
  Random random = Random::FromSeed(1);
  for (const std::size_t size : {2, 5, 40}) {
    for (const std::uint64_t values : {2, 7, 1000000}) {
      SCOPED_TRACE(fmt::format("{} rows a group, {} values", size, values));
      Rows rows = Unshuffled(4000 / size, size, values, random);
      EXPECT_FALSE(rows.Check().ok());
      for (int repeat = 0; repeat < 20; ++repeat) {
        Shuffle(rows, size, random);
        EXPECT_TRUE(rows.Check().ok());
      }
    }
  }
}

TEST(RequireShuffle, LetsAFewSmallGroupsKeepTheirOrder) {
  Random random = Random::FromSeed(2);
  EXPECT_TRUE(Unshuffled(3, 3, 1000000, random).Check().ok());
  EXPECT_TRUE(Rows().Check().ok());
}

TEST(RequireShuffle, RefusesValuesOfAnotherGroup) {
  Random random = Random::FromSeed(3);
  Rows rows = Unshuffled(10, 5, 1000000, random);
  Shuffle(rows, 5, random);
  std::swap(rows.shown[0], rows.shown[5]);
  EXPECT_FALSE(rows.Check().ok());
}

// The mean number of rows in place, and the bound over all shuffles of small groups.
TEST(RequireShuffle, ItsBoundHoldsOverAllShuffles) {
  const std::vector<std::vector<std::int64_t>> groups = {{1, 2, 3, 4, 5, 6}, {1, 1, 2, 3, 3, 3}, {1, 1, 1, 2}, {7, 7}};
  for (const std::vector<std::int64_t>& truth : groups) {
    std::vector<std::size_t> order(truth.size());
    std::iota(order.begin(), order.end(), 0);
    std::map<int, double> times;
    double shuffles = 0;
    double total = 0;
    do {
      int own = 0;
      for (std::size_t row = 0; row < truth.size(); ++row) own += truth[order[row]] == truth[row] ? 1 : 0;
      ++times[own];
      ++shuffles;
      total += own;
    } while (std::next_permutation(order.begin(), order.end()));
    double mean = 0;
    for (const std::int64_t value : truth) mean += static_cast<double>(std::count(truth.begin(), truth.end(), value));
    mean /= static_cast<double>(truth.size());
    EXPECT_NEAR(mean, total / shuffles, 1e-9);
    for (int least = 1; least <= static_cast<int>(truth.size()); ++least) {
      if (least <= mean) continue;
      double at_least = 0;
      for (const auto& [own, count] : times) at_least += own >= least ? count : 0;
      EXPECT_LE(at_least / shuffles, std::exp(least - mean) * std::pow(mean / least, least) + 1e-12);
    }
  }
}

TEST(KeFigures, AreThoseOfTheRows) {
  const std::vector<std::int64_t> group = {2, 1, 1, 2, 1, 2, 2, 3, 3};
  const std::vector<std::int64_t> value = {30, 10, 14, 35, 10, 30, 30, 5, 6};
  const KeFigures figures = FiguresOf(MakeHelpTables(group, value).value());
  EXPECT_EQ(figures.sum_error, 4 + 5 + 1);
  EXPECT_EQ(figures.max_error, 5);
  EXPECT_EQ(figures.greatest_share, Rational(3, 4));
}

}  // namespace
}  // namespace cordon::engine
