// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/bound/loss_bound.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "cordon/base/random.h"
#include "cordon/metrics/bound/valid_prices.h"
#include "tests/models/build_microdata.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

using test::BuildMicrodata;
using test::Flat;
using test::Numbers;
using test::TestColumn;
using test::Tree;

constexpr LossBoundOptions kAllRows{.sample = 0};

Microdata Ages(const std::vector<std::string>& ages) { return BuildMicrodata({{"age", Role::kQuasi, Numbers(0, 100), ages}}); }

double Bound(const Microdata& data, const LeastGroup& least, const LossBoundOptions& options = kAllRows) {
  return BoundLoss(data, least, options, {}).value().information_loss;
}

TEST(LossBound, ThreePairsFarApartLoseWhatTheyLose) {
  // Pairs of width 2, 4 and 6: no other grouping is better, and the cheapest boxes say as much.
  const Microdata data = Ages({"0", "2", "40", "44", "90", "96"});
  EXPECT_NEAR(Bound(data, {.rows = 2, .distinct = {}}), (2 * .02 + 2 * .04 + 2 * .06) / 6, 1e-6);
}

TEST(LossBound, ARowFarFromTheOthersTakesSomeOfThemAlong) {
  // 0, 1, 2, 3 and 50: the best release is {0, 1} and {2, 3, 50}. The cheapest boxes cost 1, 1, 1, 1, 47.
  const Microdata data = Ages({"0", "1", "2", "3", "50"});
  const LossBound bound = BoundLoss(data, {.rows = 2, .distinct = {}}, kAllRows, {}).value();
  EXPECT_NEAR(bound.cheapest_boxes, (4 * .01 + .47) / 5, 1e-6);
  EXPECT_GT(bound.information_loss, .19);  // 2 x 47 for the row and the one with it, and 1 each for the rest
  EXPECT_LE(bound.information_loss, (2 * .01 + 3 * .48) / 5);
}

TEST(LossBound, EqualRowsLoseNothing) { EXPECT_EQ(Bound(Ages({"7", "7", "7", "20", "20"}), {.rows = 2, .distinct = {}}), 0); }

TEST(LossBound, TooFewRowsAreSuppressed) { EXPECT_NEAR(Bound(Ages({"7", "7", "7"}), {.rows = 4, .distinct = {}}), 1, 1e-6); }

TEST(LossBound, ARowNeverCostsMoreThanSuppressingIt) {
  // Without suppression each release loses 1; with the last row suppressed it loses a quarter of that.
  EXPECT_LE(Bound(Ages({"0", "0", "0", "100"}), {.rows = 3, .distinct = {}}), .25);
}

TEST(LossBound, DroppedRowsAreLostInEveryRelease) {
  Microdata data = Ages({"7", "7", "7"});
  data.dropped_rows = 1;
  EXPECT_NEAR(Bound(data, {.rows = 3, .distinct = {}}), .25, 1e-9);
}

TEST(LossBound, EmptyTablesAndTablesWithoutQuasiColumns) {
  EXPECT_EQ(Bound(Ages({}), {.rows = 2, .distinct = {}}), 0);
  EXPECT_EQ(Bound(BuildMicrodata({{"illness", Role::kSensitive, Flat({"flu"}), {"flu", "flu"}}}), {.rows = 2, .distinct = {}}),
            0);
}

TEST(LossBound, EqualRowsOfOneValueHaveToFindAnother) {
  const Microdata data = BuildMicrodata({{"age", Role::kQuasi, Numbers(0, 100), {"7", "7", "17", "17"}},
                                         {"illness", Role::kSensitive, Flat({"flu", "gout"}), {"flu", "flu", "gout", "gout"}}});
  EXPECT_EQ(Bound(data, {.rows = 2, .distinct = {}}), 0);
  EXPECT_NEAR(Bound(data, {.rows = 2, .distinct = {{"illness", 2}}}), .1, 1e-6);
}

