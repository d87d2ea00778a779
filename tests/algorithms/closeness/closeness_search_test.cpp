// SPDX-License-Identifier: Apache-2.0
//
// The parts of the search behind sabre and burel: what mix can still be reached, orders in which neighbours are alike, and
// the whole of it on small and on many rows.
#include "cordon/algorithms/closeness/closeness_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cordon/algorithms/closeness/mix_lookahead.h"
#include "cordon/algorithms/closeness/neighbour_orders.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/algorithms/partition/partition.h"
#include "cordon/data/recode.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::CountedModel;
using testing::K;
using testing::Numbers;
using testing::SmallTable;

ModelSpec T(Rational t, Distance distance) { return TClosenessSpec{"s", t, distance}; }
ModelSpec Beta(Rational beta, BetaLikenessSpec::Kind kind) {
  return BetaLikenessSpec{.sensitive = "s", .beta = beta, .kind = kind};
}

// Two numeric and one categorical quasi column, one sensitive of `values` values; skewed, with ties.
SmallTable RandomTable(Random& random, std::size_t rows, Code values) {
  std::vector<Code> a(rows), b(rows), c(rows), s(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    a[row] = static_cast<Code>(random.Below(12));
    b[row] = static_cast<Code>((random.Below(5) + static_cast<std::uint64_t>(a[row])) % 9);
    c[row] = static_cast<Code>(random.Below(random.Below(8) + 1));
    s[row] = static_cast<Code>(random.Below(random.Below(static_cast<std::uint64_t>(values)) + 1));
  }
  SmallTable table(rows);
  table.Add("a", Role::kQuasi, Numbers(12), a).Add("b", Role::kQuasi, Numbers(9), b);
  table.Add("c", Role::kQuasi, Categories(8, 3), c).Add("s", Role::kSensitive, Categories(values, 3), s);
  return table;
}

struct Setting {
  SmallTable table;
  std::vector<ModelSpec> specs;
  View view;
  Reference reference;
  AllOf model;
  CountedColumns counted;

  Setting(SmallTable made, std::vector<ModelSpec> wanted)
      : table(std::move(made)),
        specs(std::move(wanted)),
        view(View::All(table.data)),
        reference(ReferenceOf(table.data, view.rows())),
        model(AllOf::Make(specs, reference).value()),
        counted(table.data, table.data.ColumnsOf(Role::kSensitive), model.uses_persons()) {}

  Result<Groups> Search(ClosenessSearchOptions options = {}, int threads = 1, std::uint64_t seed = 1) const {
    return ClosenessSearch(view, specs, model, reference, counted, options, Random::FromSeed(seed), {.threads = threads});
  }
};

void ExpectAdmittedPartition(const Setting& setting, const Groups& groups) {
  std::vector<int> seen(setting.view.size());
  for (const RowId row : groups.rows) ++seen[row];
  EXPECT_EQ(groups.suppressed.size(), 0u);
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  for (std::size_t group = 0; group < groups.size(); ++group) {
    GroupCounts counts(setting.counted);
    counts.Add(groups[group]);
    EXPECT_TRUE(setting.model.Admits(counts)) << group;
  }
}

double LossOf(const Microdata& data, const Groups& groups) {
  const Boxes boxes = BoxesOf(data, groups, {});
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  double loss = 0;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t q = 0; q < quasi.size(); ++q) {
      const CodeRange range = boxes.at(group, q);
      loss += data.columns[quasi[q]].attribute.domain->Loss(range.lo, range.hi) * static_cast<double>(groups[group].size());
    }
  }
  return loss;
}

