// SPDX-License-Identifier: Apache-2.0
//
// The distance against the definition: the cheapest way to move mass, found by min-cost flow.
#include "cordon/models/admit/emd.h"

#include <gtest/gtest.h>

#include "cordon/models/admit/emd_to_reference.h"
#include "cordon/models/verify/verifier.h"
#include "tests/models/cheapest_move.h"
#include "tests/models/random_cases.h"

namespace cordon::engine::test {
namespace {

struct Case {
  DomainPtr domain;
  Counts group;
  Counts whole;  // the group's rows included, as the verifier sees it
};

Case RandomCase(std::uint64_t seed, bool tree) {
  Random random = Random::FromSeed(seed);
  const int m = static_cast<int>(Between(random, 1, 7));
  Case made;
  made.domain = tree ? Tree(RandomTree(random, m).paths()) : Numbers(1, m);
  for (int i = 0; i < m; ++i) {
    made.group.push_back(Between(random, 0, 5));
    made.whole.push_back(made.group.back() + Between(random, 0, 9));
  }
  // Leaves are numbered by the hierarchy; any order of counts is as random as another.
  ++made.group[0];
  ++made.whole[0];
  return made;
}

std::int64_t TotalOf(const Counts& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return sum;
}

std::string ValueText(const Domain& domain, Code code) {
  return domain.is_categorical() ? std::string(domain.hierarchy()->label(domain.hierarchy()->leaf_node(code)))
                                 : domain.FormatValue(domain.value(code));
}

// The verifier's answer for the group alone, as a separate fraction: the other rows form a second group.
double JudgedDistance(const Case& each, Distance distance) {
  TestColumn quasi{"q", Role::kQuasi, Numbers(0, 1), {}};
  TestColumn sensitive{"s", Role::kSensitive, each.domain, {}};
  for (std::size_t i = 0; i < each.whole.size(); ++i) {
    for (std::int64_t row = 0; row < each.whole[i]; ++row) {
      quasi.cells.push_back(row < each.group[i] ? "0" : "1");
      sensitive.cells.push_back(ValueText(*each.domain, static_cast<Code>(i)));
    }
  }
  const Release release = BuildRelease({quasi, sensitive});
  const Verifier verifier({TClosenessSpec{"s", 1, distance}}, {.exempt_suppressed = false, .keep_per_group = true});
  const std::vector<Verdict> verdicts = verifier.Judge(release, cordon::engine::Run{}).value();
  return verdicts[0].per_group[0];  // row 1 is in the group: it has a row of the first value
}

// From the values that the group has alone.
Int128 ListedCost(const Case& each, const EarthMover& mover) {
  std::vector<ValueCount> listed;
  for (std::size_t i = 0; i < each.group.size(); ++i) {
    if (each.group[i] > 0) listed.push_back({static_cast<Code>(i), static_cast<std::uint32_t>(each.group[i])});
  }
  const EmdToReference distance(mover, each.whole, TotalOf(each.whole));
  return distance.Cost(ValueHistogram(std::span<const ValueCount>(listed)), TotalOf(each.group));
}

void ExpectCheapest(const Case& each, Distance distance, const Ground& ground, std::int64_t ground_scale) {
  const std::int64_t cheapest = CheapestMove(each.group, each.whole, ground);
  const EarthMover mover = EarthMover::Make(*each.domain, distance).value();
  const std::int64_t group_rows = TotalOf(each.group);
  const std::int64_t whole_rows = TotalOf(each.whole);
  const Int128 cost = mover.Cost(each.group, group_rows, each.whole, whole_rows);
  EXPECT_TRUE(cost * ground_scale == static_cast<Int128>(cheapest) * mover.scale());
  EXPECT_TRUE(cost == ListedCost(each, mover));
  const double expected = static_cast<double>(cheapest) / static_cast<double>(ground_scale * group_rows * whole_rows);
  EXPECT_NEAR(JudgedDistance(each, distance), expected, 1e-14);
  EXPECT_LE(expected, 1.0);
}

TEST(EarthMover, OrderedIsTheCheapestMove) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, false);
    ExpectCheapest(
        each, Distance::kOrdered, [](Code i, Code j) { return std::abs(i - j); },
        std::max<std::int64_t>(each.domain->size() - 1, 1));
  }
}

TEST(EarthMover, EqualIsTheCheapestMove) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    ExpectCheapest(RandomCase(seed, seed % 2 == 0), Distance::kEqual, [](Code i, Code j) { return i == j ? 0 : 1; }, 1);
  }
}

TEST(EarthMover, HierarchicalIsTheCheapestMoveAlsoOnUnbalancedTreesAndChains) {
  int unbalanced = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed, true);
    const Hierarchy& tree = *each.domain->hierarchy();
    for (NodeId node = 1; node < tree.num_nodes(); ++node) {
      ASSERT_LT(tree.height(node), tree.height(tree.parent(node)));
      unbalanced += tree.height(tree.parent(node)) - tree.height(node) > 1 ? 1 : 0;
    }
    const Ground ground = [&](Code i, Code j) { return tree.height(tree.Lca(std::min(i, j), std::max(i, j))); };
    ExpectCheapest(each, Distance::kHierarchical, ground, std::max(tree.height(), 1));
  }
  EXPECT_GT(unbalanced, 100);  // the cases are what they claim to be
}

TEST(EarthMover, LargeTablesDoNotOverflow) {
  // Everything at one end against everything at the other: distance 1, with the largest counts there may be.
  const std::int64_t most = (std::int64_t{1} << 32) - 1;
  const Counts group = {most, 0, 0};
  const Counts whole = {0, 0, most};
  for (const Distance distance : {Distance::kOrdered, Distance::kEqual}) {
    const EarthMover mover = EarthMover::Make(*Numbers(1, 3), distance).value();
    EXPECT_TRUE(mover.Cost(group, most, whole, most) == static_cast<Int128>(most) * most * mover.scale());
    EXPECT_TRUE(ListedCost({Numbers(1, 3), group, whole}, mover) == static_cast<Int128>(most) * most * mover.scale());
  }
}

// Few values of very many, in a whole that has most of them: against all values counted.
TEST(EarthMover, FewOfManyValuesCostWhatAllOfThemDo) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const int m = static_cast<int>(Between(random, 600, 3000));
    for (const Distance distance : {Distance::kOrdered, Distance::kEqual, Distance::kHierarchical}) {
      Case each;
      each.domain = distance == Distance::kHierarchical ? Tree(RandomTree(random, m).paths()) : Numbers(1, m);
      each.group.resize(static_cast<std::size_t>(m));
      for (std::int64_t row = Between(random, 1, 40); row > 0; --row) {
        ++each.group[random.Below(random.Below(2) == 0 ? static_cast<std::uint64_t>(m) : 20)];
      }
      for (const std::int64_t count : each.group) each.whole.push_back(count + Between(random, 0, 2));
      const EarthMover mover = EarthMover::Make(*each.domain, distance).value();
      EXPECT_TRUE(mover.Cost(each.group, TotalOf(each.group), each.whole, TotalOf(each.whole)) == ListedCost(each, mover));
    }
  }
}

TEST(EarthMover, HierarchicalWantsCategories) {
  const auto made = EarthMover::Make(*Numbers(1, 3), Distance::kHierarchical);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().kind(), ErrorKind::kInvalidPolicy);
}

}  // namespace
}  // namespace cordon::engine::test
