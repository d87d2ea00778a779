// SPDX-License-Identifier: Apache-2.0
//
// SABRE on random small tables, compared with the definition of the earth mover's distance by min-cost flow, and the bounds
// it rests on against all that they claim.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "cordon/algorithms/buckets/sabre.h"
#include "cordon/algorithms/buckets/sabre_tree.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/small_table.h"
#include "tests/models/cheapest_move.h"
#include "tests/models/random_cases.h"

namespace cordon::engine {
namespace {

using test::Between;
using test::CheapestMove;
using test::Counts;
using test::Ground;
using testing::K;
using testing::SmallTable;

struct Case {
  std::shared_ptr<const Domain> domain;
  Distance distance = Distance::kOrdered;
  Ground ground;
  std::int64_t ground_scale = 1;
  Counts counts;  // by code; some zero
};

Case RandomCase(Random& random) {
  Case made;
  const auto size = static_cast<Code>(Between(random, 1, 7));
  made.distance = static_cast<Distance>(random.Below(3));
  if (made.distance == Distance::kHierarchical) {
    made.domain = test::Tree(test::RandomTree(random, size).paths());
    const auto tree = made.domain->hierarchy();
    made.ground = [tree](Code i, Code j) { return tree->height(tree->Lca(std::min(i, j), std::max(i, j))); };
    made.ground_scale = std::max(tree->height(), 1);
  } else {
    made.domain = testing::Numbers(size);
    const bool ordered = made.distance == Distance::kOrdered;
    made.ground = [ordered](Code i, Code j) -> std::int64_t { return ordered ? std::abs(i - j) : (i == j ? 0 : 1); };
    made.ground_scale = ordered ? std::max<std::int64_t>(size - 1, 1) : 1;
  }
  const std::int64_t most = Between(random, 1, 40);
  for (Code code = 0; code < size; ++code) made.counts.push_back(random.Below(5) == 0 ? 0 : Between(random, 0, most));
  ++made.counts[random.Below(made.counts.size())];
  return made;
}

std::int64_t Sum(std::span<const std::int64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

Rational RandomT(Random& random) { return Rational(Between(random, 0, 20), 20); }
SabreBound RandomBound(Random& random) { return random.Below(2) == 0 ? SabreBound::kThesis : SabreBound::kTight; }

TEST(SabreProperty, BucketsPartitionTheValuesAndAreAsWideAsTheirWorstCase) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Case each = RandomCase(random);
    const Rational t = RandomT(random);
    const SabreBuckets tight(*each.domain, each.distance, each.counts, t, SabreBound::kTight);
    const std::int64_t rows = Sum(each.counts);
    Code next = 0;
    Int128 worst = 0;  // of the definition: all rows of a bucket at one of its values, whichever is worst
    for (const auto& bucket : tight.buckets()) {
      for (; next < bucket.first; ++next) EXPECT_EQ(each.counts[next], 0);
      std::int64_t bucket_rows = 0;
      std::int64_t most = 0;
      for (Code at = bucket.first; at <= bucket.last; ++at) {
        bucket_rows += each.counts[at];
        std::int64_t moved = 0;
        for (Code from = bucket.first; from <= bucket.last; ++from) moved += each.ground(from, at) * each.counts[from];
        if (each.counts[at] > 0) most = std::max(most, moved);
      }
      EXPECT_EQ(bucket.rows, bucket_rows);
      worst += most;
      next = bucket.last + 1;
    }
    for (; next < each.domain->size(); ++next) EXPECT_EQ(each.counts[next], 0);
    EXPECT_TRUE(tight.worst() * each.ground_scale == worst * tight.unit());
    // Split until U < t, or to single values.
    const bool below = tight.worst() * t.denominator() < static_cast<Int128>(t.numerator()) * tight.unit() * rows;
    EXPECT_TRUE(below || tight.worst() == 0);
    // The thesis' bound is never below the true one.
    const SabreBuckets one_tight(*each.domain, each.distance, each.counts, 1, SabreBound::kTight);
    const SabreBuckets one_thesis(*each.domain, each.distance, each.counts, 1, SabreBound::kThesis);
    if (one_tight.buckets().size() == one_thesis.buckets().size()) {
      EXPECT_TRUE(one_tight.worst() <= one_thesis.worst());
    }
  }
}

// D by min-cost flow between buckets, each move at the largest distance of values that somebody has.
std::int64_t SlowImbalance(const Case& each, const SabreBuckets& buckets, const BucketArray& array) {
  const auto farthest = [&](Code i, Code j) -> std::int64_t {
    if (i == j) return 0;
    std::int64_t most = 0;
    for (Code a = buckets.buckets()[i].first; a <= buckets.buckets()[i].last; ++a) {
      for (Code b = buckets.buckets()[j].first; b <= buckets.buckets()[j].last; ++b) {
        if (each.counts[a] > 0 && each.counts[b] > 0) most = std::max(most, each.ground(a, b));
      }
    }
    return most;
  };
  return CheapestMove(array, buckets.sizes(), farthest);
}

TEST(SabreProperty, AnyGroupIsWithinImbalancePlusWorstCase) {
  int strict = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Case each = RandomCase(random);
    const Rational t = RandomT(random);
    const SabreBuckets buckets(*each.domain, each.distance, each.counts, t, RandomBound(random));
    const std::vector<std::uint32_t> bucket_of = buckets.bucket_of_code();
    Counts group;  // any rows at all, or as uneven inside the buckets as can be
    const bool uneven = random.Below(2) == 0;
    for (const std::int64_t count : each.counts)
      group.push_back(uneven && random.Below(2) == 0 ? 0 : Between(random, 0, count));
    const std::int64_t rows = Sum(group);
    if (rows == 0) continue;
    BucketArray array(buckets.buckets().size());
    for (std::size_t code = 0; code < group.size(); ++code) array[bucket_of[code]] += group[code];
    const std::int64_t table_rows = Sum(each.counts);
    const Int128 imbalance = buckets.Imbalance(array, rows);
    EXPECT_TRUE(imbalance * each.ground_scale == static_cast<Int128>(SlowImbalance(each, buckets, array)) * buckets.unit());
    // EMD = moved / (ground_scale rows table_rows) <= D + U.
    const Int128 moved = CheapestMove(group, each.counts, each.ground);
    EXPECT_TRUE(moved * buckets.unit() <= (imbalance + buckets.worst() * rows) * each.ground_scale);
    const bool within = (imbalance + buckets.worst() * rows) * t.denominator() <=
                        static_cast<Int128>(t.numerator()) * buckets.unit() * rows * table_rows;
    EXPECT_EQ(buckets.Within(array, rows), within);
    strict += within ? 1 : 0;
  }
  EXPECT_GT(strict, 100);
}