TEST(ClosenessSearch, EveryGroupIsAdmittedOnRandomTables) {
  const std::vector<std::vector<ModelSpec>> all = {
      {K(3), T({1, 5}, Distance::kEqual)},
      {K(2), T({3, 10}, Distance::kHierarchical)},
      {K(4), Beta(2, BetaLikenessSpec::Kind::kBasic)},
      {K(2), Beta(4, BetaLikenessSpec::Kind::kEnhanced), LDiversitySpec{"s", 2, LDiversitySpec::Kind::kDistinct, {}}},
      {T(0, Distance::kEqual)},
      {K(3), T({1, 4}, Distance::kEqual), ConfidenceSpec{{}, {{"s", {"0"}}}, Rational(9, 10)}},
      {K(2), DeltaDisclosureSpec{"s", 2}}};
  for (std::uint64_t seed = 0; seed < 70; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Setting setting(RandomTable(random, 20 + random.Below(150), static_cast<Code>(2 + random.Below(7))),
                          all[seed % all.size()]);
    const auto groups = setting.Search({.effort = ClosenessSearchOptions::Effort::kLow});
    GroupCounts everything(setting.counted);
    everything.Add(setting.view.rows());
    ASSERT_EQ(groups.ok(), setting.model.Admits(everything));
    if (groups.ok()) ExpectAdmittedPartition(setting, groups.value());
  }
}

// A sensitive column of far more values than a group has: the search lists those of a group, and counts of all values, taken
// again, say that each group is admitted.
TEST(ClosenessSearch, GroupsOfFewOfManyValuesAreAdmittedByCountsOfAll) {
  const std::vector<std::vector<ModelSpec>> all = {
      {K(3), T({1, 4}, Distance::kOrdered)},
      {K(2), T({9, 10}, Distance::kEqual)},
      {K(3), T({2, 5}, Distance::kHierarchical)},
      {K(2), Beta(6, BetaLikenessSpec::Kind::kBasic)},
      {K(2), Beta(6, BetaLikenessSpec::Kind::kEnhanced), LDiversitySpec{"s", 3, LDiversitySpec::Kind::kDistinct, {}}},
      {K(3), T({1, 3}, Distance::kOrdered), ConfidenceSpec{{}, {{"s", {"0"}}}, Rational(1, 2)}},
      {K(3), LDiversitySpec{"s", {5, 2}, LDiversitySpec::Kind::kEntropy, {}}, T({1, 2}, Distance::kOrdered)}};
  std::size_t most_groups = 0;
  for (std::uint64_t seed = 0; seed < 21; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const Setting setting(RandomTable(random, 400 + random.Below(1200), 2500), all[seed % all.size()]);
    ASSERT_EQ(setting.counted.num_sparse(), 1u);
    const auto effort = seed % 2 == 0 ? Effort::kLow : Effort::kNormal;
    const auto groups = setting.Search({.effort = effort});
    ASSERT_TRUE(groups.ok());
    most_groups = std::max(most_groups, groups.value().size());
    const CountedColumns every(setting.table.data, setting.table.data.ColumnsOf(Role::kSensitive), false,
                               std::numeric_limits<Code>::max());
    for (std::size_t group = 0; group < groups.value().size(); ++group) {
      GroupCounts counts(every);
      counts.Add(groups.value()[group]);
      ASSERT_TRUE(setting.model.Admits(counts)) << group;
    }
    if (seed % 7 == 0) {
      EXPECT_EQ(setting.Search({.effort = effort}, 2).value().rows, groups.value().rows);
    }
  }
  EXPECT_GT(most_groups, 100u);
}

TEST(ClosenessSearch, PeopleWithSeveralRowsCountOnce) {
  Random random = Random::FromSeed(5);
  SmallTable table = RandomTable(random, 120, 4);
  std::vector<Code> persons(120);
  for (std::size_t row = 0; row < persons.size(); ++row) persons[row] = static_cast<Code>(random.Below(40));
  std::vector<Code> dense = persons;
  std::sort(dense.begin(), dense.end());
  dense.erase(std::unique(dense.begin(), dense.end()), dense.end());
  for (Code& person : persons) person = static_cast<Code>(std::lower_bound(dense.begin(), dense.end(), person) - dense.begin());
  table.Persons(persons);
  const Setting setting(std::move(table), {K(5), T({1, 2}, Distance::kEqual)});
  ExpectAdmittedPartition(setting, setting.Search().value());
}

