// SPDX-License-Identifier: Apache-2.0
//
// BUREL on random small tables, compared with the definition of beta-likeness, and its buckets against all other ways to
// cut the values into runs.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "cordon/algorithms/buckets/burel.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/small_table.h"
#include "tests/models/random_cases.h"

namespace cordon::engine {
namespace {

using test::Between;
using testing::K;
using testing::SmallTable;
using Counts = std::vector<std::int64_t>;
using Kind = BetaLikenessSpec::Kind;

// The greatest share of something with share p, from the definition.
long double Bound(const BetaLikenessSpec& spec, long double p) {
  long double beta = static_cast<long double>(spec.beta.numerator()) / static_cast<long double>(spec.beta.denominator());
  if (spec.kind == Kind::kEnhanced) beta = std::min(beta, -std::log(p));
  return p * (1 + beta);
}

// Within rounding of the bound either answer is right here; the exact cases have tests of their own.
constexpr long double kBlur = 1e-12L;

Counts RandomCounts(Random& random, std::size_t most_values) {
  Counts counts;
  const std::int64_t most = Between(random, 1, 60);
  for (std::uint64_t i = 1 + random.Below(most_values); i > 0; --i)
    counts.push_back(random.Below(6) == 0 ? 0 : Between(random, 1, most));
  ++counts[0];
  return counts;
}

BetaLikenessSpec RandomSpec(Random& random) {
  return {"illness", Rational(Between(random, 1, 24), 4), random.Below(2) == 0 ? Kind::kBasic : Kind::kEnhanced};
}

TEST(BurelProperty, NoOtherCutIntoRunsHasFewerBuckets) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Counts counts = RandomCounts(random, 10);
    const BetaLikenessSpec spec = RandomSpec(random);
    const Rational margin(Between(random, 0, 5), 20);
    const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const BurelBuckets buckets(ShareLimits::Beta(spec, counts, rows), counts, margin);

    Counts sorted;
    for (const std::int64_t count : counts) {
      if (count > 0) sorted.push_back(count);
    }
    std::sort(sorted.begin(), sorted.end());
    const auto combinable = [&](std::size_t begin, std::size_t end) {
      const std::int64_t sum = std::accumulate(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                                               sorted.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{0});
      const long double share = static_cast<long double>(sum) / static_cast<long double>(rows);
      const long double limit = Bound(spec, static_cast<long double>(sorted[begin]) / static_cast<long double>(rows));
      return end - begin == 1 || share < (1 - static_cast<long double>(margin.ToDouble())) * limit - kBlur;
    };
    std::size_t fewest = sorted.size();  // over all sets of cuts
    for (std::uint32_t cuts = 0; cuts < 1u << (sorted.size() - 1); ++cuts) {
      std::size_t number = 0;
      bool possible = true;
      for (std::size_t begin = 0, end = 1; end <= sorted.size(); ++end) {
        if (end < sorted.size() && ((cuts >> (end - 1)) & 1) == 0) continue;
        possible = possible && combinable(begin, end);
        ++number;
        begin = end;
      }
      if (possible) fewest = std::min(fewest, number);
    }
    EXPECT_EQ(buckets.buckets().size(), fewest);

    // Runs in order of frequency, every value once.
    std::set<Code> seen;
    std::int64_t last = 0;
    for (const auto& bucket : buckets.buckets()) {
      for (const Code value : bucket.values) {
        EXPECT_TRUE(seen.insert(value).second);
        EXPECT_GE(counts[value], last);
        last = counts[value];
      }
    }
    EXPECT_EQ(seen.size(), sorted.size());
    EXPECT_TRUE(buckets.Eligible(buckets.sizes(), rows));  // the whole table always is
  }
}

