// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "tests/algorithms/ke/ke_baselines.h"
#include "tests/algorithms/ke/ke_incremental.h"
#include "tests/algorithms/ke/ke_oracle.h"

namespace cordon::engine {
namespace {

using testing::AxisOf;
using testing::BruteForce;
using testing::EachGrouping;
using testing::GroupsOfCut;
using testing::IsGroup;
using testing::KeModel;
using testing::Values;
using testing::Width;

struct Instance {
  Values values;
  KeRequirement requirement;
};

// Up to `most` whole numbers below `range`: many ties if the range is small.
Instance Draw(std::uint64_t seed, std::size_t most, std::uint64_t range) {
  Random random = Random::FromSeed(seed);
  Instance made;
  made.requirement = {2 + static_cast<std::int64_t>(random.Below(4)), static_cast<std::int64_t>(random.Below(12))};
  const std::uint64_t spread = 2 + random.Below(range);
  const std::size_t size = 1 + random.Below(most);
  for (std::size_t i = 0; i < size; ++i) made.values.push_back(static_cast<std::int64_t>(random.Below(spread)) - 20);
  return made;
}

Values Sorted(Values values) {
  std::sort(values.begin(), values.end());
  return values;
}

TEST(KeProperty, TheOptimumIsThatOfAllGroupings) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Instance c = Draw(seed, 8, 30);
    c.requirement.k = 2 + static_cast<std::int64_t>(seed % 2);
    const testing::LeastErrors least = BruteForce(c.values, c.requirement);
    const auto by_sum = CutBySum(AxisOf(c.values), c.requirement);
    const auto by_max = CutByMax(AxisOf(c.values), c.requirement);
    ASSERT_EQ(by_sum.has_value(), least.sum.has_value());
    ASSERT_EQ(by_max.has_value(), least.max.has_value());
    if (!by_sum) continue;
    EXPECT_EQ(by_sum->sum_error, *least.sum);
    EXPECT_GE(by_max->max_error, *least.max);
    EXPECT_LE(by_max->max_error, 2 * *least.max);
  }
}

// Every way to cut a sorted list into runs.
std::optional<std::int64_t> LeastMaxOfRuns(const Values& sorted, const KeRequirement& requirement) {
  std::optional<std::int64_t> least;
  for (std::uint32_t cuts = 0; cuts < (1u << (sorted.size() - 1)); ++cuts) {
    std::int64_t max = 0;
    bool valid = true;
    Values group;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      group.push_back(sorted[i]);
      if (i + 1 < sorted.size() && (cuts >> i & 1) == 0) continue;
      valid &= IsGroup(group, requirement);
      max = std::max(max, Width(group));
      group.clear();
    }
    if (valid && (!least || max < *least)) least = max;
  }
  return least;
}

TEST(KeProperty, MaxErrorIsTheLeastOfAllRuns) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Instance c = Draw(seed + 7000, 10, 40);
    const auto cut = CutByMax(AxisOf(c.values), c.requirement);
    const auto least = LeastMaxOfRuns(Sorted(c.values), c.requirement);
    ASSERT_EQ(cut.has_value(), least.has_value());
    if (cut) {
      EXPECT_EQ(cut->max_error, *least);
    }
  }
}

TEST(KeProperty, TheLinearTableIsTheQuadraticOne) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    const Instance c = Draw(seed, 60, 80);
    const Values sorted = Sorted(c.values);
    const KeTable fast = FillKeTable(sorted, c.requirement);
    const KeTable slow = FillKeTableQuadratically(sorted, c.requirement);
    ASSERT_EQ(fast.cost, slow.cost);
    ASSERT_EQ(fast.start, slow.start);
    ASSERT_EQ(fast.latest, slow.latest);
    for (std::size_t i = 1; i < fast.latest.size(); ++i) {
      ASSERT_GE(fast.latest[i], fast.latest[i - 1]);
      if (fast.start[i] == 0) continue;
      ASSERT_LE(fast.start[i], fast.latest[i]);
      ASSERT_GT(fast.start[i], fast.latest[fast.latest[i] - 1]);  // a later start always does as well
    }
  }
}

