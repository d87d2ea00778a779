// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/queries.h"

#include <gtest/gtest.h>

#include <set>

#include "cordon/metrics/published_ranges.h"
#include "tests/metrics/random_release.h"

namespace cordon::engine {
namespace {

using testing::MakeRandomRelease;
using testing::RandomRelease;

// Row by row, from the definition.
double SlowEstimate(const RandomRelease& made, const CountQuery& query) {
  double sum = 0;
  for (std::size_t row = 0; row < made.release.num_rows; ++row) {
    double share = 1;
    for (const Predicate& predicate : query) {
      const Attribute& attribute = made.data.columns[predicate.column].attribute;
      const Domain& domain = *attribute.domain;
      const std::string text(made.release.Find(attribute.name)->text.cell(row).bytes());
      const std::optional<Meaning> meaning = domain.Read(text);
      double covered = 0;
      double asked = 0;
      for (Code code = 0; code < domain.size(); ++code) {
        const bool stands_for =
            attribute.role == Role::kQuasi ? domain.Covers(*meaning, code) : domain.Publish(code, code) == text;
        covered += stands_for;
        asked += stands_for && code >= predicate.values.lo && code <= predicate.values.hi;
      }
      share *= asked / covered;
    }
    sum += share;
  }
  return sum;
}

std::uint64_t SlowCount(const Microdata& data, const CountQuery& query) {
  std::uint64_t count = 0;
  for (std::size_t row = 0; row < data.num_rows; ++row) {
    bool within = true;
    for (const Predicate& predicate : query) {
      const Code code = data.columns[predicate.column].codes[row];
      within = within && code >= predicate.values.lo && code <= predicate.values.hi;
    }
    count += within;
  }
  return count;
}

TEST(Queries, AgreeWithARowByRowCount) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const RandomRelease made = MakeRandomRelease(seed, {.rows = 50 + seed, .sensitive = seed % 5 != 0});
    const std::vector<CountQuery> queries = MakeQueries(
        made.data,
        {.queries = 60, .quasi = 1 + seed % 3, .selectivity = 0.05 + 0.1 * static_cast<double>(seed % 4), .seed = seed});
    const std::vector<std::uint64_t> counts = CountQueries(made.data, queries, {.threads = 2});
    const std::vector<double> estimates = EstimateQueries(made.data, made.release, queries, {}).value();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_EQ(counts[i], SlowCount(made.data, queries[i]));
      ASSERT_NEAR(estimates[i], SlowEstimate(made, queries[i]), 1e-9);
    }
  }
}

// Many values, several blocks, and cuts between them.
TEST(Queries, AgreeOnManyValuesAndBlocks) {
  const RandomRelease made = MakeRandomRelease(4, {.rows = 17000, .group_rows = 2, .ages = 3000});
  const std::vector<CountQuery> queries = MakeQueries(made.data, {.queries = 25, .selectivity = 0.02});
  const std::vector<std::uint64_t> counts = CountQueries(made.data, queries, {.threads = 3});
  const std::vector<double> estimates = EstimateQueries(made.data, made.release, queries, {}).value();
  EXPECT_EQ(EstimateQueries(made.data, made.release, queries, {.threads = 3}).value(), estimates);  // to the last bit
  for (std::size_t i = 0; i < queries.size(); ++i) EXPECT_EQ(counts[i], SlowCount(made.data, queries[i]));
  EXPECT_NEAR(estimates[0], SlowEstimate(made, queries[0]), 1e-6);
}

