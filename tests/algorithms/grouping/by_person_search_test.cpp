// SPDX-License-Identifier: Apache-2.0
//
// Searches under models that are not merge-closed: what comes out holds as it is read, also where groups are published alike.
#include <gtest/gtest.h>

#include <set>

#include "cordon/algorithms/grouping/group_merge.h"
#include "cordon/algorithms/mondrian/mondrian.h"
#include "cordon/algorithms/partition/partition.h"
#include "cordon/data/recode.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/verify/verifier.h"
#include "tests/models/random_cases.h"

namespace cordon::engine::test {
namespace {

// Two quasi columns whose texts are coarse, so that groups are often published alike; people have several rows.
Microdata PeopleWithSeveralRows(std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  TestColumn town{
      "town",
      Role::kQuasi,
      Tree({{"a", "north", "*"}, {"b", "north", "*"}, {"c", "north", "*"}, {"d", "south", "*"}, {"e", "south", "*"}}),
      {}};
  TestColumn age{"age", Role::kQuasi, Numbers(0, 9), {}};
  TestColumn sensitive{"s", Role::kSensitive, Numbers(1, 6), {}};
  std::vector<Code> persons;
  const std::int64_t rows = Between(random, 20, 90);
  const auto people = static_cast<std::uint64_t>(Between(random, 8, 40));
  for (std::int64_t row = 0; row < rows; ++row) {
    town.cells.push_back(std::string(1, static_cast<char>('a' + random.Below(5))));
    age.cells.push_back(std::to_string(random.Below(10)));
    sensitive.cells.push_back(std::to_string(1 + random.Below(6)));
    persons.push_back(static_cast<Code>(random.Below(people)));
  }
  return BuildMicrodata({town, age, sensitive}, persons);
}

std::vector<ModelSpec> SomeSpecs(Random& random) {
  std::vector<ModelSpec> specs = {KAnonymitySpec{2, {}}};
  switch (random.Below(4)) {
    case 0: specs.push_back(LDiversitySpec{"s", 2, LDiversitySpec::Kind::kDistinct, {}, CountBy::kPersons}); break;
    case 1: specs.push_back(LDiversitySpec{"s", 2, LDiversitySpec::Kind::kRecursive, Rational(3), CountBy::kPersons}); break;
    case 2:
      specs.push_back(TClosenessSpec{"s", Rational(Between(random, 4, 9), 20), Distance::kOrdered, CountBy::kPersons});
      break;
    default:
      specs.push_back(
          BetaLikenessSpec{"s", Rational(Between(random, 1, 3)), BetaLikenessSpec::Kind::kEnhanced, {}, {}, CountBy::kPersons});
  }
  return specs;
}

TEST(ByPersonSearch, WhatIsPublishedHolds) {
  const cordon::engine::Run run{};
  int alike = 0;
  int several = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const Microdata data = PeopleWithSeveralRows(seed);
    Random random = Random::FromSeed(seed).Substream("specs");
    const std::vector<ModelSpec> specs = SomeSpecs(random);
    const View view = View::All(data);
    const Reference reference = ReferenceOf(data, view.rows());
    const AllOf model = AllOf::Make(specs, reference).value();
    ASSERT_FALSE(model.merge_closed());
    const CountedColumns counted = ColumnsFor(model, data, {2});
    const MondrianOptions loose{.categorical = MondrianOptions::Categorical::kOrdered, .relaxed = true};
    for (const bool partition : {false, true}) {
      auto found = partition ? Partition(view, model, counted, {}, run) : Mondrian(view, model, counted, loose, run);
      if (!found.ok()) continue;  // l-diversity of all rows fails already
      const std::size_t before = found.value().size();
      const Groups groups = MergeUntilReadAsAdmitted(view, std::move(found).value(), model, counted, run).value();
      EXPECT_EQ(groups.rows.size(), data.num_rows);
      EXPECT_EQ(std::set<RowId>(groups.rows.begin(), groups.rows.end()).size(), data.num_rows);
      alike += groups.size() < before ? 1 : 0;
      several += groups.size() > 1 ? 1 : 0;
      const Release release = Recode(view, groups, {}, random, run);
      const std::vector<Verdict> verdicts = Verifier(specs).Judge(release, run).value();
      for (const Verdict& verdict : verdicts) {
        ASSERT_TRUE(verdict.holds) << Explain(verdict);
      }
    }
  }
  EXPECT_GT(alike, 20);
  EXPECT_GT(several, 200);
}

}  // namespace
}  // namespace cordon::engine::test
