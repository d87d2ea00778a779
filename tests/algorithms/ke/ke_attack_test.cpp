// SPDX-License-Identifier: Apache-2.0
//
// The attack on re-releases: a row's group in one release intersected with its group in the next. On the report's own
// tables it finds values if every optimum is published.
#include <gtest/gtest.h>

#include <set>

#include "cordon/algorithms/ke/ke.h"
#include "tests/algorithms/ke/ke_oracle.h"

namespace cordon::engine {
namespace {

using testing::KeModel;
using testing::kTable35;
using testing::kThreeTwo;
using testing::Values;

using Candidates = std::vector<std::set<std::int64_t>>;  // by row

// What one release tells of each row: the values of its group. Rows of one value are told apart by their row number here,
// as in the report: the lower ones left.
Candidates Release(const Values& values, const KeRequirement& requirement) {
  const KeOrder order = OrderByValue(values);
  const KeCut cut = CutBySum(order.axis, requirement).value();
  Candidates told(values.size());
  for (std::size_t g = 0; g < cut.size(); ++g) {
    std::set<std::int64_t> group;
    for (std::uint64_t at = cut.starts[g]; at < cut.starts[g + 1]; ++at) group.insert(values[order.rows[at]]);
    for (std::uint64_t at = cut.starts[g]; at < cut.starts[g + 1]; ++at) told[order.rows[at]] = group;
  }
  return told;
}

void Intersect(Candidates& known, const Candidates& more) {
  for (std::size_t row = 0; row < known.size(); ++row) {
    std::set<std::int64_t> both;
    for (const std::int64_t value : known[row]) {
      if (more[row].contains(value)) both.insert(value);
    }
    known[row] = both;
  }
}

TEST(KeAttack, PublishingEveryOptimumTellsValues) {
  Candidates known = Release(kTable35, kThreeTwo);
  Values grown = kTable35;
  grown.push_back(67);
  Intersect(known, Release(grown, kThreeTwo));
  EXPECT_EQ(known[5], (std::set<std::int64_t>{75}));  // row 6, exactly
  EXPECT_EQ(known[3], (std::set<std::int64_t>{65, 70}));
  EXPECT_EQ(known[4], (std::set<std::int64_t>{65, 70}));

  known = Release(kTable35, kThreeTwo);
  grown.back() = 76;
  Intersect(known, Release(grown, kThreeTwo));
  EXPECT_EQ(known[6], (std::set<std::int64_t>{75}));
  EXPECT_EQ(known[7], (std::set<std::int64_t>{80, 85}));
  EXPECT_EQ(known[8], (std::set<std::int64_t>{80, 85}));

  const Values table313 = {54, 55, 56, 65, 70, 75, 76, 80, 101, 102, 103, 120, 121, 122};
  known = Release(table313, kThreeTwo);
  grown = table313;
  grown.push_back(64);
  Intersect(known, Release(grown, kThreeTwo));
  EXPECT_EQ(known[3], (std::set<std::int64_t>{65, 70}));
}

// Frozen groups are never formed again (cli.append_frozen shows it of a store); a row alone waits for company.
TEST(KeAttack, OneRowIsNotARelease) {
  Random random = Random::FromSeed(1);
  EXPECT_FALSE(Ke(Values{67}, 0, KeModel(3, 2), random).ok());
}

}  // namespace
}  // namespace cordon::engine