TEST(KeProperty, CutsArePartitionsIntoGroupsThatCostWhatTheySay) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const Instance c = Draw(seed + 100, 80, 60);
    const KeAxis axis = AxisOf(c.values);
    const KeTable table = FillKeTable(Sorted(c.values), c.requirement);
    for (const auto& cut : {CutBySum(axis, c.requirement), CutByMax(axis, c.requirement)}) {
      ASSERT_EQ(cut.has_value(), IsGroup(c.values, c.requirement));
      if (!cut) continue;
      ASSERT_EQ(cut->starts.front(), 0u);
      ASSERT_EQ(cut->starts.back(), c.values.size());
      std::int64_t sum = 0;
      std::int64_t max = 0;
      for (const Values& group : GroupsOfCut(c.values, *cut)) {
        ASSERT_TRUE(IsGroup(group, c.requirement));
        sum += Width(group);
        max = std::max(max, Width(group));
      }
      ASSERT_EQ(cut->sum_error, sum);
      ASSERT_EQ(cut->max_error, max);
    }
    if (table.start.back() != 0) {
      const auto by_sum = CutBySum(axis, c.requirement);
      ASSERT_EQ(by_sum->sum_error, table.cost.back());  // two copies a value do as well as all
      std::size_t groups = 0;
      for (std::size_t end = c.values.size(); end > 0; end = table.start[end] - 1) ++groups;
      ASSERT_EQ(by_sum->size(), groups);
      ASSERT_LE(CutByMax(axis, c.requirement)->max_error, by_sum->max_error);
    }
  }
}

TEST(KeProperty, AppendingEqualsStartingOver) {
  std::size_t stopped_early = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const Instance c = Draw(seed + 5000, 120, seed % 3 == 0 ? 60 : 2000);
    IncrementalKe incremental(c.requirement);
    Values list;
    std::optional<std::int64_t> before = 0;
    for (const std::int64_t value : c.values) {
      const bool present = std::find(list.begin(), list.end(), value) != list.end();
      const KeTable old = FillKeTable(list, c.requirement);
      const std::optional<std::int64_t> two_sided = CostOfAppendTwoSided(list, c.requirement, value);
      const KeAppended coupled = AppendToList(list, old, c.requirement, value, StopRule::kCoupled);
      list = coupled.values;
      stopped_early += coupled.stopped < list.size() ? 1 : 0;
      const KeTable fresh = FillKeTable(list, c.requirement);
      ASSERT_EQ(coupled.table.cost, fresh.cost);
      ASSERT_EQ(coupled.table.start, fresh.start);
      incremental.Append(value);
      const auto cost = fresh.start.back() == 0 ? std::optional<std::int64_t>() : std::optional(fresh.cost.back());
      ASSERT_EQ(incremental.least_error(), cost);
      ASSERT_EQ(two_sided, cost);
      if (present && before) {
        ASSERT_EQ(cost, before);
      }
      before = cost;
    }
    const auto cut = CutBySum(AxisOf(list), c.requirement);
    const auto kept = incremental.Cut();
    ASSERT_EQ(kept.has_value(), cut.has_value());
    if (cut) {
      ASSERT_EQ(kept->starts, cut->starts);
    }
    ASSERT_EQ(incremental.axis().values, AxisOf(list).values);
    ASSERT_EQ(incremental.axis().counts, AxisOf(list).counts);
  }
  EXPECT_GT(stopped_early, 1000u);
}

