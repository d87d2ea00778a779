// SPDX-License-Identifier: Apache-2.0
//
// Rows left out within a limit: whatever the table, the models and the limit, the published rows hold, no more rows than
// allowed are gone, and the release loses no more than without.
#include <gtest/gtest.h>

#include <algorithm>
#include <stop_token>

#include "cordon/algorithms/closeness/closeness_search.h"
#include "cordon/algorithms/partition/partition.h"
#include "cordon/algorithms/suppression/suppression.h"
#include "cordon/data/recode.h"
#include "cordon/models/verify/verifier.h"
#include "tests/models/random_cases.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

using test::Between;

struct Case {
  Microdata data;
  std::vector<ModelSpec> specs;
  std::uint64_t max_rows = 0;
};

// Numbers with a far one now and then, a small tree, and a sensitive column of skewed values: outliers and rare values.
Case RandomCase(std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  const auto rows = static_cast<std::size_t>(Between(random, 6, 70));
  test::TestColumn age{"age", Role::kQuasi, test::Numbers(1, 100), {}};
  test::TestColumn zip{"zip", Role::kQuasi, nullptr, {}};
  const test::RandomTree tree(random, static_cast<int>(Between(random, 2, 8)));
  zip.domain = test::Tree(tree.paths());
  const bool categories = random.Below(2) == 0;
  const test::RandomTree values(random, static_cast<int>(Between(random, 2, 6)));
  test::TestColumn s{"s", Role::kSensitive, categories ? test::Tree(values.paths()) : test::Numbers(1, 6), {}};
  for (std::size_t row = 0; row < rows; ++row) {
    age.cells.push_back(std::to_string(random.Below(12) == 0 ? Between(random, 60, 100) : Between(random, 1, 20)));
    zip.cells.push_back(tree.paths()[random.Below(tree.paths().size())][0]);
    const std::size_t value = random.Below(random.Below(categories ? values.paths().size() : 6) + 1);
    s.cells.push_back(categories ? values.paths()[value][0] : std::to_string(value + 1));
  }
  std::vector<Code> persons;
  for (std::size_t row = 0; row < rows && seed % 7 == 0; ++row) persons.push_back(static_cast<Code>(random.Below(rows)));
  Case made{test::BuildMicrodata({age, zip, s}, persons), {KAnonymitySpec{Between(random, 2, 5), {}}}};
  for (const ModelSpec& spec : test::RandomSpecs(random, made.data)) {
    const auto* t = std::get_if<TClosenessSpec>(&spec);
    if (t != nullptr && t->distance == Distance::kOrdered && categories) continue;
    if (random.Below(5) == 0) made.specs.push_back(spec);
  }
  made.max_rows = 1 + random.Below(rows / 2);
  return made;
}

struct Searched {
  const Case& each;
  View view = View::All(each.data);
  std::vector<std::size_t> sensitive = each.data.ColumnsOf(Role::kSensitive);
  CountedColumns counted{each.data, sensitive, true};
  SuppressionProblem problem{view, each.specs, sensitive, counted};

  Result<Groups> Without(const SearchKept& search) const {
    auto kept = KeepWithout(problem, {});
    return search(kept.value(), Depth::kFull, 0);
  }
  Result<Groups> Within(const SearchKept& search) const { return SearchLeavingOut(problem, each.max_rows, search, {}); }

  SearchKept ByPartition(PartitionOptions::Start start) const {
    return [this, start](const RemainingRows& kept, Depth depth, std::uint64_t more) {
      const auto effort = depth == Depth::kTrial ? PartitionOptions::Effort::kLow : PartitionOptions::Effort::kNormal;
      const PartitionOptions options{.effort = effort, .start = start, .max_suppressed = more};
      return Partition(kept.view, kept.model, counted, options, {});
    };
  }
  SearchKept ByCloseness() const {
    return [this](const RemainingRows& kept, Depth, std::uint64_t) {
      return ClosenessSearch(kept.view, each.specs, kept.model, kept.reference, counted,
                             {.effort = ClosenessSearchOptions::Effort::kLow}, Random::FromSeed(1), {});
    };
  }
};