struct TableCase {
  SmallTable table;
  Case values;
  std::vector<Code> illness;
  std::vector<Code> persons;
};

TableCase RandomTable(Random& random, bool persons) {
  Case values = RandomCase(random);
  std::vector<Code> illness;
  for (std::size_t code = 0; code < values.counts.size(); ++code) {
    illness.insert(illness.end(), static_cast<std::size_t>(values.counts[code]), static_cast<Code>(code));
  }
  random.Shuffle<Code>(illness);
  std::vector<Code> age;
  std::vector<Code> place;
  std::vector<Code> second;
  std::vector<Code> person;
  for (std::size_t row = 0; row < illness.size(); ++row) {
    age.push_back(static_cast<Code>(random.Below(12)));
    place.push_back(static_cast<Code>(random.Below(7)));
    second.push_back(static_cast<Code>(random.Below(3)));
    person.push_back(static_cast<Code>(random.Below(illness.size())));
  }
  SmallTable table(illness.size());
  table.Add("age", Role::kQuasi, testing::Numbers(11, true), age)
      .Add("place", Role::kQuasi, testing::Categories(6, 2, true), place);
  table.Add("illness", Role::kSensitive, values.domain, illness).Add("second", Role::kSensitive, testing::Numbers(3), second);
  if (persons) table.Persons(person);
  return {std::move(table), std::move(values), illness, persons ? person : std::vector<Code>()};
}