// Many chunks, starting from a bulk load: the lazy shifts must add up.
TEST(KeProperty, AppendingEqualsStartingOverAcrossChunks) {
  Random random = Random::FromSeed(3);
  for (const KeRequirement requirement : {KeRequirement{3, 40}, KeRequirement{5, 4000}, KeRequirement{2, 0}}) {
    std::map<std::int64_t, std::int64_t> rows;
    const auto draw = [&] { return static_cast<std::int64_t>(random.Below(200'000)); };
    for (int i = 0; i < 9000; ++i) ++rows[draw()];
    const auto axis = [&] {
      KeAxis made;
      for (const auto& [value, count] : rows) {
        made.values.push_back(value);
        made.counts.push_back(count);
      }
      return made;
    };
    IncrementalKe incremental(axis(), requirement);
    std::size_t computed = 0;
    for (int i = 0; i < 4000; ++i) {
      const std::int64_t value = i % 50 == 0 ? 150'000 + i : draw();
      ++rows[value];
      computed += incremental.Append(value);
      if (i % 200 != 199) continue;
      const KeCut fresh = CutBySum(axis(), requirement).value();
      ASSERT_EQ(incremental.least_error(), fresh.sum_error);
      ASSERT_EQ(incremental.Cut()->starts, fresh.starts);
    }
    EXPECT_LT(computed, requirement.e > 1000 ? 4000u * 9000u : 4000u * 100u);  // and it did stop early
  }
}

TEST(KeProperty, CoverIsWithinTwiceTheOptimum) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const Instance c = Draw(seed + 900, 40, 300);
    const KeAxis axis = AxisOf(c.values);
    const auto cut = CutBySum(axis, c.requirement);
    const auto cover = CoverCost(axis.values, c.requirement);
    ASSERT_EQ(cover.has_value(), cut.has_value());
    if (!cut) continue;
    EXPECT_GE(*cover, cut->sum_error);
    EXPECT_LE(*cover, 2 * cut->sum_error);
  }
}

TEST(KeProperty, ShiftScaleAndStricterRequirements) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Instance c = Draw(seed + 40, 60, 100);
    const auto cut = CutBySum(AxisOf(c.values), c.requirement);
    Values moved = c.values;
    Values scaled = c.values;
    for (std::int64_t& value : moved) value -= 12345;
    for (std::int64_t& value : scaled) value *= 7;
    const auto cut_moved = CutBySum(AxisOf(moved), c.requirement);
    const auto cut_scaled = CutBySum(AxisOf(scaled), {c.requirement.k, c.requirement.e * 7});
    const auto more_k = CutBySum(AxisOf(c.values), {c.requirement.k + 1, c.requirement.e});
    const auto more_e = CutBySum(AxisOf(c.values), {c.requirement.k, c.requirement.e + 3});
    ASSERT_EQ(cut.has_value(), cut_moved.has_value());
    if (!cut) continue;
    EXPECT_EQ(cut->starts, cut_moved->starts);
    EXPECT_EQ(cut->starts, cut_scaled->starts);
    EXPECT_EQ(cut->sum_error * 7, cut_scaled->sum_error);
    if (more_k) {
      EXPECT_GE(more_k->sum_error, cut->sum_error);
    }
    if (more_e) {
      EXPECT_GE(more_e->sum_error, cut->sum_error);
    }
  }
}

// An appended value costs at most its distance from the nearest group.
TEST(KeProperty, AnAppendCostsAtMostTheDistanceToTheNearestGroup) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const Instance c = Draw(seed + 333, 40, 400);
    const auto cut = CutBySum(AxisOf(c.values), c.requirement);
    if (!cut) continue;
    const std::int64_t value = static_cast<std::int64_t>(Random::FromSeed(seed).Below(500)) - 60;
    std::int64_t distance = KeTable::kInfinite;
    for (const Values& group : GroupsOfCut(c.values, *cut)) {
      distance = std::min(distance, std::max<std::int64_t>({0, group.front() - value, value - group.back()}));
    }
    IncrementalKe incremental(AxisOf(c.values), c.requirement);
    incremental.Append(value);
    EXPECT_LE(incremental.least_error().value() - cut->sum_error, distance);
  }
}

