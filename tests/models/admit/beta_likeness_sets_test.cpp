// SPDX-License-Identifier: Apache-2.0
//
// beta-likeness of sets of related values: runs of numbers, subtrees of categories.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "cordon/models/admit/beta_likeness.h"
#include "cordon/models/verify/verifier.h"
#include "tests/models/random_cases.h"

namespace cordon::engine::test {
namespace {

using Counts = std::vector<std::int64_t>;
using BetaKind = BetaLikenessSpec::Kind;

std::int64_t Sum(const Counts& counts) {
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) sum += count;
  return sum;
}

bool Admits(const BetaLikenessSpec& spec, const Domain& domain, const Counts& whole, const Counts& group) {
  const SetLimits sets = SetLimits::Make(spec, domain, whole, Sum(whole)).value();
  return ShareLimits::Beta(spec, whole, Sum(whole)).Admit(ValueHistogram(group), Sum(group)) &&
         sets.Admit(ValueHistogram(group), Sum(group));
}

BetaLikenessSpec Range(const Rational& beta, const Rational& range) { return {"s", beta, BetaKind::kEnhanced, range, {}}; }
BetaLikenessSpec Depth(const Rational& beta, std::int64_t depth) { return {"s", beta, BetaKind::kEnhanced, {}, depth}; }

// Two values of 5 % may rise to 19.97 % each, but the pair not to 39.9 %: its own bound is 33 %.
TEST(BetaLikenessSets, SingleValuesThatHoldMayFailTogether) {
  const Counts whole = {500, 500, 9000};
  const Counts group = {1997, 1997, 6006};
  const DomainPtr domain = Numbers(1, 3);
  EXPECT_TRUE(Admits({"s", 5, BetaKind::kEnhanced}, *domain, whole, group));
  EXPECT_TRUE(Admits(Range(5, Rational(99, 100)), *domain, whole, group));
  EXPECT_FALSE(Admits(Range(5, 1), *domain, whole, group));
  const Counts less = {1651, 1651, 6698};  // 33.02 %
  EXPECT_TRUE(Admits(Range(5, 1), *domain, whole, less));
  const Counts more = {1651, 1652, 6697};  // 33.03 %
  EXPECT_FALSE(Admits(Range(5, 1), *domain, whole, more));
  // The basic bound is linear: what holds for the parts holds for the sum.
  EXPECT_TRUE(Admits({"s", 5, BetaKind::kBasic, Rational(1), {}}, *domain, whole, group));
}

TEST(BetaLikenessSets, DiseasesOfOneOrgan) {
  const DomainPtr domain =
      Tree({{"SARS", "lung", "*"}, {"flu", "lung", "*"}, {"ulcer", "stomach", "*"}, {"gastritis", "stomach", "*"}});
  const Counts whole = {500, 500, 4500, 4500};
  const Counts group = {1900, 1900, 3100, 3100};
  EXPECT_TRUE(Admits({"s", 5, BetaKind::kEnhanced}, *domain, whole, group));
  EXPECT_FALSE(Admits(Depth(5, 1), *domain, whole, group));
  EXPECT_FALSE(Admits(Depth(5, 0), *domain, whole, group));
  EXPECT_TRUE(Admits(Depth(5, 2), *domain, whole, group));  // no inner node is so deep
}

TEST(BetaLikenessSets, RangesAreInTheUnitsOfTheColumn) {
  // 1.5, 2.0 and 4.0, with one digit after the point.
  Domain::NumericSpec spec;
  spec.scale = 1;
  spec.values = {15, 20, 40};
  spec.range_lo = 15;
  spec.range_hi = 40;
  const Domain domain = Domain::Numeric(spec);
  const Counts whole = {3000, 3000, 4000};
  EXPECT_EQ(SetLimits::Make(Range(5, Rational(1, 2)), domain, whole, 10'000).value().size(), 1u);
  EXPECT_EQ(SetLimits::Make(Range(5, Rational(49, 100)), domain, whole, 10'000).value().size(), 0u);
  EXPECT_EQ(SetLimits::Make(Range(5, 2), domain, whole, 10'000).value().size(), 2u);
  EXPECT_EQ(SetLimits::Make(Range(5, 3), domain, whole, 10'000).value().size(), 2u);  // all three are everybody
}

TEST(BetaLikenessSets, AMissingNumberIsInNoRun) {
  const DomainPtr domain = Numbers(1, 2, "?");
  EXPECT_EQ(SetLimits::Make(Range(5, 100), *domain, {3000, 3000, 4000}, 10'000).value().size(), 1u);
}

TEST(BetaLikenessSets, WrongDomainsAndTooManyRunsAreRefused) {
  EXPECT_FALSE(SetLimits::Make(Range(1, 1), *Flat({"a", "b"}), {1, 1}, 2).ok());
  EXPECT_FALSE(SetLimits::Make(Depth(1, 1), *Numbers(1, 2), {1, 1}, 2).ok());
  const auto many = SetLimits::Make(Range(20, 1'000'000), *Numbers(1, 5000), Counts(5000, 1), 5000);
  ASSERT_FALSE(many.ok());
  EXPECT_EQ(many.error().kind(), ErrorKind::kInvalidPolicy);
}

// Only sets above e^-beta are kept; the answer is that of looking at every set.
TEST(BetaLikenessSets, LookingAtFewerSetsChangesNoAnswer) {
  int refused_by_sets = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const auto size = static_cast<Code>(Between(random, 2, 7));
    Counts whole;
    Counts group;
    for (Code i = 0; i < size; ++i) {
      whole.push_back(Between(random, 0, 30));
      group.push_back(random.Below(3) == 0 ? whole.back() : Between(random, 0, whole.back()));
    }
    if (Sum(group) == 0) continue;
    const BetaLikenessSpec spec = Range(Rational(Between(random, 1, 16), 4), Between(random, 1, 6));
    const auto within = [&](std::int64_t count, std::int64_t all) {
      const long double p = static_cast<long double>(all) / static_cast<long double>(Sum(whole));
      const long double gain = std::min(static_cast<long double>(spec.beta.ToDouble()), -std::log(p));
      return static_cast<long double>(count) / static_cast<long double>(Sum(group)) <= p * (1 + gain) + 1e-15L;
    };
    bool single = true;
    bool together = true;
    for (Code i = 0; i < size; ++i) {
      std::int64_t count = 0;
      std::int64_t all = 0;
      for (Code j = i; j < size && Rational(j - i) <= *spec.range; ++j) {
        count += group[j];
        all += whole[j];
        if (count == 0) continue;
        (i == j ? single : together) &= within(count, all);
      }
    }
    EXPECT_EQ(Admits(spec, *Numbers(1, size), whole, group), single && together);
    refused_by_sets += single && !together ? 1 : 0;
  }
  EXPECT_GT(refused_by_sets, 50);
}

TEST(BetaLikenessSets, TheVerifierReportsTheGainOfTheSet) {
  const Texts groups = {"1", "1", "1", "1", "2", "2", "2", "2", "2", "2", "2", "2"};
  const Texts values = {"1", "2", "5", "9", "5", "5", "5", "5", "9", "9", "9", "9"};
  const Release release =
      BuildRelease({{"q", Role::kQuasi, Numbers(1, 2), groups}, {"s", Role::kSensitive, Numbers(1, 9), values}});
  const auto judge = [&](const BetaLikenessSpec& spec) {
    return Verifier({spec}).Judge(release, cordon::engine::Run{}).value()[0];
  };
  EXPECT_TRUE(judge({"s", 2, BetaKind::kEnhanced}).holds);  // 1/4 of the group against 1/12
  EXPECT_EQ(judge({"s", 2, BetaKind::kEnhanced}).reached_text, "2");
  // Together 1/2 against 1/6: the gain is 2 as well, but -ln(1/6) is 1.79.
  EXPECT_FALSE(judge(Range(2, 1)).holds);
  EXPECT_TRUE(judge(Range(2, Rational(1, 2))).holds);
  EXPECT_EQ(judge(Range(2, 1)).text, "beta-likeness(s, beta=2, enhanced, range=1)");
}

// Whole squares of runs are settled at once; the answer is that of looking at every run.
TEST(BetaLikenessSets, TheVerifierSettlesRunsAsLookingAtEachWould) {
  int refused_by_runs = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    const std::int64_t size = Between(random, 3, 14);
    Texts groups;
    Texts values;
    std::map<std::string, Counts> counts;
    Counts whole(static_cast<std::size_t>(size) + 1);
    const std::int64_t rows = Between(random, 8, 80);
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t value = Between(random, 1, size);
      groups.push_back(Between(random, 1, size + 4) > value + 2 ? "1" : "2");
      values.push_back(std::to_string(value));
      counts[groups.back()].resize(whole.size());
      ++counts[groups.back()][static_cast<std::size_t>(value)];
      ++whole[static_cast<std::size_t>(value)];
    }
    const BetaLikenessSpec spec = Range(1000, Between(random, 1, size));
    bool single = true;
    bool together = true;
    for (const auto& [name, group] : counts) {
      for (std::int64_t i = 1; i <= size; ++i) {
        std::int64_t count = 0;
        std::int64_t all = 0;
        for (std::int64_t j = i; j <= size && Rational(j - i) <= *spec.range; ++j) {
          count += group[static_cast<std::size_t>(j)];
          all += whole[static_cast<std::size_t>(j)];
          if (count == 0) continue;
          const long double p = static_cast<long double>(all) / static_cast<long double>(rows);
          const long double q = static_cast<long double>(count) / static_cast<long double>(Sum(group));
          (i == j ? single : together) &= q <= p * (1 - std::log(p)) + 1e-15L;
        }
      }
    }
    const Release release =
        BuildRelease({{"q", Role::kQuasi, Numbers(1, 2), groups}, {"s", Role::kSensitive, Numbers(1, size), values}});
    EXPECT_EQ(Verifier({spec}).Judge(release, cordon::engine::Run{}).value()[0].holds, single && together);
    refused_by_runs += single && !together ? 1 : 0;
  }
  EXPECT_GT(refused_by_runs, 50);
}

// 500 million runs of values of one group, were they looked at one by one.
TEST(BetaLikenessSets, TheVerifierIsNotSlowedDownByAWideRange) {
  Texts groups;
  Texts values;
  for (int value = 1; value <= 60'000; ++value) {
    groups.push_back(value % 2 == 0 ? "1" : "2");
    values.push_back(std::to_string(value));
  }
  const Release release =
      BuildRelease({{"q", Role::kQuasi, Numbers(1, 2), groups}, {"s", Role::kSensitive, Numbers(1, 60'000), values}});
  EXPECT_TRUE(Verifier({Range(2, 20'000)}).Judge(release, cordon::engine::Run{}).value()[0].holds);
}

}  // namespace
}  // namespace cordon::engine::test
