// SPDX-License-Identifier: Apache-2.0
//
// Annealing box by box: sets of rows as bits against a scan of the rows, and groups that stay groups.
#include "cordon/algorithms/partition/box_anneal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/models/random_cases.h"

namespace cordon::engine {
namespace {

// A column of numbers and two of hierarchies: eight leaves under two and four nodes, and three under the root alone.
Microdata RandomRows(std::uint64_t seed, std::size_t rows) {
  Random random = Random::FromSeed(seed);
  std::vector<std::vector<std::string>> paths;
  for (int leaf = 0; leaf < 8; ++leaf) {
    const auto node = [&](const char* name, int of) { return name + std::to_string(leaf / of); };
    paths.push_back({node("leaf", 1), node("pair", 2), node("half", 4), "*"});
  }
  std::vector<std::string> ages;
  std::vector<std::string> places;
  std::vector<std::string> kinds;
  for (std::size_t row = 0; row < rows; ++row) {
    ages.push_back(std::to_string(1 + random.Below(1 + random.Below(20))));
    places.push_back("leaf" + std::to_string(random.Below(1 + random.Below(8))));
    kinds.push_back(std::string(1, static_cast<char>('a' + random.Below(3))));
  }
  return test::BuildMicrodata({{"age", Role::kQuasi, test::Numbers(1, 20), ages},
                               {"place", Role::kQuasi, test::Tree(paths), places},
                               {"kind", Role::kQuasi, test::Flat({"a", "b", "c"}), kinds}});
}

RowSets OneGroup(std::size_t rows) {
  RowSets groups(1, std::vector<Place>(rows));
  std::iota(groups[0].begin(), groups[0].end(), Place{0});
  return groups;
}

double LossOf(const RankSpace& space, const RowSets& groups) {
  double total = 0;
  for (const std::vector<Place>& rows : groups) {
    for (std::size_t q = 0; q < space.num_quasi(); ++q) {
      const auto by_rank = [&](Place a, Place b) { return space.row(a)[q] < space.row(b)[q]; };
      const auto [low, high] = std::minmax_element(rows.begin(), rows.end(), by_rank);
      total += space.Span(q, space.row(*low)[q], space.row(*high)[q]) * static_cast<double>(rows.size());
    }
  }
  return total;
}

TEST(PartitionRowBits, BoxesHoldWhatAScanFinds) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const Microdata data = RandomRows(seed, 100 + seed * 7);
    const RankSpace space(View::All(data), {});
    ASSERT_TRUE(RowBits::Fits(space));
    const RowBits bits(space);
    QuickRandom random(seed);
    NodeBox box = bits.Everything();
    const std::size_t row = random.Below(bits.num_rows());
    for (int step = 0; step < 6; ++step) {
      const std::size_t q = random.Below(space.num_quasi());
      if (!space.has_nodes(q)) {
        box.lo[q] = static_cast<Rank>(random.Below(static_cast<std::uint64_t>(bits.ranks(row)[q]) + 1));
      } else if (random.Below(3) > 0) {
        bits.NarrowToChild(box, q, bits.ranks(row)[q]);
      } else {
        bits.Widen(box, q, 1, true);
      }
    }
    RowBits::Bits inside(bits.num_words());
    bits.Inside(box, inside);
    NodeBox scanned{};
    std::size_t found = 0;
    for (std::size_t i = 0; i < bits.num_rows(); ++i) {
      NodeBox alone{};
      bool in = true;
      for (std::size_t q = 0; q < space.num_quasi(); ++q) {
        alone.lo[q] = alone.hi[q] = bits.ranks(i)[q];
        in = in && box.lo[q] <= alone.lo[q] && alone.hi[q] <= box.hi[q];
      }
      EXPECT_EQ((inside[i / RowBits::kWordBits] >> (i % RowBits::kWordBits) & 1) != 0, in);
      if (!in) continue;
      scanned = found++ == 0 ? alone : bits.Around(scanned, alone);
    }
    ASSERT_GT(found, 0U);  // the row that it was narrowed to
    std::vector<RowBits::Part> parts;
    RowBits::PartsOf(inside, parts);
    EXPECT_EQ(bits.Count(parts), found);
    const NodeBox tight = bits.Fit(inside, box);
    for (std::size_t q = 0; q < space.num_quasi(); ++q) {
      EXPECT_EQ(tight.lo[q], scanned.lo[q]);
      EXPECT_EQ(tight.hi[q], scanned.hi[q]);
    }
  }
}

TEST(PartitionBoxAnneal, EveryRowIsInOneGroupOfEnoughRowsAndLessIsLost) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const std::size_t rows = 60 + seed * 11;
    const std::size_t min_rows = 3 + seed % 40;
    const Microdata data = RandomRows(seed, rows);
    const RankSpace space(View::All(data), {});
    const auto annealed = [&] {
      BoxAnnealing annealing(space, min_rows, OneGroup(rows));
      QuickRandom random(seed);
      annealing.Anneal({.work = 1e6, .start_temperature = 0.1, .end_temperature = 0.01, .slack = 0.1}, random, {});
      return annealing.Best();
    };
    const RowSets made = annealed();
    std::vector<Place> all;
    for (const std::vector<Place>& group : made) {
      EXPECT_GE(group.size(), min_rows);
      EXPECT_TRUE(std::is_sorted(group.begin(), group.end()));
      all.insert(all.end(), group.begin(), group.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, OneGroup(rows)[0]);
    EXPECT_LE(LossOf(space, made), LossOf(space, OneGroup(rows)) + 1e-6);
    EXPECT_EQ(annealed(), made);
  }
}

// Ages 1 and 2 forty times each, ages 9 and 10 as often: two groups of near ages.
TEST(PartitionBoxAnneal, FindsTheTwoGroupsThatThereAre) {
  std::vector<std::string> ages;
  for (int i = 0; i < 40; ++i) ages.insert(ages.end(), {"1", "9", "2", "10"});
  const Microdata data = test::BuildMicrodata({{"age", Role::kQuasi, test::Numbers(1, 10), ages}});
  const RankSpace space(View::All(data), {});
  BoxAnnealing annealing(space, 50, OneGroup(ages.size()));
  QuickRandom random(1);
  annealing.Anneal({.work = 1e6, .start_temperature = 0.1, .end_temperature = 0.01, .slack = 0.1}, random, {});
  EXPECT_NEAR(LossOf(space, annealing.Best()), 160 * (1.0 / 9), 1e-4);
}

}  // namespace
}  // namespace cordon::engine