// Small tables of numbers with gaps, a hierarchy, missing cells and a sensitive column.
Microdata RandomTable(Random& random, std::size_t rows) {
  Domain::NumericSpec steps;
  for (std::int64_t value = 0; value < 12; ++value) steps.values.push_back(value * value);
  steps.range_hi = 130;
  if (random.Below(2) == 0) steps.steps.width = 10;
  if (random.Below(3) == 0) steps.missing = "?";
  std::vector<TestColumn> columns = {{"age", Role::kQuasi, std::make_shared<const Domain>(Domain::Numeric(steps)), {}},
                                     {"place",
                                      Role::kQuasi,
                                      Tree({{"Bern", "south", "*"},
                                            {"Wien", "south", "*"},
                                            {"Rom", "south", "*"},
                                            {"Oslo", "north", "*"},
                                            {"Riga", "north", "*"}}),
                                      {}},
                                     {"sex", Role::kQuasi, Flat({"f", "m"}), {}},
                                     {"illness", Role::kSensitive, Flat({"flu", "gout", "cold"}), {}}};
  if (random.Below(4) == 0) columns.erase(columns.begin() + 1);
  const std::uint64_t spread = 2 + random.Below(12);
  for (std::size_t row = 0; row < rows; ++row) {
    for (TestColumn& column : columns) {
      const auto size = static_cast<std::uint64_t>(column.domain->size());
      const auto code = static_cast<Code>(random.Below(std::min(size, spread)));
      column.cells.push_back(column.domain->Publish(code, code));
    }
  }
  return BuildMicrodata(columns);
}

bool MayBeAGroup(const Microdata& data, std::uint32_t rows, const LeastGroup& least) {
  if (std::popcount(rows) < least.rows) return false;
  for (const DistinctValues& distinct : least.distinct) {
    std::set<Code> values;
    for (std::size_t row = 0; row < data.num_rows; ++row) {
      if ((rows >> row & 1) != 0) values.insert(data.columns[*data.Find(distinct.column)].codes[row]);
    }
    if (static_cast<std::int64_t>(values.size()) < distinct.count) return false;
  }
  return true;
}

double LossOfGroup(const Microdata& data, std::uint32_t rows) {
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  double loss = 0;
  for (const std::size_t column : quasi) {
    std::set<Code> codes;
    for (std::size_t row = 0; row < data.num_rows; ++row) {
      if ((rows >> row & 1) != 0) codes.insert(data.columns[column].codes[row]);
    }
    loss += data.columns[column].attribute.domain->Loss(*codes.begin(), *codes.rbegin());
  }
  return loss * std::popcount(rows) / static_cast<double>(quasi.size());
}

// The least loss of all partitions into groups and suppressed rows: best[set] over the subsets that hold its first row.
double LeastLoss(const Microdata& data, const LeastGroup& least) {
  const std::uint32_t all = (1u << data.num_rows) - 1;
  std::vector<double> best(all + 1, 0);
  std::vector<double> group(all + 1, -1);
  for (std::uint32_t rows = 1; rows <= all; ++rows) {
    if (MayBeAGroup(data, rows, least)) group[rows] = LossOfGroup(data, rows);
  }
  for (std::uint32_t rows = 1; rows <= all; ++rows) {
    const std::uint32_t first = rows & -rows;
    best[rows] = 1 + best[rows ^ first];
    for (std::uint32_t with = rows; with != 0; with = (with - 1) & rows) {
      if ((with & first) != 0 && group[with] >= 0) best[rows] = std::min(best[rows], group[with] + best[rows ^ with]);
    }
  }
  return best[all] / static_cast<double>(data.num_rows);
}

TEST(LossBoundProperty, NeverAboveTheBestOfAllReleases) {
  double bounds = 0;
  double optima = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Microdata data = RandomTable(random, 3 + random.Below(7));
    LeastGroup least{.rows = 2 + static_cast<std::int64_t>(random.Below(3)), .distinct = {}};
    if (random.Below(2) == 0) least.distinct.push_back({"illness", 2});
    const LossBound bound = BoundLoss(data, least, kAllRows, {}).value();
    const double best = LeastLoss(data, least);
    EXPECT_LE(bound.information_loss, best);
    EXPECT_LE(bound.cheapest_boxes, bound.information_loss);
    bounds += bound.information_loss;
    optima += best;
  }
  EXPECT_GT(bounds, .8 * optima);  // and near it on average, else it would be a bound of nothing
}