double LossOf(const Microdata& data, const Groups& groups) {
  const Boxes boxes = BoxesOf(data, groups, {});
  const std::vector<std::size_t> quasi = data.ColumnsOf(Role::kQuasi);
  double loss = static_cast<double>(quasi.size() * groups.suppressed.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t q = 0; q < quasi.size(); ++q) {
      const CodeRange range = boxes.at(group, q);
      loss += data.columns[quasi[q]].attribute.domain->Loss(range.lo, range.hi) * static_cast<double>(groups[group].size());
    }
  }
  return loss;
}

void ExpectHolds(const Case& each, const View& view, const Groups& groups) {
  std::vector<RowId> seen = groups.rows;
  seen.insert(seen.end(), groups.suppressed.begin(), groups.suppressed.end());
  std::sort(seen.begin(), seen.end());
  EXPECT_TRUE(std::equal(seen.begin(), seen.end(), view.rows().begin(), view.rows().end()));
  EXPECT_LE(groups.suppressed.size(), each.max_rows);
  EXPECT_GT(groups.size(), 0u);
  Random random = Random::FromSeed(1);
  const Release release = Recode(view, groups, {.order = RowOrder::kInput}, random, {});
  const auto verdicts = Verifier(each.specs).Judge(release, {});
  ASSERT_TRUE(verdicts.ok());
  for (const Verdict& verdict : verdicts.value()) EXPECT_TRUE(verdict.holds) << verdict.text;
}

struct Seen {
  int held = 0;
  int left_out = 0;
  int saved = 0;  // could not be had without
};

Seen Check(const Case& each, const SearchKept& search, const Searched& searched) {
  const auto with = searched.Within(search);
  const auto without = searched.Without(search);
  EXPECT_TRUE(with.ok() || !without.ok());
  if (!with.ok()) {
    EXPECT_EQ(with.error().kind(), ErrorKind::kUnsatisfiable);
    return {};
  }
  ExpectHolds(each, searched.view, with.value());
  if (without.ok()) {
    EXPECT_LE(LossOf(each.data, with.value()), LossOf(each.data, without.value()) + 1e-3);
  }
  return {1, with.value().suppressed.empty() ? 0 : 1, without.ok() ? 0 : 1};
}

TEST(SuppressionProperty, PartitionAndPeelHoldWithinTheLimitAndLoseNoMore) {
  Seen all;
  const int cases = SomeOrAll(180, 900);
  for (int seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(seed);
    const Case each = RandomCase(seed);
    const Searched searched{each};
    const auto start = seed % 2 == 0 ? PartitionOptions::Start::kAuto : PartitionOptions::Start::kPeel;
    const Seen seen = Check(each, searched.ByPartition(start), searched);
    all = {all.held + seen.held, all.left_out + seen.left_out, all.saved + seen.saved};
  }
  EXPECT_GT(all.held, cases * 5 / 9);
  EXPECT_GT(all.left_out, cases / 9);
  EXPECT_GT(all.saved, cases / 45);
}

TEST(SuppressionProperty, TheClosenessSearchHoldsWithinTheLimitAndLosesNoMore) {
  Seen all;
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    SCOPED_TRACE(seed);
    Case each = RandomCase(seed);
    if (each.data.columns[2].attribute.domain->is_categorical() || seed % 2 == 0) {
      each.specs.push_back(BetaLikenessSpec{
          .sensitive = "s", .beta = Rational(1 + static_cast<int>(seed % 3)), .kind = BetaLikenessSpec::Kind::kBasic});
    } else {
      each.specs.push_back(TClosenessSpec{"s", Rational(1, 4), Distance::kOrdered});
    }
    const Searched searched{each};
    const Seen seen = Check(each, searched.ByCloseness(), searched);
    all = {all.held + seen.held, all.left_out + seen.left_out, all.saved + seen.saved};
  }
  EXPECT_GT(all.held, 120);
  EXPECT_GT(all.left_out, 20);
}

