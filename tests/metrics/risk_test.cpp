// SPDX-License-Identifier: Apache-2.0
#include "cordon/metrics/risk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cordon/base/random.h"
#include "tests/metrics/small_release.h"

namespace cordon::engine {
namespace {

TEST(Risk, OfThreeGroupsByHand) {
  // Groups of 1, 2 and 5 rows, every row a person.
  const std::vector<GroupPeople> groups = {{1, 1}, {2, 2}, {5, 5}};
  const Risk risk = MeasureRisk(groups, {.threshold = Rational(1, 5)});
  EXPECT_EQ(risk.rows, 8u);
  EXPECT_EQ(risk.groups, 3u);
  EXPECT_DOUBLE_EQ(risk.prosecutor.average, 3.0 / 8);
  EXPECT_DOUBLE_EQ(risk.prosecutor.highest, 1);
  EXPECT_EQ(risk.prosecutor.rows_above, 3u);  // 1/5 is not above 1/5
  EXPECT_DOUBLE_EQ(risk.prosecutor.share_above, 3.0 / 8);
  EXPECT_DOUBLE_EQ(risk.journalist.average, risk.prosecutor.average);
  EXPECT_EQ(risk.journalist.rows_above, 3u);
  EXPECT_DOUBLE_EQ(risk.marketer, 3.0 / 8);
  EXPECT_EQ(risk.unique_rows, 1u);
  EXPECT_DOUBLE_EQ(risk.sample_uniqueness, 1.0 / 8);
  EXPECT_EQ(risk.population.model, PopulationUniques::Model::kCounted);
  EXPECT_DOUBLE_EQ(risk.population.people, 1);
}

TEST(Risk, CountsPeopleNotRows) {
  const Release release = testing::SmallRelease({{"20", "Oslo"}, {"20", "Oslo"}, {"20", "Oslo"}, {"50", "Rom"}});
  Release known = release;
  Codes persons;
  persons.Append({0, 0, 0, 1});
  known.persons = persons;
  EXPECT_DOUBLE_EQ(MeasureRisk(release, {}, {}).prosecutor.average, 2.0 / 4);
  const Risk risk = MeasureRisk(known, {}, {});
  EXPECT_DOUBLE_EQ(risk.prosecutor.average, 1);
  EXPECT_EQ(risk.unique_rows, 4u);
}

TEST(Risk, AGroupColumnTellsRowsApart) {
  Release release = testing::SmallRelease({{"20", "Oslo"}, {"20", "Oslo"}, {"20", "Oslo"}, {"20", "Oslo"}});
  EXPECT_DOUBLE_EQ(MeasureRisk(release, {}, {}).prosecutor.highest, 0.25);
  release.columns.push_back({{"group", Role::kGroup, nullptr, 1}, testing::TextColumn("group", {"a", "a", "b", "b"})});
  EXPECT_DOUBLE_EQ(MeasureRisk(release, {}, {}).prosecutor.highest, 0.5);
}

TEST(Risk, ColumnsPublishedAsTheyAreSingleOut) {
  Release release = testing::SmallRelease({{"20", "Oslo"}, {"20", "Oslo"}, {"50", "Rom"}, {"50", "Rom"}});
  release.columns.push_back({{"bill", Role::kInsensitive, nullptr, 1}, testing::TextColumn("bill", {"1", "2", "2", "2"})});
  const std::vector<std::string> bill = {"bill", "not there"};
  const std::optional<ExactRisk> risk = MeasureExactRisk(release, bill, {});
  ASSERT_TRUE(risk);
  EXPECT_EQ(risk->columns, std::vector<std::string>{"bill"});
  EXPECT_DOUBLE_EQ(risk->unique_alone, 1.0 / 4);
  EXPECT_DOUBLE_EQ(risk->unique_with_quasi, 2.0 / 4);
  EXPECT_FALSE(MeasureExactRisk(release, {}, {}));
}

TEST(Risk, OfNoRowsIsNone) {
  const Risk risk = MeasureRisk(testing::SmallRelease({}), {.sampling_fraction = 0.1}, {});
  EXPECT_EQ(risk.rows, 0u);
  EXPECT_EQ(risk.prosecutor.average, 0);
  EXPECT_EQ(risk.population.people, 0);
}

TEST(Risk, OptionsAreChecked) {
  EXPECT_TRUE(RiskOptions{}.Validate().ok());
  EXPECT_FALSE((RiskOptions{.sampling_fraction = 0}.Validate().ok()));
  EXPECT_FALSE((RiskOptions{.sampling_fraction = 1.5}.Validate().ok()));
  EXPECT_FALSE((RiskOptions{.sampling_fraction = std::nan("")}.Validate().ok()));
  EXPECT_FALSE((RiskOptions{.threshold = Rational(3, 2)}.Validate().ok()));
}

// E[1 / F] by adding up P(F) / F, F = f, f + 1, ...
double SlowReciprocal(std::uint64_t f, double p) {
  double chance = std::pow(p, static_cast<double>(f));
  double sum = 0;
  for (std::uint64_t people = f; people < 200000; ++people) {
    sum += chance / static_cast<double>(people);
    chance *= static_cast<double>(people) / static_cast<double>(people - f + 1) * (1 - p);
  }
  return sum;
}

TEST(Risk, JournalistExpectsTheReciprocalOfANegativeBinomial) {
  EXPECT_NEAR(ExpectedReciprocals(1, 0.1)[0], 0.1 / 0.9 * std::log(10), 1e-15);  // the case of sample uniques
  for (const double p : {0.01, 0.1, 0.3, 0.5, 0.500001, 0.7, 0.99}) {
    SCOPED_TRACE(p);
    const std::vector<double> risks = ExpectedReciprocals(60, p);
    for (const std::size_t f : {1, 2, 3, 7, 20, 60}) EXPECT_NEAR(risks[f - 1], SlowReciprocal(f, p), 1e-9);
    const std::vector<double> far = ExpectedReciprocals(100000, p);
    EXPECT_NEAR(far.back() * 100000 / p, 1, 1e-4);
    for (std::size_t f = 1; f < far.size(); ++f) ASSERT_LT(far[f], far[f - 1]);
  }
  EXPECT_DOUBLE_EQ(ExpectedReciprocals(4, 1)[3], 0.25);
}

TEST(Risk, ZayatzByHand) {
  // 2 unique people and 1 pair in a sample of 4 out of 8: P_1(1) = 1/2, P_2(1) = 2 * 4 * 4 / (8 * 7) = 4/7.
  const std::vector<SizeCount> sizes = {{1, 2}, {2, 1}};
  const double given_once = (2.0 / 3 * 0.5) / (2.0 / 3 * 0.5 + 1.0 / 3 * 4 / 7);
  EXPECT_NEAR(ZayatzUniques(sizes, 0.5).value(), 2 * given_once / 0.5, 1e-12);
}

std::vector<SizeCount> SizesOf(const std::map<std::uint64_t, std::uint64_t>& counts) {
  std::vector<SizeCount> sizes;
  for (const auto& [size, groups] : counts) sizes.push_back({size, groups});
  return sizes;
}

// A population of groups with a known number of unique people, and the group sizes of a simple random sample of it.
struct Drawn {
  double uniques = 0;
  double population = 0;
  std::vector<SizeCount> sample;
};
Drawn Draw(const std::vector<std::uint64_t>& population, double fraction, std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  Drawn drawn;
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint64_t size : population) {
    std::uint64_t seen = 0;
    for (std::uint64_t i = 0; i < size; ++i) seen += random.Unit() < fraction;
    if (seen > 0) ++counts[seen];
    drawn.population += static_cast<double>(size);
    drawn.uniques += size == 1;
  }
  drawn.sample = SizesOf(counts);
  return drawn;
}

// Groups as Pitman's model makes them: each person joins a group of j people with weight j - alpha, or founds one.
std::vector<std::uint64_t> PitmanGroups(double theta, double alpha, std::size_t people, std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  std::vector<std::uint64_t> sizes = {1};
  std::vector<std::size_t> group_of = {0};
  while (group_of.size() < people) {
    const double found = theta + alpha * static_cast<double>(sizes.size());
    if (random.Unit() * (theta + static_cast<double>(group_of.size())) < found) {
      group_of.push_back(sizes.size());
      sizes.push_back(1);
      continue;
    }
    for (;;) {  // someone's group, rejected in proportion to alpha / size
      const std::size_t group = group_of[random.Below(group_of.size())];
      if (random.Unit() * static_cast<double>(sizes[group]) < alpha) continue;
      ++sizes[group];
      group_of.push_back(group);
      break;
    }
  }
  return sizes;
}

TEST(Risk, PitmanFindsTheUniquesOfItsOwnModel) {
  for (const double fraction : {0.02, 0.05, 0.1}) {
    for (const auto& [theta, alpha] : {std::pair{200.0, 0.3}, std::pair{50.0, 0.6}, std::pair{1000.0, 0.05}}) {
      SCOPED_TRACE(fmt::format("fraction {} theta {} alpha {}", fraction, theta, alpha));
      const Drawn drawn = Draw(PitmanGroups(theta, alpha, 200000, 7), fraction, 1);
      EXPECT_NEAR(PitmanUniques(drawn.sample, fraction).value() / drawn.uniques, 1, 0.35);
      EXPECT_EQ(EstimatePopulationUniques(drawn.sample, fraction).model, PopulationUniques::Model::kPitman);
    }
  }
}

// 1 + NB(1, beta): geometric sizes.
std::vector<std::uint64_t> GeometricGroups(double beta, std::size_t groups, std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  std::vector<std::uint64_t> sizes(groups, 1);
  for (std::uint64_t& size : sizes) {
    while (random.Unit() < beta) ++size;
  }
  return sizes;
}

TEST(Risk, SnbFindsTheUniquesOfItsOwnModel) {
  for (const double fraction : {0.15, 0.3, 0.6}) {
    for (const double beta : {0.4, 0.7, 0.9}) {
      SCOPED_TRACE(fmt::format("fraction {} beta {}", fraction, beta));
      const Drawn drawn = Draw(GeometricGroups(beta, 40000, 3), fraction, 2);
      const auto estimate = SnbUniques(drawn.sample, fraction);
      ASSERT_TRUE(estimate.has_value());
      EXPECT_NEAR(*estimate / drawn.uniques, 1, 0.15);
    }
  }
}

TEST(Risk, TheRuleTakesTheSmallerOfZayatzAndSnbAboveATenth) {
  const Drawn drawn = Draw(GeometricGroups(0.7, 20000, 5), 0.3, 4);
  const double snb = SnbUniques(drawn.sample, 0.3).value();
  const double zayatz = ZayatzUniques(drawn.sample, 0.3).value();
  const PopulationUniques chosen = EstimatePopulationUniques(drawn.sample, 0.3);
  EXPECT_DOUBLE_EQ(chosen.people, std::min(snb, zayatz));
  EXPECT_GT(chosen.share, 0);
  EXPECT_LT(chosen.share, 1);
}

TEST(Risk, EstimatorsWithoutASolutionSaySo) {
  const std::vector<SizeCount> all_unique = {{1, 50}};
  EXPECT_FALSE(PitmanUniques(all_unique, 0.05).has_value());
  const PopulationUniques chosen = EstimatePopulationUniques(all_unique, 0.05);
  EXPECT_EQ(chosen.model, PopulationUniques::Model::kZayatz);
  EXPECT_DOUBLE_EQ(chosen.people, 1000);
  const std::vector<SizeCount> none_unique = {{5, 10}};
  EXPECT_EQ(EstimatePopulationUniques(none_unique, 0.05).people, 0);
}

TEST(Risk, EstimatesStayWithinThePopulationWhateverTheSizes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random = Random::FromSeed(seed);
    std::map<std::uint64_t, std::uint64_t> counts;
    double people = 0;
    for (std::uint64_t i = 0; i <= random.Below(5); ++i) {
      const std::uint64_t size = 1 + random.Below(seed % 3 == 0 ? 3 : 5000);
      const std::uint64_t groups = 1 + random.Below(seed % 2 == 0 ? 4 : 3000);
      counts[size] += groups;
      people += static_cast<double>(size * groups);
    }
    const double fraction = std::max(1e-6, random.Unit());
    const std::vector<SizeCount> sizes = SizesOf(counts);
    for (const auto& estimate : {PitmanUniques(sizes, fraction), ZayatzUniques(sizes, fraction), SnbUniques(sizes, fraction)}) {
      if (!estimate) continue;
      ASSERT_GE(*estimate, 0) << seed;
      ASSERT_LE(*estimate, people / fraction * (1 + 1e-9)) << seed;
    }
    ASSERT_TRUE(std::isfinite(EstimatePopulationUniques(sizes, fraction).share));
  }
}

}  // namespace
}  // namespace cordon::engine