// With hardly any near cells, nearly all boxes are bounded beyond the radius.
TEST(LossBoundProperty, PricesAreValidAfterEveryStep) {
  Price sum = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Microdata data = RandomTable(random, 4 + random.Below(7));
    LeastGroup least{.rows = 2 + static_cast<std::int64_t>(random.Below(3)), .distinct = {}};
    if (random.Below(3) == 0) least.distinct.push_back({"illness", 2});
    const CellSpace space(data, least, {});
    const std::vector<Price> unknown(space.size(), 0);
    std::vector<Price> cheapest(space.size());
    std::vector<Neighbourhood> near(space.size());
    for (CellId cell = 0; cell < space.size(); ++cell) {
      const CellSpace::Near found = space.Nearest(cell, 1 + random.Below(4));
      cheapest[cell] = PriceSearch(space, unknown).Cheapest(cell, found);
      near[cell].radius = found.radius;
      for (const CellAt& other : found.cells) near[cell].cells.push_back(other.cell);
    }
    ValidPrices valid(space, cheapest, near);
    for (int step = 0; step < 30; ++step) {
      const auto cell = static_cast<CellId>(random.Below(space.size()));
      valid.Raise(cell, static_cast<Price>(random.Below(static_cast<std::uint64_t>(3 * cheapest[cell] + 1))));
    }
    sum += valid.Sum();
    for (std::uint32_t rows = 1; rows < 1u << data.num_rows; ++rows) {
      if (!MayBeAGroup(data, rows, least)) continue;
      Price prices = 0;
      for (std::size_t row = 0; row < data.num_rows; ++row) {
        if ((rows >> row & 1) != 0) prices += valid.prices()[space.cell_of_row()[row]];
      }
      const double shares = static_cast<double>(prices) / static_cast<double>(space.Whole());
      ASSERT_LE(shares, LossOfGroup(data, rows) + 1e-12) << rows;
    }
    for (const Price price : valid.prices()) EXPECT_LE(price, space.Whole());
  }
  EXPECT_GT(sum, 0);
}

TEST(LossBoundProperty, LargerGroupsCostNoLess) {
  for (std::uint64_t seed = 0; seed < SomeOrAll(6u, 20u); ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Microdata data = RandomTable(random, 40);
    double before = 0;
    for (std::int64_t k = 1; k <= 12; ++k) {
      const LossBound bound = BoundLoss(data, {.rows = k, .distinct = {}}, kAllRows, {}).value();
      EXPECT_GE(bound.cheapest_boxes, before) << k;
      const LossBound diverse =
          BoundLoss(data, {.rows = k, .distinct = {{"illness", std::min<std::int64_t>(k, 3)}}}, kAllRows, {}).value();
      EXPECT_GE(diverse.cheapest_boxes, bound.cheapest_boxes) << k;
      before = bound.cheapest_boxes;
    }
  }
}

TEST(LossBoundProperty, ThreadsChangeNothing) {
  Random random = Random::FromSeed(5);
  const Microdata data = RandomTable(random, 300);
  const LeastGroup least{.rows = 7, .distinct = {}};
  const double one = BoundLoss(data, least, kAllRows, {.threads = 1}).value().information_loss;
  EXPECT_EQ(one, BoundLoss(data, least, kAllRows, {.threads = 4}).value().information_loss);
  EXPECT_GT(one, 0);
}

TEST(LossBound, ASampleStaysBelowTheMeanOfAllRows) {
  Random random = Random::FromSeed(8);
  const Microdata data = RandomTable(random, 400);
  const LeastGroup least{.rows = 12, .distinct = {}};
  const LossBound all = BoundLoss(data, least, kAllRows, {}).value();
  const LossBound some = BoundLoss(data, least, {.sample = 20000}, {}).value();
  EXPECT_EQ(some.sampled, 20000u);
  EXPECT_EQ(all.sampled, 0u);
  EXPECT_LT(some.information_loss, all.cheapest_boxes);
  EXPECT_GT(some.information_loss, .8 * all.cheapest_boxes);
}

class UsedUp final : public Budget {
 public:
  double Used() const override { return 1; }
};

TEST(LossBound, WithoutTimeForBetterPricesTheCheapestBoxesCount) {
  Random random = Random::FromSeed(5);
  const Microdata data = RandomTable(random, 300);
  const LeastGroup least{.rows = 7, .distinct = {}};
  const UsedUp budget;
  const LossBound all = BoundLoss(data, least, kAllRows, {}).value();
  const LossBound cut = BoundLoss(data, least, kAllRows, {.budget = &budget}).value();
  EXPECT_FALSE(all.cut_short);
  EXPECT_TRUE(cut.cut_short);
  EXPECT_EQ(cut.information_loss, all.cheapest_boxes);
  EXPECT_LT(cut.information_loss, all.information_loss);
}

TEST(LossBound, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const auto stopped = BoundLoss(Ages({"0", "1", "2"}), {.rows = 2, .distinct = {}}, kAllRows, {.stop = source.get_token()});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind(), ErrorKind::kCancelled);
}

}  // namespace
}  // namespace cordon::engine