TEST(Queries, AreTheThesesWorkload) {
  // 50 ages; theta 0.1 and lambda 3 give edges of 0.1^(1/4) = 0.5623: 28 of 50 values, 2 of 4 categories (2.25).
  const RandomRelease made = MakeRandomRelease(1, {.ages = 49});  // and the missing value
  const std::vector<CountQuery> queries = MakeQueries(made.data, {.queries = 500});
  ASSERT_EQ(queries.size(), 500u);
  std::set<Code> starts;
  for (const CountQuery& query : queries) {
    ASSERT_EQ(query.size(), 4u);
    std::set<std::size_t> columns;
    for (const Predicate& predicate : query) {
      columns.insert(predicate.column);
      const Code length = predicate.values.hi - predicate.values.lo + 1;
      if (predicate.column == 0) {
        EXPECT_EQ(length, 28);
        starts.insert(predicate.values.lo);
      }
      if (predicate.column == 3) {
        EXPECT_EQ(length, 2);
      }
      EXPECT_GE(predicate.values.lo, 0);
      EXPECT_LT(predicate.values.hi, made.data.columns[predicate.column].attribute.domain->size());
    }
    EXPECT_EQ(columns.size(), 4u);
    EXPECT_EQ(query.back().column, 3u);
  }
  EXPECT_EQ(starts.size(), 23u);  // 0 to 22, every place that fits
  EXPECT_EQ(*starts.rbegin(), 22);
}

TEST(Queries, ASmallReleaseByHand) {
  // Ages 0 to 3, two boxes [0,1] and [2,3] of two rows each; the query asks for 1 to 2 and for flu.
  const auto ages = test::Numbers(0, 3);
  const auto ills = test::Flat({"flu", "gout"});
  const test::Texts illness = {"flu", "gout", "flu", "flu"};
  const RandomRelease made{
      test::BuildMicrodata({{"age", Role::kQuasi, ages, {"0", "1", "2", "3"}}, {"illness", Role::kSensitive, ills, illness}}),
      test::BuildRelease(
          {{"age", Role::kQuasi, ages, {"[0,1]", "[0,1]", "[2,3]", "[2,3]"}}, {"illness", Role::kSensitive, ills, illness}})};
  const std::vector<CountQuery> queries = {{{0, {1, 2}}, {1, {0, 0}}}};
  EXPECT_EQ(CountQueries(made.data, queries, {})[0], 1u);
  EXPECT_DOUBLE_EQ(EstimateQueries(made.data, made.release, queries, {}).value()[0], 1.5);
}

TEST(Queries, ExactCellsGiveExactAnswers) {
  RandomRelease made = MakeRandomRelease(2, {.rows = 300});
  Groups single;
  for (RowId row = 0; row < made.data.num_rows; ++row) single.Add(std::span(&row, 1));
  Random random = Random::FromSeed(3);
  made.release = Recode(View::All(made.data), single, {}, random, {});
  const QueryError error = MeasureQueryError(made.data, made.release, {.queries = 400}, {}).value();
  EXPECT_EQ(error.queries, 400u);
  EXPECT_EQ(error.median, 0);
  EXPECT_EQ(error.mean, 0);
  EXPECT_EQ(error.quantiles.size(), 11u);
}

TEST(Queries, WithoutRowsOrColumnsThereIsNoError) {
  const RandomRelease none = MakeRandomRelease(2, {.rows = 0});
  const QueryError error = MeasureQueryError(none.data, none.release, {.queries = 10}, {}).value();
  EXPECT_EQ(error.empty, 10u);
  EXPECT_TRUE(error.quantiles.empty());
  EXPECT_EQ(error.median, 0);
  EXPECT_TRUE(MakeQueries(Microdata{}, {}).empty());
}

TEST(Queries, AnUnreadableCellIsNamedByRowAndColumnOnly) {
  RandomRelease made = MakeRandomRelease(1, {});
  std::vector<std::string> cells(made.release.num_rows, "12x");
  made.release.columns[0].text = test::TextColumn({"age", Role::kQuasi, nullptr, cells});
  const auto measured = MeasureQueryError(made.data, made.release, {}, {});
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().message(), "row 1, column 'age': the cell is not a value, label or range of this attribute");
}

TEST(Queries, OptionsAreChecked) {
  EXPECT_TRUE(QueryOptions{}.Validate().ok());
  EXPECT_FALSE(QueryOptions{.queries = 0}.Validate().ok());
  EXPECT_FALSE(QueryOptions{.quasi = 0}.Validate().ok());
  EXPECT_FALSE(QueryOptions{.selectivity = 0}.Validate().ok());
  EXPECT_FALSE(QueryOptions{.selectivity = 1.1}.Validate().ok());
}

}  // namespace
}  // namespace cordon::engine