// Nine rows close together and one far away, k = 3: the far one costs its group more than it is worth.
Microdata NearAndFar() {
  test::TestColumn age{"age", Role::kQuasi, test::Numbers(1, 100), {}};
  test::TestColumn s{"s", Role::kSensitive, test::Numbers(1, 3), {}};
  for (const int value : {1, 1, 1, 1, 2, 2, 2, 2, 100}) {
    age.cells.push_back(std::to_string(value));
    s.cells.push_back("1");
  }
  return test::BuildMicrodata({age, s}, {});
}

TEST(Suppression, AnOutlierGoesIfItMay) {
  Case each{NearAndFar(), {KAnonymitySpec{4, {}}}, 1};
  const Searched searched{each};
  const auto search = searched.ByPartition(PartitionOptions::Start::kAuto);
  EXPECT_EQ(searched.Within(search).value().suppressed, (std::vector<RowId>{8}));
  EXPECT_TRUE(searched.Without(search).value().suppressed.empty());
}

// A search that was stopped comes back with what it has: a caller who asked to stop does not wait for the next one.
TEST(Suppression, NoSearchBeginsAfterAStop) {
  test::TestColumn age{"age", Role::kQuasi, test::Numbers(1, 100), {}};
  test::TestColumn s{"s", Role::kSensitive, test::Numbers(1, 3), {}};
  for (int row = 0; row < 24; ++row) {
    age.cells.push_back(std::to_string(row == 0 ? 100 : row));  // the rare value is far away: better without
    s.cells.push_back(row == 0 ? "3" : row % 2 == 0 ? "2" : "1");
  }
  const BetaLikenessSpec beta{"s", Rational(1), BetaLikenessSpec::Kind::kBasic, {}, {}};
  const Case each{test::BuildMicrodata({age, s}, {}), {beta}, 4};
  const Searched searched{each};
  const auto stopped_in = [&](int stop_at, int& calls) {
    std::stop_source stop;
    const SearchKept search = [&](const RemainingRows& kept, Depth, std::uint64_t) -> Result<Groups> {
      if (++calls == stop_at) stop.request_stop();
      Groups groups;
      groups.Add(kept.view.rows());
      return groups;
    };
    return SearchLeavingOut(searched.problem, each.max_rows, search, {.stop = stop.get_token()});
  };
  int all = 0;
  ASSERT_TRUE(stopped_in(0, all).ok());
  ASSERT_GT(all, 2);
  for (int stop_at = 1; stop_at < all; ++stop_at) {
    SCOPED_TRACE(stop_at);
    int calls = 0;
    const auto groups = stopped_in(stop_at, calls);
    ASSERT_FALSE(groups.ok());
    EXPECT_EQ(groups.error().kind(), ErrorKind::kCancelled);
    EXPECT_EQ(calls, stop_at);
  }
}

// Where more rows would rather go than may, those go that cost most.
TEST(Suppression, ALimitIsSpentWhereMostIsWon) {
  test::TestColumn age{"age", Role::kQuasi, test::Numbers(1, 1000), {}};
  test::TestColumn s{"s", Role::kSensitive, test::Numbers(1, 3), {}};
  for (int row = 0; row < 40; ++row) {
    age.cells.push_back(std::to_string(row == 11 ? 500 : row == 30 ? 1000 : row < 20 ? 1 + row / 10 : 200 + row / 10));
    s.cells.push_back("1");
  }
  Case each{test::BuildMicrodata({age, s}, {}), {KAnonymitySpec{10, {}}}, 1};
  const Searched searched{each};
  const auto search = searched.ByPartition(PartitionOptions::Start::kAuto);
  EXPECT_EQ(searched.Within(search).value().suppressed, (std::vector<RowId>{30}));
  each.max_rows = 2;
  EXPECT_EQ(searched.Within(search).value().suppressed, (std::vector<RowId>{11, 30}));
}

