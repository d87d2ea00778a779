// SPDX-License-Identifier: Apache-2.0
//
// The search behind sabre and burel against the best of all partitions of tiny tables, tried one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "cordon/algorithms/closeness/closeness_search.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/all_partitions.h"
#include "tests/algorithms/small_table.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::ForEachPartition;
using testing::K;
using testing::Numbers;
using testing::RowSet;
using testing::SmallTable;
using testing::TotalLoss;

SmallTable TinyTable(Random& random) {
  const std::size_t rows = 4 + random.Below(5);
  std::vector<Code> a(rows), b(rows), s(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    a[row] = static_cast<Code>(random.Below(10));
    b[row] = static_cast<Code>(random.Below(6));
    s[row] = static_cast<Code>(random.Below(3));
  }
  SmallTable table(rows);
  table.Add("a", Role::kQuasi, Numbers(10), a).Add("b", Role::kQuasi, Categories(6, 2), b);
  table.Add("s", Role::kSensitive, Categories(3, 2), s);
  return table;
}

TEST(ClosenessProperty, OnTinyTablesTheBestPartitionIsNear) {
  const std::vector<std::vector<ModelSpec>> all = {
      {K(2), TClosenessSpec{"s", Rational(3, 10), Distance::kEqual}},
      {K(2), TClosenessSpec{"s", Rational(1, 4), Distance::kHierarchical}},
      {K(2), BetaLikenessSpec{.sensitive = "s", .beta = 1, .kind = BetaLikenessSpec::Kind::kBasic}},
      {K(1), BetaLikenessSpec{.sensitive = "s", .beta = 2, .kind = BetaLikenessSpec::Kind::kEnhanced}}};
  double found = 0;
  double best = 0;
  int one_group = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const SmallTable table = TinyTable(random);
    const std::vector<ModelSpec>& specs = all[seed % all.size()];
    const View view = View::All(table.data);
    const Reference reference = ReferenceOf(table.data, view.rows());
    const AllOf model = AllOf::Make(specs, reference).value();
    const CountedColumns counted(table.data, table.data.ColumnsOf(Role::kSensitive), model.uses_persons());
    const auto groups = ClosenessSearch(view, specs, model, reference, counted, {}, Random::FromSeed(1), {});
    double least = std::numeric_limits<double>::infinity();
    ForEachPartition(view.size(), [&](const std::vector<RowSet>& partition) {
      const double total = TotalLoss(table.data, partition);
      if (total >= least) return;
      const bool admitted = std::all_of(partition.begin(), partition.end(), [&](const RowSet& rows) {
        GroupCounts counts(counted);
        counts.Add(rows);
        return model.Admits(counts);
      });
      if (admitted) least = total;
    });
    ASSERT_TRUE(groups.ok());
    std::vector<RowSet> sets;
    for (std::size_t g = 0; g < groups.value().size(); ++g)
      sets.emplace_back(groups.value()[g].begin(), groups.value()[g].end());
    const double total = TotalLoss(table.data, sets);
    EXPECT_GE(total, least - 1e-4);
    one_group += sets.size() == 1;
    found += total;
    best += least;
  }
  RecordProperty("loss_over_optimum", std::to_string(found / best));
  EXPECT_LT(found, 1.05 * best);
  EXPECT_LT(one_group, 60);
}

}  // namespace
}  // namespace cordon::engine