// Whatever rows a group takes from a bucket, even all of its rarest value: no value exceeds its own bound.
TEST(BurelProperty, EligibleSizesAreSafeForAnyChoiceOfRows) {
  int eligible = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Counts counts = RandomCounts(random, 8);
    const BetaLikenessSpec spec = RandomSpec(random);
    const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const BurelBuckets buckets(ShareLimits::Beta(spec, counts, rows), counts, 0);
    BucketArray array;
    for (const std::int64_t size : buckets.sizes()) array.push_back(Between(random, 0, size));
    const std::int64_t taken = std::accumulate(array.begin(), array.end(), std::int64_t{0});
    if (taken == 0 || !buckets.Eligible(array, taken)) continue;
    ++eligible;
    for (std::size_t b = 0; b < array.size(); ++b) {
      for (const Code value : buckets.buckets()[b].values) {
        const long double q = static_cast<long double>(std::min(array[b], counts[value])) / static_cast<long double>(taken);
        EXPECT_LE(q, Bound(spec, static_cast<long double>(counts[value]) / static_cast<long double>(rows)) + kBlur);
      }
    }
  }
  EXPECT_GT(eligible, 200);
}

struct Tables {
  SmallTable table;
  std::vector<Code> illness;
};

Tables RandomTable(Random& random, const std::shared_ptr<const Domain>& domain, const Counts& counts) {
  std::vector<Code> illness;
  for (std::size_t code = 0; code < counts.size(); ++code) {
    illness.insert(illness.end(), static_cast<std::size_t>(counts[code]), static_cast<Code>(code));
  }
  random.Shuffle<Code>(illness);
  std::vector<Code> age;
  std::vector<Code> place;
  for (std::size_t row = 0; row < illness.size(); ++row) {
    age.push_back(static_cast<Code>(random.Below(12)));
    place.push_back(static_cast<Code>(random.Below(6)));
  }
  SmallTable table(illness.size());
  table.Add("age", Role::kQuasi, testing::Numbers(12), age).Add("place", Role::kQuasi, testing::Categories(6, 2), place);
  table.Add("illness", Role::kSensitive, domain, illness);
  return {std::move(table), illness};
}

// Every set of values that the spec names, as codes: single ones, runs, leaves under nodes.
std::vector<std::vector<Code>> SetsOf(const BetaLikenessSpec& spec, const Domain& domain) {
  std::vector<std::vector<Code>> sets;
  for (Code code = 0; code < domain.size(); ++code) sets.push_back({code});
  if (spec.range) {
    for (Code lo = 0; lo < domain.size(); ++lo) {
      for (Code hi = lo + 1; hi < domain.size() && Rational(hi - lo) <= *spec.range; ++hi) {
        std::vector<Code> run(static_cast<std::size_t>(hi - lo + 1));
        std::iota(run.begin(), run.end(), lo);
        sets.push_back(run);
      }
    }
  }
  if (spec.min_depth) {
    const Hierarchy& tree = *domain.hierarchy();
    for (NodeId node = 0; node < tree.num_nodes(); ++node) {
      int depth = 0;
      for (NodeId up = tree.parent(node); up >= 0; up = tree.parent(up)) ++depth;
      if (tree.is_leaf(node) || depth < *spec.min_depth) continue;
      std::vector<Code> leaves;
      for (Code leaf = 0; leaf < tree.num_leaves(); ++leaf) {
        for (NodeId up = tree.leaf_node(leaf); up >= 0; up = tree.parent(up)) {
          if (up == node) leaves.push_back(leaf);
        }
      }
      sets.push_back(leaves);
    }
  }
  return sets;
}

void ExpectLike(const BetaLikenessSpec& spec, const Domain& domain, const std::vector<Code>& illness,
                std::span<const RowId> group) {
  for (const std::vector<Code>& set : SetsOf(spec, domain)) {
    const auto inside = [&](Code code) { return std::find(set.begin(), set.end(), code) != set.end(); };
    const auto everywhere = static_cast<long double>(std::count_if(illness.begin(), illness.end(), inside));
    const auto here =
        static_cast<long double>(std::count_if(group.begin(), group.end(), [&](RowId row) { return inside(illness[row]); }));
    if (everywhere == 0) continue;
    EXPECT_LE(here / static_cast<long double>(group.size()),
              Bound(spec, everywhere / static_cast<long double>(illness.size())) + kBlur);
  }
}

