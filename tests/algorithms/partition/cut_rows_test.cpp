// SPDX-License-Identifier: Apache-2.0
//
// Rows taken out of the table to be cut, against lists of places: what cuts bring to the front, and what the model says of
// both sides of a cut.
#include "cordon/algorithms/partition/cut_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <tuple>

#include "cordon/algorithms/partition/cut_counts.h"
#include "cordon/base/random.h"
#include "tests/algorithms/small_table.h"
#include "tests/models/random_cases.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

using test::Between;
using testing::Categories;
using testing::Numbers;

std::vector<Code> RandomCodes(Random& random, std::size_t rows, Code values) {
  std::vector<Code> codes;
  for (std::size_t row = 0; row < rows; ++row) codes.push_back(static_cast<Code>(random.Below(values)));
  return codes;
}

// One to ten quasi columns (more than eight need two blocks of lanes), none to two sensitive ones, weights or none. Wide: ages
// that do not fit into 15 bits.
testing::SmallTable RandomTable(Random& random, std::size_t rows, bool wide) {
  testing::SmallTable table(rows);
  if (wide) {
    std::vector<Code> ages(rows);
    std::iota(ages.begin(), ages.end(), 0);
    table.Add("age", Role::kQuasi, Numbers(static_cast<Code>(rows)), ages);
  }
  const std::int64_t quasi = Between(random, 1, 10);
  for (std::int64_t q = 0; q < quasi; ++q) {
    const auto values = static_cast<Code>(Between(random, 1, 30));
    const std::string name = "q" + std::to_string(q);
    table.Add(name, Role::kQuasi, q % 2 == 0 ? Numbers(values) : Categories(values, 3), RandomCodes(random, rows, values));
  }
  const std::int64_t sensitive = Between(random, 1, 2);
  for (std::int64_t s = 0; s < sensitive; ++s) {
    const auto values = static_cast<Code>(Between(random, 2, 6));
    table.Add("s" + std::to_string(s), Role::kSensitive, Categories(values, 1), RandomCodes(random, rows, values));
  }
  if (random.Below(2) == 0) {
    auto weights = std::make_shared<std::vector<std::uint32_t>>();
    for (std::size_t row = 0; row < rows; ++row) weights->push_back(1 + static_cast<std::uint32_t>(random.Below(4)));
    table.data.weights = weights;
  }
  return table;
}

std::vector<ModelSpec> RandomModels(Random& random) {
  if (random.Below(4) == 0) return {testing::K(3)};  // then no counts are kept
  LDiversitySpec entropy{"s0", Rational(3, 2), LDiversitySpec::Kind::kEntropy, {}};
  std::vector<ModelSpec> specs = {testing::K(2), entropy};
  if (random.Below(2) == 0) specs.push_back(BetaLikenessSpec{.sensitive = "s0", .beta = 1});
  return specs;
}

struct Sides {
  std::vector<Place> inside;
  std::vector<Place> outside;
};

// By the ranks of the table, place by place.
Sides SidesOf(const RankSpace& space, const std::vector<Place>& places, std::size_t q, Rank lo, Rank hi) {
  Sides sides;
  for (const Place place : places) {
    const Rank rank = space.row(place)[q];
    (rank >= lo && rank <= hi ? sides.inside : sides.outside).push_back(place);
  }
  return sides;
}

std::vector<Place> Joined(const Sides& sides) {
  std::vector<Place> all = sides.inside;
  all.insert(all.end(), sides.outside.begin(), sides.outside.end());
  return all;
}

// Everything that is kept of the rows is that of these places, in this order.
void ExpectRows(const CutRows& rows, const RankSpace& space, const GroupGate& gate, std::size_t begin,
                const std::vector<Place>& places) {
  rows.WithLanes(begin, [&](const auto* lanes) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t q = 0; q < space.num_quasi(); ++q) {
        ASSERT_EQ(static_cast<Rank>(lanes[i * rows.width() + q]), space.row(places[i])[q]) << i << " " << q;
      }
    }
  });
  const CountedColumns& counted = gate.counted();
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t s = 0; rows.counted() && s < counted.num_histograms(); ++s) {
      const std::size_t value = counted.start(s) + static_cast<std::size_t>(counted.codes(s)[gate.row(places[i])]);
      ASSERT_EQ(rows.values(begin)[i * rows.num_values() + s], value) << i << " " << s;
    }
    if (rows.weights(begin) != nullptr) {
      ASSERT_EQ(rows.weights(begin)[i], counted.weight(gate.row(places[i]))) << i;
    }
  }
}

