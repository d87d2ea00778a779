// SPDX-License-Identifier: Apache-2.0
//
// Random tables: after every step, what the search counts is what all tuples of rows give, now and for every refinement left.
#include <gtest/gtest.h>

#include <random>

#include "tests/algorithms/tdssa/sequential_table.h"
#include "tests/some_or_all.h"

namespace cordon::engine::testing {
namespace {

const std::vector<std::string> kTree = {"a ab *", "b ab *", "c cd *", "d cd *"};
const std::vector<std::vector<std::string>> kLevels = {{"a", "ab", "*"}, {"b", "ab", "*"}, {"c", "cd", "*"}, {"d", "cd", "*"}};

struct Asked {
  JoinSpec spec;
  std::vector<Place> x;  // with all copies
  std::vector<Place> y;
  std::vector<std::pair<Place, std::string>> guarded;
  std::vector<Place> x_alone;  // of the current table
  bool alone = false;          // whether Y lies in the current table
};

struct RandomCase {
  std::mt19937_64 random;
  explicit RandomCase(std::uint64_t seed) : random(seed) {}
  std::size_t Below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); }

  SequentialTable Make(std::size_t num_previous, bool local, bool impossible) {
    const std::size_t people = 3 + Below(7);
    std::vector<std::string> current;
    std::vector<std::vector<std::string>> previous(num_previous);
    const std::size_t level = Below(3);
    for (std::size_t i = 0; i < people; ++i) {
      const std::size_t p = Below(4);
      const std::size_t q = Below(4);
      current.push_back(kLevels[p][0] + " " + kLevels[q][0] + " " + kLevels[Below(4)][0] + " s" + std::to_string(Below(2)));
      for (auto& rows : previous) {
        rows.push_back(kLevels[p][local ? Below(3) : level] + " " + kLevels[q][0] + " z" + std::to_string(Below(2)) + " t" +
                       std::to_string(Below(2)));
      }
    }
    SequentialTable table("p q j s", current);
    table.Tree("p", kTree).Tree("q", kTree).Tree("j", kTree);
    for (std::size_t i = 0; i < num_previous; ++i) {
      const std::string own = std::to_string(i + 1);
      table.Previous("p q z" + own + " t" + own, previous[i]);
    }
    if (impossible) table.Impossible("j", "z1", {{"a", "z0"}, {"b", "z0"}, {"c", "z1"}});
    return table;
  }
};

std::vector<Asked> Questions(std::size_t which) {
  const std::vector<Place> p = {{0, "p"}, {1, "p"}};
  const std::vector<Place> q = {{0, "q"}, {1, "q"}};
  std::vector<Place> x;
  std::string names;
  const auto add = [&](const std::string& name, const std::vector<Place>& places) {
    names += (names.empty() ? "" : " ") + name;
    x.insert(x.end(), places.begin(), places.end());
  };
  if (which % 4 != 0) add("p", p);
  if (which % 4 == 3) add("q", q);
  add("j", {{0, "j"}});
  if (which % 3 != 0) add("previous1.z1", {{1, "z1"}});
  std::vector<Place> alone;
  for (const Place& place : x) {
    if (place.first == 0) alone.push_back(place);
  }
  const Place s = {0, "s"};
  const Place t = {1, "t1"};
  return {{Persons(names, 1), x, {{0, "#k0"}}, {}, alone, true},
          {XyAnonymitySpec{.x = Refs(names), .count = XyAnonymitySpec::Count::kPreviousRows, .y = {}, .previous = 1, .k = 1},
           x,
           {{1, "#k1"}},
           {},
           alone,
           false},
          {Different(names, "s", 1), x, {s}, {}, alone, true},
          {Different(names, "previous1.t1", 1), x, {t}, {}, alone, false},
          {Different(names, "s previous1.t1", 1), x, {s, t}, {}, alone, false},
          {Share(names, "s", {"s1"}, Rational(1)), x, {}, {{s, "s1"}}, alone, true},
          {Share(names, "previous1.t1", {"t0", "t1"}, Rational(1)), x, {}, {{t, "t0"}, {t, "t1"}}, alone, false}};
}

std::string Truth(const OracleJoin& join, const std::vector<OracleTable>& tables, const Asked& asked) {
  if (asked.guarded.empty()) {
    const std::int64_t least = LeastDistinct(join, tables, asked.x, asked.y);
    return std::to_string(least < 0 ? std::numeric_limits<std::int64_t>::max() : least);  // nothing joins, nothing is told
  }
  const Fraction share = GreatestShare(join, tables, asked.x, asked.guarded);
  const std::int64_t common = std::max<std::int64_t>(1, std::gcd(share.above, share.below));
  return std::to_string(share.above / common) + "/" + std::to_string(share.below / common);
}