TEST(ClosenessSearch, IsNeverWorseThanMondrian) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed + 100);
    const Setting setting(RandomTable(random, 300, 5), {K(3), T({static_cast<std::int64_t>(seed), 12}, Distance::kEqual)});
    ClosenessSearchOptions options;
    options.tuning.regrown_cycles = 0;
    const Groups found = setting.Search(options).value();
    const Groups cut = Mondrian(setting.view, setting.model, setting.counted, {}, {}).value();
    EXPECT_LE(LossOf(setting.table.data, found), LossOf(setting.table.data, cut) + 1e-3);
  }
}

// Few columns and values that hang little on them: cuts come far, and what the search grows from nothing does not come up to
// them.
TEST(ClosenessSearch, IsNoWorseThanRefinedCutsWhereCutsComeFar) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed + 500);
    const Setting setting(RandomTable(random, 6000, 6), {Beta({2, 1}, BetaLikenessSpec::Kind::kEnhanced)});
    const double found = LossOf(setting.table.data, setting.Search().value());
    const double cut = LossOf(setting.table.data, Partition(setting.view, setting.model, setting.counted, {}, {}).value());
    EXPECT_LE(found, cut + 1e-3);
  }
}

TEST(ClosenessSearch, MoreEffortDoesNotHurtMuchAndUsuallyHelps) {
  Random random = Random::FromSeed(9);
  const Setting setting(RandomTable(random, 1500, 6), {K(4), T({1, 5}, Distance::kEqual)});
  const double low = LossOf(setting.table.data, setting.Search({.effort = ClosenessSearchOptions::Effort::kLow}).value());
  const double normal = LossOf(setting.table.data, setting.Search().value());
  EXPECT_LT(normal, low);
}

TEST(ClosenessSearch, HighEffortLosesNoMoreThanNormalEffort) {
  Random random = Random::FromSeed(700);
  const Setting setting(RandomTable(random, 2000, 8), {K(4), T({1, 5}, Distance::kEqual)});
  ClosenessSearchOptions options;
  options.growth = GrowthOptions{.size = 12, .cover = 0.5};
  const double normal = LossOf(setting.table.data, setting.Search(options).value());
  options.effort = Effort::kHigh;
  options.tuning.high = {1, 0, 0, 0, 0};  // it finds less by itself
  EXPECT_LE(LossOf(setting.table.data, setting.Search(options).value()), normal + 1e-3);
}

// Groups that only give and take single rows stay as many as they are; here more of them lose less.
TEST(ClosenessSearch, GrowsGroupsOfSmallTablesAgain) {
  Random random = Random::FromSeed(31);
  const Setting setting(RandomTable(random, 500, 8), {K(4), T({1, 5}, Distance::kEqual)});
  const double found = LossOf(setting.table.data, setting.Search().value());
  ClosenessSearchOptions once;
  once.tuning.regrown_cycles = 0;
  EXPECT_LT(found, 0.97 * LossOf(setting.table.data, setting.Search(once).value()));
}

// What partition's moves would still find, the search has found.
TEST(ClosenessSearch, LeavesLittleToRefine) {
  Random random = Random::FromSeed(32);
  const Setting setting(RandomTable(random, 3000, 12), {K(5), Beta({3, 1}, BetaLikenessSpec::Kind::kBasic)});
  ClosenessSearchOptions options;
  options.tuning.few_rows = 0;
  const Groups found = setting.Search(options).value();
  const Groups refined = RefineGroups(setting.view, found, setting.model, setting.counted, {}, {}).value();
  EXPECT_LT(LossOf(setting.table.data, found), 1.05 * LossOf(setting.table.data, refined));
}