bool Admits(const GroupGate& gate, const std::vector<Place>& places) {
  GroupCounts counts(gate.counted());
  std::vector<RowId> rows;
  for (const Place place : places) rows.push_back(gate.row(place));
  counts.Add(rows);
  return gate.model().Admits(counts);
}

struct Asked {
  int counted = 0;
  int admitted = 0;
  int refused = 0;
};

void CutAndAsk(Random& random, bool wide, Asked& asked) {
  const std::size_t num_rows = wide ? 33'000 : 1 + random.Below(80);
  const testing::SmallTable table = RandomTable(random, num_rows, wide);
  const testing::CountedModel counted(table.data, RandomModels(random));
  const View view = View::All(table.data);
  const RankSpace space(view, {});
  ASSERT_EQ(space.narrow(), !wide);
  const GroupGate gate(view, counted.model, counted.counted);
  CutRows rows(space, gate);
  CutCounts counts(space, gate, rows);
  ASSERT_EQ(counts.usable(), rows.counted());

  std::vector<Place> places;
  for (Place place = 0; place < num_rows; ++place) {
    if (random.Below(4) > 0) places.push_back(place);
  }
  const std::vector<Place> bottom = places;
  ASSERT_EQ(rows.Push(bottom), 0U);
  std::size_t begin = rows.Push(places);
  for (int cut = 0; cut < (wide ? 3 : 12) && !places.empty(); ++cut) {
    ExpectRows(rows, space, gate, begin, places);
    counts.Begin(begin, places.size());
    const std::size_t q = random.Below(space.num_quasi());
    const auto draw = [&] { return static_cast<Rank>(random.Below(static_cast<std::uint64_t>(space.num_ranks(q)))); };
    Sides sides;
    Rank lo = 0;
    Rank hi = 0;
    for (int question = 0; question < 4; ++question) {  // the later ones of an attribute are answered by its table
      std::tie(lo, hi) = std::minmax({draw(), draw()});
      sides = SidesOf(space, places, q, lo, hi);
      if (!counts.usable() || sides.inside.empty() || sides.outside.empty()) continue;
      const bool inside = Admits(gate, sides.inside);
      const bool outside = Admits(gate, sides.outside);
      ASSERT_EQ(counts.AdmitsInside(q, lo, hi), inside);
      ASSERT_EQ(counts.AdmitsOutside(q, lo, hi), outside);
      ++asked.counted;
      asked.admitted += inside && outside ? 1 : 0;
      asked.refused += inside || outside ? 0 : 1;
    }
    std::vector<Place> ordered = places;
    ASSERT_EQ(rows.Order(begin, ordered, q, lo, hi), sides.inside.size());
    ASSERT_EQ(ordered, Joined(sides));
    ExpectRows(rows, space, gate, begin, places);  // which only Partition moves
    ASSERT_EQ(rows.Partition(begin, places, q, lo, hi), sides.inside.size());
    ASSERT_EQ(places, Joined(sides));
    ExpectRows(rows, space, gate, begin, places);
    if (random.Below(3) > 0) continue;
    // One side goes on as a copy on top, as sides of cuts that are followed do.
    const std::size_t top = rows.PushCopy(begin, sides.inside.size());
    ExpectRows(rows, space, gate, top, sides.inside);
    ExpectRows(rows, space, gate, begin, places);
    rows.Pop(top);
    if (sides.inside.empty()) continue;
    begin = rows.PushCopy(begin, sides.inside.size());
    places = sides.inside;
  }
  ExpectRows(rows, space, gate, 0, bottom);
  rows.Pop(0);
}

TEST(CutRowsProperty, CutsMoveWholeRowsAndSidesAreCountedAsTheModelCountsThem) {
  Asked asked;
  const int cases = SomeOrAll(300, 3000);
  for (int seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(static_cast<std::uint64_t>(seed));
    CutAndAsk(random, false, asked);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(asked.counted, cases);
  EXPECT_GT(asked.admitted, cases / 10);
  EXPECT_GT(asked.refused, cases / 10);
}

TEST(CutRowsProperty, RanksOfMoreThanFifteenBits) {
  Asked asked;
  for (int seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(static_cast<std::uint64_t>(seed));
    CutAndAsk(random, true, asked);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace cordon::engine