std::string Text(const Bound& bound, const Asked& asked) {
  if (asked.guarded.empty()) return std::to_string(bound.above);
  const std::int64_t common = std::max<std::int64_t>(1, std::gcd(bound.above, bound.below));
  return std::to_string(bound.above / common) + "/" + std::to_string(bound.below / common);
}

TEST(TdssaProperty, EveryStepIsAsTheTuplesSay) {
  for (std::uint64_t seed = 0; seed < SomeOrAll(40u, 150u); ++seed) {
    SCOPED_TRACE(seed);
    RandomCase random(seed);
    const std::size_t num_previous = seed % 7 == 0 ? 2 : 1;
    SequentialTable table = random.Make(num_previous, seed % 2 == 0, seed % 3 == 0);
    std::vector<Asked> asked = Questions(seed);
    if (num_previous == 2) {  // columns that all releases have, with all copies
      for (Asked& each : asked) {
        for (const std::string name : {"p", "q"}) {
          if (std::find(each.x.begin(), each.x.end(), Place{1, name}) != each.x.end()) each.x.emplace_back(2, name);
        }
      }
    }
    for (const Asked& each : asked) table.Ask(each.spec);
    if (seed % 5 == 0) table.OnlyX();
    auto made = table.Search({}, seed % 2 == 0 ? 2 : 1);
    ASSERT_TRUE(made.ok());
    TopDown& search = *made.value();
    const OracleJoin join = table.Oracle();
    std::vector<OracleTable> tables = table.OracleTables();
    const OracleTable raw = tables[0];
    while (true) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        SCOPED_TRACE(Describe(asked[i].spec));
        tables[0] = Shown(search, raw);
        const std::string now = Truth(join, tables, asked[i]);
        EXPECT_EQ(Text(search.state_reached(i).bound, asked[i]), now);
        for (std::size_t a = 0; a < search.num_attributes(); ++a) {
          for (const int node : search.attribute(a).Refinements()) {
            const Refinement refinement{a, node};
            tables[0] = Shown(search, raw, &refinement);
            EXPECT_EQ(Text(search.state_requirement(i).After(search, refinement).bound, asked[i]),
                      Truth(join, tables, asked[i]));
          }
        }
      }
      const auto best = search.Best();
      if (!best) break;
      search.Apply(*best);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Whatever the search is asked to keep holds at its end, on the join and on the table alone, and nothing more could be refined.
TEST(TdssaProperty, TheEndHoldsAndIsMaximal) {
  int refined = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase random(seed);
    SequentialTable table = random.Make(1, seed % 2 == 0, false);
    const std::vector<Asked> all = Questions(seed);
    Asked asked = all[seed % all.size()];
    if (auto* anonymity = std::get_if<XyAnonymitySpec>(&asked.spec)) anonymity->k = 2;
    if (auto* linkability = std::get_if<XyLinkabilitySpec>(&asked.spec)) linkability->h = Rational(2, 3);
    table.Ask(asked.spec);
    auto made = table.Search();
    if (!made.ok()) continue;
    TopDown& search = *made.value();
    ASSERT_TRUE(search.ToTheEnd({}).ok());
    refined += search.num_refinements() > 0 ? 1 : 0;
    const OracleJoin join = table.Oracle();
    const OracleTable raw = table.OracleTables()[0];
    const auto holds = [&](const OracleTable& shown) {
      std::vector<OracleTable> tables = table.OracleTables();
      tables[0] = shown;
      const std::vector<OracleTable> alone = {shown};
      if (asked.guarded.empty()) {
        return LeastDistinct(join, tables, asked.x, asked.y) >= 2 &&
               (!asked.alone || LeastDistinct(join, alone, asked.x_alone, asked.y) >= 2);
      }
      const auto enough = [](const Fraction& share) { return share.above * 3 <= share.below * 2; };
      return enough(GreatestShare(join, tables, asked.x, asked.guarded)) &&
             (!asked.alone || enough(GreatestShare(join, alone, asked.x_alone, asked.guarded)));
    };
    EXPECT_TRUE(holds(Shown(search, raw)));
    for (std::size_t a = 0; a < search.num_attributes(); ++a) {
      for (const int node : search.attribute(a).Refinements()) {
        const Refinement refinement{a, node};
        EXPECT_FALSE(holds(Shown(search, raw, &refinement)));
      }
    }
  }
  EXPECT_GT(refined, 50);
}

}  // namespace
}  // namespace cordon::engine::testing