TEST(SabreProperty, EveryGroupIsCloseByTheDefinitionAndNothingIsLost) {
  std::size_t many = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const TableCase each = RandomTable(random, seed % 3 == 0);
    const Microdata& data = each.table.data;
    if (data.num_persons < 2) continue;
    const Rational t(Between(random, 1, 12), 20);
    const std::int64_t k = std::min<std::int64_t>(Between(random, 2, 5), static_cast<std::int64_t>(data.num_persons));
    std::vector<ModelSpec> others = {K(k)};
    if (seed % 4 == 0) others.push_back(TClosenessSpec{"second", Rational(1, 3), Distance::kEqual});
    const View view = View::All(data);
    const Reference reference = ReferenceOf(data, view.rows());
    const AllOf rest = AllOf::Make(others, reference).value();
    const CountedColumns counted(data, data.ColumnsOf(Role::kSensitive), true);
    const SabreOptions options{seed % 2 == 0 ? Neighbours::kHilbert : Neighbours::kExact, RandomBound(random)};
    const TClosenessSpec closeness{"illness", t, each.values.distance};
    const auto sabre = [&](int threads) {
      Random own = Random::FromSeed(seed);
      return Sabre(view, closeness, rest, reference, counted, options, own, {.threads = threads}).value();
    };
    const Groups groups = sabre(1);
    many += groups.size() > 3 ? 1 : 0;
    std::set<RowId> seen;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      Counts here(each.values.counts.size());
      Counts second(3);
      Counts second_whole(3);
      std::set<Code> people;
      for (const RowId row : groups[group]) {
        EXPECT_TRUE(seen.insert(row).second);
        ++here[each.illness[row]];
        ++second[data.columns[3].codes[row]];
        people.insert(each.persons.empty() ? static_cast<Code>(row) : each.persons[row]);
      }
      for (const RowId row : view.rows()) ++second_whole[data.columns[3].codes[row]];
      const auto rows = static_cast<std::int64_t>(groups[group].size());
      const std::int64_t limit = rows * static_cast<std::int64_t>(data.num_rows);
      EXPECT_GE(static_cast<std::int64_t>(people.size()), k);
      EXPECT_LE(CheapestMove(here, each.values.counts, each.values.ground) * t.denominator(),
                limit * t.numerator() * each.values.ground_scale);
      if (others.size() > 1) {
        EXPECT_LE(3 * CheapestMove(second, second_whole, [](Code i, Code j) { return i == j ? 0 : 1; }), limit);
      }
    }
    EXPECT_EQ(seen.size(), data.num_rows);
    const Groups again = sabre(3);
    EXPECT_EQ(again.rows, groups.rows);
    EXPECT_EQ(again.starts, groups.starts);
  }
  EXPECT_GT(many, 150u);  // the cases are not all trivial
}

TEST(SabreProperty, BothWaysOfDrawingGiveGroupsOfTheSameSizes) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const TableCase each = RandomTable(random, false);
    const Microdata& data = each.table.data;
    if (data.num_rows < 2) continue;
    const View view = View::All(data);
    const Reference reference = ReferenceOf(data, view.rows());
    const AllOf rest = AllOf::Make(std::vector<ModelSpec>{K(2)}, reference).value();
    const CountedColumns counted(data, data.ColumnsOf(Role::kSensitive), true);
    const TClosenessSpec closeness{"illness", Rational(Between(random, 1, 12), 20), each.values.distance};
    std::vector<std::vector<std::size_t>> starts;
    for (const Neighbours neighbours : {Neighbours::kHilbert, Neighbours::kExact}) {
      Random own = Random::FromSeed(seed);
      starts.push_back(Sabre(view, closeness, rest, reference, counted, {.neighbours = neighbours}, own, {}).value().starts);
    }
    EXPECT_EQ(starts[0], starts[1]);
  }
}

}  // namespace
}  // namespace cordon::engine
