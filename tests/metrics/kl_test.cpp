// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/kl.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/metrics/random_release.h"

namespace cordon::engine {
namespace {

using testing::MakeRandomRelease;
using testing::RandomRelease;

// The divergence of one group-by from the definition: every cell of the domain against every published row.
double SlowDivergence(const RandomRelease& made, const std::vector<std::size_t>& columns) {
  std::map<std::vector<Code>, double> cells;
  const auto rows = static_cast<double>(made.data.num_rows);
  for (std::size_t row = 0; row < made.data.num_rows; ++row) {
    std::vector<Code> cell;
    for (const std::size_t column : columns) cell.push_back(made.data.columns[column].codes[row]);
    cells[cell] += 1 / rows;
  }
  double domain = 1;
  for (const std::size_t column : columns) domain *= made.data.columns[column].attribute.domain->size();
  double sum = 0;
  for (const auto& [cell, share] : cells) {
    double estimate = (rows - static_cast<double>(made.release.num_rows)) / domain;
    for (std::size_t row = 0; row < made.release.num_rows; ++row) {
      double part = 1;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const Attribute& attribute = made.data.columns[columns[i]].attribute;
        const std::string text(made.release.Find(attribute.name)->text.cell(row).bytes());
        const auto stands_for = [&](Code code) {
          return attribute.role == Role::kQuasi ? attribute.domain->Covers(*attribute.domain->Read(text), code)
                                                : attribute.domain->Publish(code, code) == text;
        };
        double covered = 0;
        for (Code code = 0; code < attribute.domain->size(); ++code) covered += stands_for(code);
        part *= stands_for(cell[i]) ? 1 / covered : 0;
      }
      estimate += part;
    }
    sum += share * std::log(share / (estimate / rows));
  }
  return sum;
}

TEST(KlDivergence, AgreesWithTheDefinition) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    const RandomRelease made = MakeRandomRelease(seed, {.rows = 60 + seed, .sensitive = seed % 4 != 1});
    const std::vector<std::vector<std::size_t>> sets[] = {{{0}, {1}, {2}}, {{0, 1}, {0, 2}, {1, 2}}, {{0, 1, 2}}};
    const std::vector<std::size_t> sensitive = made.data.ColumnsOf(Role::kSensitive);
    for (std::uint64_t level = 1; level <= 3; ++level) {
      double sum = 0;
      double count = 0;
      for (std::vector<std::size_t> set : sets[level - 1]) {
        if (sensitive.empty()) sum += SlowDivergence(made, set);
        for (const std::size_t one : sensitive) {
          set.push_back(one);
          sum += SlowDivergence(made, set);
          set.pop_back();
        }
        count += sensitive.empty() ? 1 : static_cast<double>(sensitive.size());
      }
      const KlDivergence measured = MeasureKlDivergence(made.data, made.release, level, {.threads = 2}).value();
      EXPECT_EQ(measured.group_bys, count);
      EXPECT_NEAR(measured.mean, sum / count, 1e-9);
      EXPECT_GE(measured.greatest, measured.mean - 1e-12);
    }
  }
}

TEST(KlDivergence, ByHand) {
  // Two rows, ages 0 and 1, published as [0,3] together: every cell is 1/2 against 1/4, so ln 2.
  const auto ages = test::Numbers(0, 3);
  const Microdata data = test::BuildMicrodata({{"age", Role::kQuasi, ages, {"0", "1"}}});
  const Release release = test::BuildRelease({{"age", Role::kQuasi, ages, {"[0,3]", "[0,3]"}}});
  const KlDivergence measured = MeasureKlDivergence(data, release, 2, {}).value();
  EXPECT_EQ(measured.level, 1u);  // there is one quasi column only
  EXPECT_NEAR(measured.mean, std::log(2), 1e-12);
}

TEST(KlDivergence, IsZeroForExactCellsAndInfiniteForCellsThatDenyARow) {
  const auto ages = test::Numbers(0, 3);
  const Microdata data = test::BuildMicrodata({{"age", Role::kQuasi, ages, {"0", "1", "1"}}});
  const Release exact = test::BuildRelease({{"age", Role::kQuasi, ages, {"1", "0", "1"}}});
  EXPECT_EQ(MeasureKlDivergence(data, exact, 1, {}).value().mean, 0);
  const Release wrong = test::BuildRelease({{"age", Role::kQuasi, ages, {"1", "1", "[2,3]"}}});
  EXPECT_TRUE(std::isinf(MeasureKlDivergence(data, wrong, 1, {}).value().mean));
}

TEST(KlDivergence, EdgesAreAnswers) {
  const RandomRelease none = MakeRandomRelease(2, {.rows = 0});
  EXPECT_EQ(MeasureKlDivergence(none.data, none.release, 2, {}).value().group_bys, 0u);
  EXPECT_FALSE(MeasureKlDivergence(none.data, none.release, 0, {}).ok());
  RandomRelease all = MakeRandomRelease(2, {.rows = 30});
  Groups nobody;
  for (RowId row = 0; row < 30; ++row) nobody.suppressed.push_back(row);
  Random random = Random::FromSeed(1);
  all.release = Recode(View::All(all.data), nobody, {}, random, {});
  EXPECT_TRUE(std::isfinite(MeasureKlDivergence(all.data, all.release, 2, {}).value().mean));
}

TEST(KlDivergence, ThreadsChangeNoBit) {
  const RandomRelease made = MakeRandomRelease(6, {.rows = 3000, .ages = 400});
  EXPECT_EQ(MeasureKlDivergence(made.data, made.release, 2, {.threads = 1}).value().mean,
            MeasureKlDivergence(made.data, made.release, 2, {.threads = 3}).value().mean);
}

}  // namespace
}  // namespace cordon::engine
