// SPDX-License-Identifier: Apache-2.0
#include "cordon/models/admit/group_model.h"

#include <gtest/gtest.h>

#include <limits>

#include "cordon/models/admit/all_of.h"
#include "cordon/models/admit/beta_likeness.h"
#include "tests/models/random_cases.h"

namespace cordon::engine::test {
namespace {

using DiversityKind = LDiversitySpec::Kind;

// One column "s" of the whole numbers 1..m (and "?" for missing); the first row of cells is the group, both together the
// reference.
struct Table {
  Microdata data;
  std::vector<RowId> group;

  Table(const Texts& group_cells, const Texts& other_cells, const DomainPtr& domain, const std::vector<Code>& persons = {}) {
    Texts cells = group_cells;
    cells.insert(cells.end(), other_cells.begin(), other_cells.end());
    for (RowId row = 0; row < group_cells.size(); ++row) group.push_back(row);
    data = BuildMicrodata({{"s", Role::kSensitive, domain, cells}}, persons);
  }

  bool Admits(const ModelSpec& spec) const {
    const auto model = MakeGroupModel(spec, ReferenceOf(data, View::All(data).rows())).value();
    const CountedColumns columns(data, {0}, true);
    GroupCounts counts(columns);
    counts.Add(group);
    EXPECT_LE(model->MinRows(), std::max<std::int64_t>(model->Admits(counts) ? counts.rows() : model->MinRows(), 1));
    return model->Admits(counts);
  }
};

TEST(GroupModel, KCountsPeople) {
  const Table table({"1", "1", "1"}, {"2"}, Numbers(1, 2), {0, 0, 1, 2});
  EXPECT_TRUE(table.Admits(KAnonymitySpec{2, {}}));
  EXPECT_FALSE(table.Admits(KAnonymitySpec{3, {}}));
}

TEST(GroupModel, AMissingValueIsNoneForL) {
  const DomainPtr domain = Numbers(1, 3, "?");
  const Table table({"1", "2", "?", "?"}, {"3"}, domain);
  EXPECT_TRUE(table.Admits(LDiversitySpec{"s", 2, DiversityKind::kDistinct, {}}));
  EXPECT_FALSE(table.Admits(LDiversitySpec{"s", 3, DiversityKind::kDistinct, {}}));
  EXPECT_TRUE(table.Admits(LDiversitySpec{"s", 2, DiversityKind::kEntropy, {}}));  // 1 and 2, evenly
  EXPECT_TRUE(table.Admits(LDiversitySpec{"s", 2, DiversityKind::kRecursive, Rational(3, 2)}));
  EXPECT_FALSE(table.Admits(LDiversitySpec{"s", 2, DiversityKind::kRecursive, Rational(1)}));  // 1 < 1 * 1 does not hold
  const Table nothing({"?", "?"}, {"1"}, domain);
  EXPECT_FALSE(nothing.Admits(LDiversitySpec{"s", 1, DiversityKind::kDistinct, {}}));
  EXPECT_FALSE(nothing.Admits(LDiversitySpec{"s", 1, DiversityKind::kEntropy, {}}));
  EXPECT_FALSE(nothing.Admits(LDiversitySpec{"s", 1, DiversityKind::kRecursive, Rational(9)}));
}

TEST(GroupModel, EntropyIsExactWhereBothSidesAreEqual) {
  for (int values = 1; values <= 40; ++values) {  // values x 7 rows, evenly: entropy is ln(values) exactly
    Texts cells;
    for (int i = 0; i < 7 * values; ++i) cells.push_back(std::to_string(1 + i % values));
    const Table table(cells, {}, Numbers(1, values));
    EXPECT_TRUE(table.Admits(LDiversitySpec{"s", values, DiversityKind::kEntropy, {}})) << values;
    EXPECT_FALSE(table.Admits(LDiversitySpec{"s", Rational(values * 10'000'000 + 1, 10'000'000), DiversityKind::kEntropy, {}}))
        << values;
  }
  // Uneven, and still a fraction: shares 1/2, 1/4, 1/4 have the entropy of 2^(3/2) values, whose square is 8.
  const Table uneven({"1", "1", "2", "3"}, {}, Numbers(1, 3));
  EXPECT_TRUE(uneven.Admits(LDiversitySpec{"s", Rational(28284271, 10'000'000), DiversityKind::kEntropy, {}}));
  EXPECT_FALSE(uneven.Admits(LDiversitySpec{"s", Rational(28284272, 10'000'000), DiversityKind::kEntropy, {}}));
}

TEST(GroupModel, RecursiveComparesTheMostFrequentValueWithTheTail) {
  const Table table({"1", "1", "1", "2", "2", "3"}, {}, Numbers(1, 3));                        // r = 3, 2, 1
  EXPECT_FALSE(table.Admits(LDiversitySpec{"s", 2, DiversityKind::kRecursive, Rational(1)}));  // 3 < 1 * 3
  EXPECT_TRUE(table.Admits(LDiversitySpec{"s", 2, DiversityKind::kRecursive, Rational(1001, 1000)}));
  EXPECT_FALSE(table.Admits(LDiversitySpec{"s", 3, DiversityKind::kRecursive, Rational(3)}));  // 3 < 3 * 1
  EXPECT_TRUE(table.Admits(LDiversitySpec{"s", 3, DiversityKind::kRecursive, Rational(4)}));
  EXPECT_FALSE(table.Admits(LDiversitySpec{"s", 4, DiversityKind::kRecursive, Rational(1000)}));
  EXPECT_TRUE(table.Admits(LDiversitySpec{"s", 1, DiversityKind::kRecursive, Rational(1)}));  // 3 < 6
}

TEST(GroupModel, BetaBasicIsExactAtTheBound) {
  const Table table({"1", "2"}, {"2", "2", "2", "2"}, Numbers(1, 2));  // p = 1/6, q = 1/2: gain 2
  EXPECT_TRUE(table.Admits(BetaLikenessSpec{"s", 2, BetaLikenessSpec::Kind::kBasic}));
  EXPECT_FALSE(table.Admits(BetaLikenessSpec{"s", Rational(1'999'999, 1'000'000), BetaLikenessSpec::Kind::kBasic}));
  EXPECT_FALSE(table.Admits(BetaLikenessSpec{"s", 2, BetaLikenessSpec::Kind::kEnhanced}));  // -ln(1/6) = 1.79 < 2
}

TEST(GroupModel, AValueThatEverybodyHasMayFillAGroup) {
  const Table table({"1", "1"}, {"1"}, Numbers(1, 2));
  EXPECT_TRUE(table.Admits(BetaLikenessSpec{"s", 1, BetaLikenessSpec::Kind::kEnhanced}));
  EXPECT_TRUE(table.Admits(DeltaDisclosureSpec{"s", Rational(1, 1'000'000'000)}));
  EXPECT_TRUE(table.Admits(TClosenessSpec{"s", 0, Distance::kOrdered}));
}

TEST(GroupModel, DeltaNeedsEveryValueAndIsStrict) {
  const Table lacking({"1", "1"}, {"2"}, Numbers(1, 2));
  EXPECT_FALSE(lacking.Admits(DeltaDisclosureSpec{"s", 1'000'000'000}));
  const Table table({"1", "2"}, {"2", "2"}, Numbers(1, 2));                                   // q / p = 2 and 2/3
  EXPECT_TRUE(table.Admits(DeltaDisclosureSpec{"s", Rational(693'147'181, 1'000'000'000)}));  // ln 2 = 0.69314718056
  EXPECT_FALSE(table.Admits(DeltaDisclosureSpec{"s", Rational(693'147'180, 1'000'000'000)}));
  EXPECT_TRUE(table.Admits(DeltaDisclosureSpec{"s", 1'000'000'000}));
}

TEST(GroupModel, ValuesOutsideTheReferenceAreRefusedByBetaAndDelta) {
  const BetaLikenessSpec beta{"s", 5, BetaLikenessSpec::Kind::kEnhanced};
  const std::vector<std::int64_t> counts = {9, 1};
  EXPECT_FALSE(ShareLimits::Beta(beta, {10, 0}, 10).Admit(ValueHistogram(counts), 10));
  EXPECT_FALSE(ShareLimits::Delta({"s", 5}, {10, 0}, 10).Admit(ValueHistogram(counts), 10));
}

constexpr Code kCountAll = std::numeric_limits<Code>::max();
constexpr Code kListAll = 0;

// The values that a group has, against counts of all values.
TEST(GroupModel, ListedValuesAreJudgedAsCountedOnes) {
  int admitted = 0;
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const auto kind = static_cast<SensitiveKind>(seed % 3);
    const RandomTable table = MakeRandomTable(seed, kind, seed % 2 == 0);
    Random random = Random::FromSeed(seed).Substream("specs");
    const Reference reference = ReferenceOf(table.data, View::All(table.data).rows());
    const CountedColumns counted(table.data, {2}, true, kCountAll);
    const CountedColumns listed(table.data, {2}, true, kListAll);
    for (const ModelSpec& spec : RandomSpecs(random, table.data)) {
      SCOPED_TRACE(Describe(spec));
      const auto model = MakeGroupModel(spec, reference).value();
      for (std::size_t group = 0; group < table.groups.size(); ++group) {
        GroupCounts all(counted);
        GroupCounts own(listed);
        all.Add(table.groups[group]);
        own.Add(table.groups[group]);
        ASSERT_TRUE(own.histogram(0).sparse() && !all.histogram(0).sparse());
        ASSERT_EQ(model->Admits(own), model->Admits(all));
        ++(model->Admits(own) ? admitted : refused);
      }
    }
  }
  EXPECT_GT(admitted, 1000);
  EXPECT_GT(refused, 1000);
}

// Rows that come and go within the room of an admitted group leave it admitted, whichever they are.
TEST(GroupModel, RoomIsForAnyRows) {
  int used = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, static_cast<SensitiveKind>(seed % 3), seed % 2 == 0);
    Random random = Random::FromSeed(seed).Substream("specs");
    const View view = View::All(table.data);
    const Reference reference = ReferenceOf(table.data, view.rows());
    const CountedColumns columns(table.data, {2}, true, seed % 4 < 2 ? kCountAll : kListAll);
    for (const ModelSpec& spec : RandomSpecs(random, table.data)) {
      SCOPED_TRACE(Describe(spec));
      const auto model = MakeGroupModel(spec, reference).value();
      GroupCounts all(columns);
      all.Add(view.rows());
      if (!model->Admits(all)) continue;
      const std::int64_t room = model->Room(all);
      ASSERT_LT(room, all.rows());
      for (int trial = 0; trial < 5; ++trial) {
        std::vector<RowId> rows(view.rows().begin(), view.rows().end());
        random.Shuffle(std::span(rows));
        GroupCounts rest = all;
        for (std::int64_t i = 0; i < room; ++i) {
          rest.Remove(rows[static_cast<std::size_t>(i)]);
          ASSERT_TRUE(model->Admits(rest));
          ++used;
        }
        std::vector<RowId> back(rows.begin(), rows.begin() + room);
        if (back.empty()) continue;
        // From there the other way: no more may come back than there is room for now.
        const std::int64_t room_back = std::min<std::int64_t>(model->Room(rest), room);
        for (std::int64_t i = 0; i < room_back; ++i) {
          rest.Add(back[static_cast<std::size_t>(i)]);
          ASSERT_TRUE(model->Admits(rest));
        }
      }
    }
  }
  EXPECT_GT(used, 1000);
}

TEST(GroupModel, AnEmptyGroupIsAdmittedByNone) {
  const RandomTable table = MakeRandomTable(5, SensitiveKind::kNumeric, false);
  Random random = Random::FromSeed(5);
  const Reference reference = ReferenceOf(table.data, View::All(table.data).rows());
  const CountedColumns columns(table.data, {2}, true);
  for (const ModelSpec& spec : RandomSpecs(random, table.data)) {
    EXPECT_FALSE(MakeGroupModel(spec, reference).value()->Admits(GroupCounts(columns))) << Describe(spec);
  }
}

TEST(GroupModel, AllOfAsksEveryModel) {
  const Table table({"1", "2"}, {"1", "2"}, Numbers(1, 2));
  const std::vector<ModelSpec> specs = {KAnonymitySpec{2, {}}, LDiversitySpec{"s", 2, DiversityKind::kDistinct, {}}};
  const AllOf all = AllOf::Make(specs, ReferenceOf(table.data, View::All(table.data).rows())).value();
  const CountedColumns columns(table.data, {0}, true);
  GroupCounts counts(columns);
  counts.Add(RowId{0});
  EXPECT_FALSE(all.Admits(counts));
  counts.Add(RowId{2});
  EXPECT_FALSE(all.Admits(counts));  // two people, one value
  counts.Add(RowId{1});
  EXPECT_TRUE(all.Admits(counts));
  EXPECT_EQ(all.Describe(), "k-anonymity(k=2) and l-diversity(s, l=2, distinct)");
  EXPECT_EQ(all.MinRows(), 2);
  EXPECT_TRUE(all.monotone());
  EXPECT_TRUE(all.uses_histograms());
  EXPECT_TRUE(all.uses_persons());
}

TEST(GroupModel, UnknownColumnsAndValuesAreErrorsWithAHint) {
  const Table table({"1"}, {"2"}, Numbers(1, 2));
  const Reference reference = ReferenceOf(table.data, View::All(table.data).rows());
  const auto column = MakeGroupModel(TClosenessSpec{"S", 1, Distance::kOrdered}, reference);
  ASSERT_FALSE(column.ok());
  EXPECT_EQ(column.error().message(), "t-closeness: 'S' is not a sensitive column");
  const auto value = MakeGroupModel(AlphaKSpec{"s", "7", 1, 1}, reference);
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().message(), "alpha-k: '7' is not a value of column 's'");
  const auto distance = MakeGroupModel(TClosenessSpec{"s", 1, Distance::kHierarchical}, reference);
  ASSERT_FALSE(distance.ok());
  const auto range = MakeGroupModel(KAnonymitySpec{0, {}}, reference);
  ASSERT_FALSE(range.ok());
}

SensitiveKind KindOf(std::uint64_t seed) { return static_cast<SensitiveKind>(seed % 3); }

TEST(GroupModelProperty, TheUnionOfAdmittedGroupsIsAdmitted) {
  int unions = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, KindOf(seed), seed % 2 == 0);
    Random random = Random::FromSeed(seed).Substream("specs");
    const Reference reference = ReferenceOf(table.data, View::All(table.data).rows());
    const CountedColumns columns(table.data, {2}, true);
    for (const ModelSpec& spec : RandomSpecs(random, table.data)) {
      const auto model = MakeGroupModel(spec, reference).value();
      GroupCounts all(columns);
      bool any = false;
      for (std::size_t group = 0; group < table.groups.size(); ++group) {
        GroupCounts counts(columns);
        counts.Add(table.groups[group]);
        if (!model->Admits(counts)) continue;
        ASSERT_GE(counts.rows(), model->MinRows()) << model->Describe();
        unions += any ? 1 : 0;
        all.Merge(counts);
        any = true;
        ASSERT_TRUE(model->Admits(all)) << model->Describe();
      }
    }
  }
  EXPECT_GT(unions, 5000);
}

TEST(GroupModelProperty, AMonotoneModelAdmitsWhatGrows) {
  int grown = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, KindOf(seed), seed % 2 == 0);
    Random random = Random::FromSeed(seed).Substream("specs");
    const Reference reference = ReferenceOf(table.data, View::All(table.data).rows());
    const CountedColumns columns(table.data, {2}, true);
    for (const ModelSpec& spec : RandomSpecs(random, table.data)) {
      const auto model = MakeGroupModel(spec, reference).value();
      if (!model->monotone()) continue;
      GroupCounts counts(columns);
      bool admitted = false;
      for (RowId row = 0; row < table.data.num_rows; ++row) {
        counts.Add(row);
        const bool now = model->Admits(counts);
        ASSERT_TRUE(now || !admitted) << model->Describe();
        grown += admitted ? 1 : 0;
        admitted = now;
      }
    }
  }
  EXPECT_GT(grown, 1000);
}

}  // namespace
}  // namespace cordon::engine::test