TEST(ClosenessSearch, ManyBlocksGiveTheSameGroupsForAnyNumberOfThreads) {
  Random random = Random::FromSeed(11);
  const Setting setting(RandomTable(random, 70'000, 5), {K(5), T({1, 5}, Distance::kEqual)});
  const ClosenessSearchOptions options{.effort = ClosenessSearchOptions::Effort::kLow, .sweeps = 2};
  const Groups one = setting.Search(options, 1).value();
  const Groups three = setting.Search(options, 3).value();
  EXPECT_EQ(one.rows, three.rows);
  EXPECT_EQ(one.starts, three.starts);
  ExpectAdmittedPartition(setting, one);
}

// A sensitive number that depends on the first quasi column: most cuts of all rows are refused.
SmallTable DependentTable(std::size_t rows) {
  Random random = Random::FromSeed(7).Substream("dependent");
  std::vector<Code> a(rows), b(rows), c(rows), s(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    a[row] = static_cast<Code>(random.Below(40));
    b[row] = static_cast<Code>(random.Below(20));
    c[row] = static_cast<Code>(random.Below(random.Below(8) + 1));
    s[row] = static_cast<Code>((static_cast<std::uint64_t>(a[row]) + random.Below(60)) / 5);
  }
  SmallTable table(rows);
  table.Add("a", Role::kQuasi, Numbers(40), a).Add("b", Role::kQuasi, Numbers(20), b);
  table.Add("c", Role::kQuasi, Categories(8, 3), c).Add("s", Role::kSensitive, Numbers(20), s);
  return table;
}

TEST(ClosenessSearch, LargeGroupsAreCutIntoTheSameGroupsForAnyNumberOfThreads) {
  const Setting setting(DependentTable(60'000), {K(5), T(Rational(1, 10), Distance::kOrdered)});
  PartitionOptions options{.effort = Effort::kLow, .size_decides = true};
  options.tuning.foresight_rows = 1'000;
  const Groups one = Partition(setting.view, setting.model, setting.counted, options, {.threads = 1}).value();
  const Groups two = Partition(setting.view, setting.model, setting.counted, options, {.threads = 2}).value();
  EXPECT_EQ(one.rows, two.rows);
  EXPECT_EQ(one.starts, two.starts);
  ExpectAdmittedPartition(setting, one);
}

TEST(ClosenessSearch, SeamsOfPartsGiveTheSameGroupsForAnyNumberOfThreads) {
  for (const ModelSpec& spec :
       {T(Rational(1, 5), Distance::kOrdered), T(Rational(1, 3), Distance::kEqual), Beta(4, BetaLikenessSpec::Kind::kBasic)}) {
    const Setting setting(DependentTable(6'000), {K(5), spec});
    PartitionOptions options{.effort = Effort::kLow, .size_decides = true, .whole_rows = 2'000, .part_rows = 500};
    options.tuning.foresight_rows = 300;
    const Groups one = Partition(setting.view, setting.model, setting.counted, options, {.threads = 1}).value();
    const Groups two = Partition(setting.view, setting.model, setting.counted, options, {.threads = 2}).value();
    EXPECT_EQ(one.rows, two.rows);
    EXPECT_EQ(one.starts, two.starts);
    ExpectAdmittedPartition(setting, one);
    EXPECT_GT(one.size(), 1u);
  }
}

// Of a side of few rows then mostly none is among those that are followed.
TEST(ClosenessSearch, FewRowsMayTellWhichCutComesFurthest) {
  const Setting setting(DependentTable(6'000), {K(5), T(Rational(1, 5), Distance::kOrdered)});
  PartitionOptions options{.effort = Effort::kLow, .size_decides = true};
  options.tuning.foresight_rows = 20;
  const Groups groups = Partition(setting.view, setting.model, setting.counted, options, {}).value();
  ExpectAdmittedPartition(setting, groups);
  EXPECT_GT(groups.size(), 100u);
}

// In blocks: whether shards are grown or the cuts go on alone, the cuts are among the starts.
TEST(ClosenessSearch, BlocksLoseNoMoreThanCutsAndGiveTheSameGroupsForAnyNumberOfThreads) {
  for (const ModelSpec& spec : {T(Rational(2, 5), Distance::kEqual), Beta(4, BetaLikenessSpec::Kind::kBasic),
                                Beta(1, BetaLikenessSpec::Kind::kBasic), T(Rational(1, 10), Distance::kOrdered)}) {
    const Setting setting(DependentTable(6'000), {K(5), spec});
    ClosenessSearchOptions options{.effort = ClosenessSearchOptions::Effort::kLow};
    options.tuning.block_rows = 2'000;
    options.tuning.shard_rows = 1'500;
    const Groups one = setting.Search(options, 1).value();
    const Groups two = setting.Search(options, 2).value();
    EXPECT_EQ(one.rows, two.rows);
    EXPECT_EQ(one.starts, two.starts);
    ExpectAdmittedPartition(setting, one);
    const PartitionOptions by_cuts{.effort = Effort::kLow, .start = PartitionOptions::Start::kTopDown, .refine = false};
    const Groups cuts = Partition(setting.view, setting.model, setting.counted, by_cuts, {}).value();
    EXPECT_LE(LossOf(setting.table.data, one), LossOf(setting.table.data, cuts) + 1e-3);
  }
}

TEST(ClosenessSearch, RefusesWhatNoGroupingSatisfiesAndPoliciesWithoutASensitiveColumn) {
  Random random = Random::FromSeed(3);
  const Setting too_many(RandomTable(random, 30, 3), {K(31), T({1, 2}, Distance::kEqual)});
  EXPECT_EQ(too_many.Search().error().kind(), ErrorKind::kUnsatisfiable);
  const Setting k_alone(RandomTable(random, 30, 3), {K(3)});
  EXPECT_EQ(k_alone.Search().error().kind(), ErrorKind::kInvalidPolicy);
}

TEST(ClosenessSearch, OneRowOneValueAndTZero) {
  SmallTable one(1);
  one.Add("a", Role::kQuasi, Numbers(1), {0}).Add("s", Role::kSensitive, Categories(1, 1), {0});
  EXPECT_EQ(Setting(std::move(one), {K(1), T(0, Distance::kEqual)}).Search().value().size(), 1u);
  Random random = Random::FromSeed(4);
  SmallTable same = RandomTable(random, 60, 1);  // one value: every mix is the whole's
  const Setting setting(std::move(same), {K(2), T(0, Distance::kEqual)});
  EXPECT_GT(setting.Search().value().size(), 5u);
}

// More values than there are classes: the classes steer, the model decides.
TEST(ClosenessSearch, ManyValuesShareClasses) {
  Random random = Random::FromSeed(6);
  std::vector<Code> a(3000), s(3000);
  for (std::size_t row = 0; row < a.size(); ++row) {
    a[row] = static_cast<Code>(random.Below(50));
    s[row] = static_cast<Code>(random.Below(700));
  }
  SmallTable table(a.size());
  table.Add("a", Role::kQuasi, Numbers(50), a).Add("s", Role::kSensitive, Numbers(700), s);
  const Setting setting(std::move(table), {K(5), T({1, 10}, Distance::kOrdered)});
  ExpectAdmittedPartition(setting, setting.Search({.effort = ClosenessSearchOptions::Effort::kLow}).value());
  const ValueClasses classes(setting.reference.histograms[0]);
  EXPECT_LE(classes.size(), ValueClasses::kMaxClasses);
  EXPECT_GT(classes.size(), 100u);
  for (Code value = 1; value < 700; ++value) EXPECT_LE(classes.of(value - 1), classes.of(value));
}

// The least distance that any filling up of a started group leaves, tried one by one.
double BruteLeast(std::vector<int>& counts, int rows, int size, const std::vector<double>& shares) {
  if (rows == size) {
    double distance = 0;
    for (std::size_t v = 0; v < shares.size(); ++v)
      distance += std::max(0.0, counts[v] / static_cast<double>(size) - shares[v]);
    return distance;
  }
  double least = 2;
  for (std::size_t v = 0; v < shares.size(); ++v) {
    ++counts[v];
    least = std::min(least, BruteLeast(counts, rows + 1, size, shares));
    --counts[v];
  }
  return least;
}

TEST(MixLookahead, RefusesAValueExactlyWhereNoFillingIsLeft) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const auto values = 2 + random.Below(3);
    std::vector<Code> s;
    for (std::uint64_t v = 0; v < values; ++v) s.insert(s.end(), 20 + random.Below(60), static_cast<Code>(v));
    SmallTable table(s.size());
    table.Add("a", Role::kQuasi, Numbers(1), std::vector<Code>(s.size()));
    table.Add("s", Role::kSensitive, Categories(static_cast<Code>(values), 1), s);
    const Rational t(static_cast<std::int64_t>(random.Below(8)), 20);
    const Setting setting(std::move(table), {T(t, Distance::kEqual)});
    const ValueClasses classes(setting.reference.histograms[0]);
    const MixLookahead outlook(setting.specs, setting.reference, 0, classes);
    const int size = static_cast<int>(3 + random.Below(5));
    std::vector<std::int32_t> counts(values);
    int rows = 0;
    for (; rows < size - 1 && random.Below(4) != 0; ++rows) ++counts[random.Below(values)];
    std::vector<double> shares;
    std::vector<std::int64_t> left;
    for (std::size_t v = 0; v < values; ++v) {
      shares.push_back(classes.share(v));
      left.push_back(classes.rows(v));
    }
    for (std::size_t v = 0; v < values; ++v) {
      std::vector<int> more(counts.begin(), counts.end());
      ++more[v];
      const double least = BruteLeast(more, rows + 1, size, shares);
      const double limit = static_cast<double>(t.numerator()) / static_cast<double>(t.denominator());
      if (std::abs(least - limit) < 1e-6) continue;
      EXPECT_EQ(outlook.Reaches(v, counts, rows, size, left), least <= limit) << v;
    }
  }
}

// utility example "Beta": p = .05, beta = 4.
TEST(MixLookahead, RareValuesNeedLargeGroups) {
  std::vector<Code> s(95, 0);
  s.insert(s.end(), 5, 1);
  SmallTable table(100);
  table.Add("a", Role::kQuasi, Numbers(1), std::vector<Code>(100)).Add("s", Role::kSensitive, Categories(2, 1), s);
  const Setting basic(table, {Beta(4, BetaLikenessSpec::Kind::kBasic)});
  const Setting enhanced(table, {Beta(4, BetaLikenessSpec::Kind::kEnhanced)});
  const ValueClasses classes(basic.reference.histograms[0]);
  EXPECT_EQ(MixLookahead(basic.specs, basic.reference, 0, classes).Need(1), 4);
  EXPECT_EQ(MixLookahead(enhanced.specs, enhanced.reference, 0, classes).Need(1), 6);
}

TEST(NeighbourOrders, ArePermutationsThatKeepTheRowsOfAClassTogether) {
  Random random = Random::FromSeed(31);
  const Setting setting(RandomTable(random, 400, 5), {K(1)});
  const ValueClasses classes(setting.reference.histograms[0]);
  const BoxSpans spans(setting.table.data);
  const SearchRows rows = SearchRows::Of(setting.table.data, 3, classes, setting.view.rows());
  const NeighbourOrders orders(rows, spans, 4, classes.size(), Random::FromSeed(1));
  for (std::size_t order = 0; order < orders.size(); ++order) {
    std::vector<int> seen(rows.size());
    for (std::size_t position = 0; position < rows.size(); ++position) {
      const std::uint32_t row = orders.at(order, position);
      ++seen[row];
      EXPECT_EQ(orders.position(order, row), position);
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(rows.size()));
    for (std::size_t c = 0; c < classes.size(); ++c) {
      for (std::size_t place = orders.class_begin(c); place < orders.class_end(c); ++place) {
        const std::uint32_t row = orders.in_class(order, place);
        EXPECT_EQ(rows.value_classes[row], c);
        EXPECT_EQ(orders.FindInClass(order, c, orders.position(order, row)), place);
      }
    }
  }
}

}  // namespace
}  // namespace cordon::engine