TEST(BurelProperty, EveryGroupIsLikeTheTableByTheDefinition) {
  std::size_t many = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    Counts counts = RandomCounts(random, 8);
    BetaLikenessSpec spec = RandomSpec(random);
    std::shared_ptr<const Domain> domain = testing::Numbers(static_cast<Code>(counts.size()));
    if (seed % 3 == 1) spec.range = Rational(Between(random, 0, 7), 2);
    if (seed % 3 == 2) {
      domain = test::Tree(test::RandomTree(random, static_cast<int>(counts.size())).paths());
      spec.min_depth = Between(random, 0, 2);
    }
    const Tables each = RandomTable(random, domain, counts);
    const Microdata& data = each.table.data;
    if (data.num_rows < 2) continue;
    const View view = View::All(data);
    const Reference reference = ReferenceOf(data, view.rows());
    const AllOf rest = AllOf::Make(std::vector<ModelSpec>{K(2)}, reference).value();
    const CountedColumns counted(data, data.ColumnsOf(Role::kSensitive), true);
    const BurelOptions options{seed % 2 == 0 ? Neighbours::kHilbert : Neighbours::kExact, Rational(Between(random, 0, 3), 10)};
    const auto burel = [&](int threads) {
      Random own = Random::FromSeed(seed);
      return Burel(view, spec, rest, reference, counted, options, own, {.threads = threads}).value();
    };
    const Groups groups = burel(1);
    many += groups.size() > 3 ? 1 : 0;
    std::set<RowId> seen;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      for (const RowId row : groups[group]) EXPECT_TRUE(seen.insert(row).second);
      EXPECT_GE(groups[group].size(), 2u);
      ExpectLike(spec, *domain, each.illness, groups[group]);
    }
    EXPECT_EQ(seen.size(), data.num_rows);
    const Groups again = burel(3);
    EXPECT_EQ(again.rows, groups.rows);
    EXPECT_EQ(again.starts, groups.starts);
  }
  EXPECT_GT(many, 150u);
}

TEST(BurelProperty, ARangeOfZeroChangesNothing) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Counts counts = RandomCounts(random, 8);
    const Tables each = RandomTable(random, testing::Numbers(static_cast<Code>(counts.size())), counts);
    if (each.table.data.num_rows < 2) continue;
    const View view = View::All(each.table.data);
    const Reference reference = ReferenceOf(each.table.data, view.rows());
    const AllOf rest = AllOf::Make(std::vector<ModelSpec>{K(2)}, reference).value();
    const CountedColumns counted(each.table.data, each.table.data.ColumnsOf(Role::kSensitive), true);
    std::vector<Groups> groups;
    for (const bool range : {false, true}) {
      BetaLikenessSpec spec{"illness", 2, Kind::kEnhanced};
      if (range) spec.range = Rational(0);
      Random own = Random::FromSeed(seed);
      groups.push_back(Burel(view, spec, rest, reference, counted, {}, own, {}).value());
    }
    EXPECT_EQ(groups[0].rows, groups[1].rows);
    EXPECT_EQ(groups[0].starts, groups[1].starts);
  }
}

// DMondrian: with delta = ln(1 + min(beta, -ln of the greatest share)), rounded down, delta-disclosure implies enhanced
// beta-likeness, and every value is in every group.
TEST(BurelProperty, MondrianWithTheDerivedDeltaIsBetaLike) {
  std::size_t many = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Counts counts = {Between(random, 20, 60), Between(random, 20, 60), Between(random, 20, 60)};
    const Tables each = RandomTable(random, testing::Numbers(3), counts);
    const BetaLikenessSpec spec{"illness", Rational(Between(random, 1, 20), 4), Kind::kEnhanced};
    const double largest = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    const double surprise = -std::log(largest / static_cast<double>(each.illness.size()));
    const double delta = std::log(1 + std::min(spec.beta.ToDouble(), surprise));
    const DeltaDisclosureSpec disclosure{"illness", Rational(static_cast<std::int64_t>(std::floor(delta * 1e6)), 1'000'000)};
    const View view = View::All(each.table.data);
    const Reference reference = ReferenceOf(each.table.data, view.rows());
    const CountedColumns counted(each.table.data, each.table.data.ColumnsOf(Role::kSensitive), true);
    const AllOf model = AllOf::Make(std::vector<ModelSpec>{disclosure}, reference).value();
    const Groups groups = Mondrian(view, model, counted, {}, {}).value();
    many += groups.size() > 1 ? 1 : 0;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      ExpectLike(spec, *each.table.data.columns[2].attribute.domain, each.illness, groups[group]);
      std::set<Code> values;
      for (const RowId row : groups[group]) values.insert(each.illness[row]);
      EXPECT_EQ(values.size(), 3u);
    }
  }
  EXPECT_GT(many, 50u);
}

