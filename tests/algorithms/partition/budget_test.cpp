// SPDX-License-Identifier: Apache-2.0
//
// A budget of time may run out at any moment that a search asks about it. Whenever it does, what comes out are groups of all
// rows that the models admit. A budget that is not used up changes nothing, except that the partition search at high effort
// goes on as long as it may.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "cordon/algorithms/closeness/closeness_search.h"
#include "cordon/algorithms/full_domain/full_domain.h"
#include "cordon/algorithms/partition/partition.h"
#include "cordon/models/admit/all_of.h"
#include "tests/algorithms/small_table.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

using testing::Categories;
using testing::K;
using testing::Numbers;
using testing::SmallTable;

// Used up after this many questions: a clock that tests can set.
class Questions final : public Budget {
 public:
  explicit Questions(std::int64_t enough) : enough_(enough) {}
  double Used() const override { return static_cast<double>(asked_++) / static_cast<double>(enough_); }
  std::int64_t asked() const { return asked_; }

 private:
  std::int64_t enough_;
  mutable std::atomic<std::int64_t> asked_ = 0;
};

struct Search {
  SmallTable table;
  std::vector<ModelSpec> specs;
  View view;
  Reference reference;
  AllOf model;
  CountedColumns counted;

  Search(std::size_t rows, std::vector<ModelSpec> wanted)
      : table(Table(rows)),
        specs(std::move(wanted)),
        view(View::All(table.data)),
        reference(ReferenceOf(table.data, view.rows())),
        model(AllOf::Make(specs, reference).value()),
        counted(table.data, table.data.ColumnsOf(Role::kSensitive), model.uses_persons()) {}

  static SmallTable Table(std::size_t rows) {
    Random random = Random::FromSeed(3);
    std::vector<Code> a(rows), b(rows), c(rows), s(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      a[row] = static_cast<Code>(random.Below(40));
      b[row] = static_cast<Code>(random.Below(9));
      c[row] = static_cast<Code>(random.Below(random.Below(8) + 1));
      s[row] = static_cast<Code>(random.Below(random.Below(5) + 1));
    }
    SmallTable table(rows);
    table.Add("a", Role::kQuasi, Numbers(40), a).Add("b", Role::kQuasi, Numbers(9), b);
    table.Add("c", Role::kQuasi, Categories(8, 3), c).Add("s", Role::kSensitive, Categories(5, 3), s);
    return table;
  }

  void ExpectAdmitted(const Groups& groups) const {
    std::vector<int> seen(view.size());
    for (const RowId row : groups.rows) ++seen[row];
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
    for (std::size_t group = 0; group < groups.size(); ++group) {
      GroupCounts counts(counted);
      counts.Add(groups[group]);
      EXPECT_TRUE(model.Admits(counts)) << group;
    }
  }

  template <typename Search>
  void ExpectHoldsWheneverItEnds(const Search& search) const {
    Questions never(1'000'000'000);
    const Groups whole = search(Run{.budget = &never});
    EXPECT_EQ(whole.rows, search(Run{}).rows);
    ExpectAdmitted(whole);
    EXPECT_GT(never.asked(), 2);  // it does ask
    ExpectHoldsUpTo(never.asked() * 2, search);
  }

  template <typename Search>
  void ExpectHoldsUpTo(std::int64_t most, const Search& search) const {
    for (std::int64_t enough = 1; enough < most; enough = enough * 3 / 2 + 1) {
      SCOPED_TRACE(enough);
      const Questions budget(enough);
      ExpectAdmitted(search(Run{.budget = &budget}));
    }
  }
};

ModelSpec T(Rational t) { return TClosenessSpec{"s", t, Distance::kEqual}; }
ModelSpec Beta(Rational beta) {
  return BetaLikenessSpec{.sensitive = "s", .beta = beta, .kind = BetaLikenessSpec::Kind::kEnhanced};
}

TEST(Budget, PartitionHoldsWheneverItEnds) {
  for (const auto& specs :
       {std::vector<ModelSpec>{K(4)}, {K(3), LDiversitySpec{"s", 2, LDiversitySpec::Kind::kDistinct, {}}}}) {
    const std::size_t rows = SomeOrAll<std::size_t>(500, 1500);
    const Search one(rows, specs);
    const auto search = [&](PartitionOptions::Effort effort) {
      return [&one, effort](const cordon::engine::Run& run) {
        return Partition(one.view, one.model, one.counted, {.effort = effort}, run).value();
      };
    };
    one.ExpectHoldsWheneverItEnds(search(PartitionOptions::Effort::kLow));
    one.ExpectHoldsWheneverItEnds(search(PartitionOptions::Effort::kNormal));
    one.ExpectHoldsUpTo(static_cast<std::int64_t>(rows),
                        search(PartitionOptions::Effort::kHigh));  // it uses the time it is given
    // Annealed in parts, side by side.
    one.ExpectHoldsUpTo(static_cast<std::int64_t>(rows), [&](cordon::engine::Run run) {
      run.threads = 3;
      PartitionOptions options{.effort = PartitionOptions::Effort::kHigh};
      options.tuning.annealed_rows = rows / 5;
      return Partition(one.view, one.model, one.counted, options, run).value();
    });
    // In parts, side by side.
    one.ExpectHoldsWheneverItEnds([&](cordon::engine::Run run) {
      run.threads = run.budget == nullptr ? 1 : 2;
      return Partition(one.view, one.model, one.counted, {.whole_rows = rows / 3, .part_rows = rows / 5}, run).value();
    });
  }
}

TEST(Budget, TheClosenessSearchHoldsWheneverItEnds) {
  for (const auto& specs : {std::vector<ModelSpec>{K(4), T({1, 4})}, {K(3), Beta(2)}}) {
    const Search one(SomeOrAll<std::size_t>(200, 600), specs);
    one.ExpectHoldsWheneverItEnds([&](const cordon::engine::Run& run) {
      return ClosenessSearch(one.view, one.specs, one.model, one.reference, one.counted, {}, Random::FromSeed(1), run).value();
    });
  }
}

// In shards: a table of more than one block.
TEST(Budget, ShardsThatAreNotSolvedLeaveOthersGroups) {
  const Search one(42'000, {K(30), T({1, 2})});
  for (const std::int64_t enough : {1, 2, 4, 40}) {
    SCOPED_TRACE(enough);
    const Questions budget(enough);
    const ClosenessSearchOptions options{.effort = ClosenessSearchOptions::Effort::kLow};
    one.ExpectAdmitted(ClosenessSearch(one.view, one.specs, one.model, one.reference, one.counted, options, Random::FromSeed(1),
                                       {.threads = 2, .budget = &budget})
                           .value());
  }
}

TEST(Budget, FullDomainKeepsTheBestSoFar) {
  const Search one(500, {K(4)});
  const std::vector<std::size_t> sensitive = one.table.data.ColumnsOf(Role::kSensitive);
  for (const std::uint64_t exact : {std::uint64_t{1} << 20, std::uint64_t{1}}) {  // to the end, and climbing
    FullDomainOptions options;
    options.exact_nodes = exact;
    one.ExpectHoldsWheneverItEnds([&](const cordon::engine::Run& run) {
      return FullDomain(one.view, one.specs, sensitive, options, run).value().groups;
    });
  }
}

}  // namespace
}  // namespace cordon::engine