// One row of a value in a hundred: under beta = 1 its group has fifty rows, whatever they are.
TEST(Suppression, ARareValueThatNeedsHalfTheTableGoes) {
  test::TestColumn age{"age", Role::kQuasi, test::Numbers(1, 100), {}};
  test::TestColumn s{"s", Role::kSensitive, test::Numbers(1, 3), {}};
  for (int row = 0; row < 100; ++row) {
    age.cells.push_back(std::to_string(1 + row));
    s.cells.push_back(row == 50 ? "3" : std::to_string(1 + row % 2));
  }
  Case each{test::BuildMicrodata({age, s}, {}),
            {KAnonymitySpec{2, {}}, BetaLikenessSpec{.sensitive = "s", .beta = 1, .kind = BetaLikenessSpec::Kind::kBasic}},
            1};
  const Searched searched{each};
  for (const SearchKept& search : {searched.ByPartition(PartitionOptions::Start::kAuto), searched.ByCloseness()}) {
    const Groups with = searched.Within(search).value();
    EXPECT_EQ(with.suppressed, (std::vector<RowId>{50}));
    EXPECT_LT(LossOf(each.data, with), 0.5 * LossOf(each.data, searched.Without(search).value()));
  }
}

// Were all of them gone, one value would be left, of which every group has the mix of the whole: a person who is missing would
// be known to have the other.
TEST(Suppression, OfTwoValuesNoneGoes) {
  test::TestColumn age{"age", Role::kQuasi, test::Numbers(1, 100), {}};
  test::TestColumn s{"s", Role::kSensitive, test::Tree({{"neg", "*"}, {"pos", "*"}}), {}};
  for (int row = 0; row < 200; ++row) {
    age.cells.push_back(std::to_string(1 + row % 100));
    s.cells.push_back(row % 40 == 7 ? "pos" : "neg");
  }
  Case each{test::BuildMicrodata({age, s}), {BetaLikenessSpec{.sensitive = "s", .beta = Rational(1)}}, 20};
  const Searched searched{each};
  const Result<Groups> groups = searched.Within(searched.ByCloseness());
  ASSERT_TRUE(groups.ok()) << groups.error().message();
  const MicrodataColumn& values = each.data.columns[1];
  const auto positive = [&](RowId row) { return values.codes[row] == *values.attribute.domain->Encode("pos"); };
  EXPECT_TRUE(std::any_of(groups.value().rows.begin(), groups.value().rows.end(), positive));
  EXPECT_GT(groups.value()[0].size(), 1u);
}

// A value with eight rows of ten cannot be at most half of every group; with six of them gone it can.
TEST(Suppression, AValueTooFrequentForAnyReleaseIsThinnedOut) {
  test::TestColumn age{"age", Role::kQuasi, test::Numbers(1, 10), {}};
  test::TestColumn s{"s", Role::kSensitive, test::Numbers(1, 3), {}};
  for (int row = 0; row < 10; ++row) {
    age.cells.push_back(std::to_string(1 + row));
    s.cells.push_back(row < 8 ? "1" : "2");
  }
  Case each{test::BuildMicrodata({age, s}, {}), {AlphaKSpec{"s", "1", Rational(1, 2), 2}}, 6};
  const Searched searched{each};
  const auto search = searched.ByPartition(PartitionOptions::Start::kAuto);
  const Groups with = searched.Within(search).value();
  EXPECT_EQ(with.suppressed.size(), 6u);
  ExpectHolds(each, searched.view, with);
  each.max_rows = 5;
  EXPECT_EQ(searched.Within(search).error().kind(), ErrorKind::kUnsatisfiable);
}

}  // namespace
}  // namespace cordon::engine