// With one column tried at a time the cuts do not depend on the model but for where they end. delta-disclosure refuses
// whatever beta-likeness refuses, so LMondrian goes on where DMondrian has stopped.
TEST(BurelProperty, LikenessCutsFurtherThanTheDerivedDisclosure) {
  std::size_t finer = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Counts counts = {Between(random, 20, 60), Between(random, 20, 60), Between(random, 20, 60)};
    const Tables each = RandomTable(random, testing::Numbers(3), counts);
    const double largest = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
    const double surprise = -std::log(largest / static_cast<double>(each.illness.size()));
    const View view = View::All(each.table.data);
    const Reference reference = ReferenceOf(each.table.data, view.rows());
    const CountedColumns counted(each.table.data, each.table.data.ColumnsOf(Role::kSensitive), true);
    const auto cut = [&](const ModelSpec& spec) {
      const AllOf model = AllOf::Make(std::vector<ModelSpec>{spec}, reference).value();
      return Mondrian(view, model, counted, {.dims = MondrianOptions::Dims::kWidestOnly}, {}).value();
    };
    std::vector<Groups> by_delta;
    for (const std::int64_t beta : {2, 4, 5}) {
      const double delta = std::log1p(std::min(static_cast<double>(beta), surprise));
      by_delta.push_back(
          cut(DeltaDisclosureSpec{"illness", Rational(static_cast<std::int64_t>(std::floor(delta * 1e6)), 1'000'000)}));
      const Groups by_beta = cut(BetaLikenessSpec{"illness", beta, Kind::kEnhanced});
      std::map<RowId, std::size_t> group_of;
      for (std::size_t group = 0; group < by_delta.back().size(); ++group) {
        for (const RowId row : by_delta.back()[group]) group_of[row] = group;
      }
      for (std::size_t group = 0; group < by_beta.size(); ++group) {
        for (const RowId row : by_beta[group]) EXPECT_EQ(group_of[row], group_of[by_beta[group][0]]);
      }
      finer += by_beta.size() > by_delta.back().size() ? 1 : 0;
    }
    EXPECT_EQ(by_delta[1].rows, by_delta[2].rows);  // beyond -ln of the greatest share a larger beta changes nothing
    EXPECT_EQ(by_delta[1].starts, by_delta[2].starts);
  }
  EXPECT_GT(finer, 50u);
}

// s rows a group on average are enough for every half to be eligible if s >= (1 + buckets * f) / (f - share) for every bucket.
TEST(BurelProperty, GroupsAreHalvedAsFarAsTheSlackGuarantees) {
  int halved_often = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    Counts counts = RandomCounts(random, 6);
    for (std::int64_t& count : counts) count *= Between(random, 20, 60);
    const BetaLikenessSpec spec = RandomSpec(random);
    const std::int64_t rows = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const BurelBuckets buckets(ShareLimits::Beta(spec, counts, rows), counts, Rational(1, 10));
    if (buckets.buckets().size() == 1) continue;
    long double enough = 1;
    for (const auto& bucket : buckets.buckets()) {
      const auto n = static_cast<long double>(rows);
      const long double limit = Bound(spec, static_cast<long double>(counts[bucket.values[0]]) / n);
      const auto number = static_cast<long double>(buckets.buckets().size());
      enough = std::max(enough, (1 + number * limit) / (limit - static_cast<long double>(bucket.rows) / n));
    }
    int depth = 0;
    while (static_cast<long double>(rows) / std::pow(2.0L, depth + 1) >= enough) ++depth;
    const HalvedBuckets halved = HalveBuckets(
        buckets.sizes(), 1, [&](const BucketArray& array, std::int64_t sum) { return buckets.Eligible(array, sum); });
    EXPECT_GE(halved.size(), std::size_t{1} << depth);
    halved_often += depth > 1 ? 1 : 0;
  }
  EXPECT_GT(halved_often, 50);
}

}  // namespace
}  // namespace cordon::engine