Rational ShareOf(const Values& group) {
  std::map<std::int64_t, std::int64_t> counts;
  std::int64_t most = 0;
  for (const std::int64_t value : group) most = std::max(most, ++counts[value]);
  return Rational(most, static_cast<std::int64_t>(group.size()));
}

TEST(KeProperty, TheShareGuardHoldsOrNothingCouldHold) {
  std::size_t merged = 0;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    SCOPED_TRACE(seed);
    const Instance c = Draw(seed + 11, 60, 25);
    const KeAxis axis = AxisOf(c.values);
    const Rational share(1 + static_cast<std::int64_t>(seed % 4), 6);
    const auto objective = seed % 2 == 0 ? KeAnonymitySpec::Objective::kSum : KeAnonymitySpec::Objective::kMax;
    const auto cut = CutBySum(axis, c.requirement);
    if (!cut) continue;
    const auto limited = LimitShare(axis, *cut, share, objective);
    // A union passes if its parts pass: something can hold exactly if all rows together do.
    ASSERT_EQ(limited.has_value(), ShareOf(c.values) <= share);
    if (!limited) continue;
    merged += limited->size() < cut->size() ? 1 : 0;
    Rational greatest(0);
    std::int64_t sum = 0;
    for (const Values& group : GroupsOfCut(c.values, *limited)) {
      ASSERT_TRUE(IsGroup(group, c.requirement));
      ASSERT_LE(ShareOf(group), share);
      greatest = std::max(greatest, ShareOf(group));
      sum += Width(group);
    }
    ASSERT_EQ(limited->sum_error, sum);
    ASSERT_EQ(GreatestShare(axis, *limited), greatest);
  }
  EXPECT_GT(merged, 20u);
}

TEST(KeProperty, RowsAreOrderedByValueThenRow) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random = Random::FromSeed(seed);
    Values values;
    const std::uint64_t wide = seed % 2 == 0 ? 50 : static_cast<std::uint64_t>(kKeLargest);
    for (int i = 0; i < 500; ++i) {
      const std::int64_t value = static_cast<std::int64_t>(random.Below(wide));
      values.push_back(random.Below(2) == 0 ? value : -value);
    }
    const KeOrder order = OrderByValue(values);
    std::vector<RowId> expected(values.size());
    for (RowId row = 0; row < expected.size(); ++row) expected[row] = row;
    std::stable_sort(expected.begin(), expected.end(), [&](RowId a, RowId b) { return values[a] < values[b]; });
    ASSERT_EQ(order.rows, expected);
  }
}

TEST(KeProperty, GroupsOfRowsAreTheCutOfTheirValues) {
  Random random = Random::FromSeed(5);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Instance c = Draw(seed, 60, 40);
    const auto groups = Ke(c.values, 0, KeModel(c.requirement.k, c.requirement.e), random);
    ASSERT_EQ(groups.ok(), IsGroup(c.values, c.requirement));
    if (!groups.ok()) {
      EXPECT_EQ(groups.error().kind(), ErrorKind::kUnsatisfiable);
      continue;
    }
    std::vector<bool> seen(c.values.size());
    std::int64_t sum = 0;
    for (std::size_t g = 0; g < groups.value().size(); ++g) {
      Values group;
      for (std::uint64_t at = groups.value().starts[g]; at < groups.value().starts[g + 1]; ++at) {
        const RowId row = groups.value().rows[at];
        ASSERT_FALSE(seen[row]);
        seen[row] = true;
        group.push_back(c.values[row]);
      }
      ASSERT_TRUE(IsGroup(group, c.requirement));
      sum += Width(group);
    }
    ASSERT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(seen.size()));
    ASSERT_EQ(sum, groups.value().sum_error);
  }
}

}  // namespace
}  // namespace cordon::engine
