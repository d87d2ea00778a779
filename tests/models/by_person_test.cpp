// SPDX-License-Identifier: Apache-2.0
//
// counts = "persons": worked examples of docs/models/counts_persons.md, and the group models and the verifier against an oracle
// that is written from that page.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "cordon/data/recode.h"
#include "cordon/models/admit/all_of.h"
#include "cordon/models/verify/verifier.h"
#include "tests/models/random_cases.h"

namespace cordon::engine::test {
namespace {

using LKind = LDiversitySpec::Kind;
using BKind = BetaLikenessSpec::Kind;

LDiversitySpec DistinctL(std::int64_t l) { return {"s", l, LKind::kDistinct, {}, CountBy::kPersons}; }
LDiversitySpec RecursiveL(std::int64_t l, Rational c) { return {"s", l, LKind::kRecursive, c, CountBy::kPersons}; }
TClosenessSpec Closeness(Rational t, Distance distance) { return {"s", t, distance, CountBy::kPersons}; }
BetaLikenessSpec Likeness(Rational beta, BKind kind) { return {"s", beta, kind, {}, {}, CountBy::kPersons}; }

Verdict JudgeOne(const Release& release, const ModelSpec& spec) {
  return Verifier({spec}).Judge(release, cordon::engine::Run{}).value()[0];
}

// A row: group, person, value.
struct Row {
  const char* group;
  Code person;
  const char* value;
};

Release ReleaseOf(const std::vector<Row>& rows, DomainPtr domain) {
  TestColumn group{"q", Role::kQuasi, nullptr, {}};
  TestColumn sensitive{"s", Role::kSensitive, std::move(domain), {}};
  std::vector<Code> persons;
  for (const Row& row : rows) {
    group.cells.emplace_back(row.group);
    sensitive.cells.emplace_back(row.value);
    persons.push_back(row.person);
  }
  return BuildRelease({group, sensitive}, persons);
}

// Four people have flu; a fifth has flu and four other diseases.
std::vector<Row> EverybodyHasFlu() {
  return {{"x", 0, "flu"},  {"x", 1, "flu"},  {"x", 2, "flu"},  {"x", 3, "flu"}, {"x", 4, "flu"},
          {"x", 4, "cold"}, {"x", 4, "gout"}, {"x", 4, "mump"}, {"x", 4, "pox"}};
}

DomainPtr Ailments() { return Flat({"cold", "flu", "gout", "mump", "pox"}, "?"); }

TEST(ByPerson, OnePersonCannotMakeAGroupDiverse) {
  const Release release = ReleaseOf(EverybodyHasFlu(), Ailments());
  const Verdict by_rows = JudgeOne(release, LDiversitySpec{"s", 3, LKind::kDistinct, {}});
  EXPECT_TRUE(by_rows.holds);
  EXPECT_EQ(by_rows.warnings, std::vector<std::string>{"in 1 of 1 groups a person has several rows: one person's rows can make "
                                                       "a group look diverse; set counts = \"persons\" to count people"});
  const Verdict by_person = JudgeOne(release, DistinctL(2));
  EXPECT_FALSE(by_person.holds);
  EXPECT_EQ(by_person.reached_text, "1");
  EXPECT_EQ(by_person.text, "l-diversity(s, l=2, distinct, by person)");
  EXPECT_TRUE(by_person.warnings.empty());
  EXPECT_EQ(JudgeOne(release, RecursiveL(2, 100)).reached_text, "infinite");
  EXPECT_EQ(JudgeOne(release, RecursiveL(1, 2)).reached_text, "1");  // flu 5 of 5 people
}

// Only models that could count people say so.
TEST(ByPerson, TheWarningNamesTheCureWhereThereIsOne) {
  const Release release = ReleaseOf(EverybodyHasFlu(), Ailments());
  const std::vector<std::string> none = {
      "in 1 of 1 groups a person has several rows: one person's rows can make a group look diverse; this model counts rows "
      "only"};
  EXPECT_EQ(JudgeOne(release, LDiversitySpec{"s", 2, LKind::kEntropy, {}}).warnings, none);
  EXPECT_EQ(JudgeOne(release, DeltaDisclosureSpec{"s", 2}).warnings, none);
  EXPECT_NE(JudgeOne(release, TClosenessSpec{"s", 1, Distance::kEqual}).warnings, none);
  EXPECT_NE(JudgeOne(release, BetaLikenessSpec{"s", 1, BKind::kBasic}).warnings, none);
}

// Flu 3 of 5 people, cold 2, gout 1: flu leaves 2, flu and cold may leave nobody.
TEST(ByPerson, MostWidespreadValuesAreTakenAway) {
  const Release release = ReleaseOf({{"x", 0, "flu"},
                                     {"x", 1, "flu"},
                                     {"x", 2, "flu"},
                                     {"x", 2, "flu"},
                                     {"x", 2, "cold"},
                                     {"x", 3, "cold"},
                                     {"x", 4, "gout"}},
                                    Ailments());
  EXPECT_EQ(JudgeOne(release, DistinctL(2)).reached_text, "2");
  EXPECT_TRUE(JudgeOne(release, DistinctL(2)).holds);
  EXPECT_FALSE(JudgeOne(release, DistinctL(3)).holds);
  EXPECT_EQ(JudgeOne(release, RecursiveL(2, 2)).reached_text, "3/2");
  EXPECT_TRUE(JudgeOne(release, RecursiveL(2, 2)).holds);
  EXPECT_FALSE(JudgeOne(release, RecursiveL(2, Rational(3, 2))).holds);
}

TEST(ByPerson, WhoHasOnlyMissingValuesIsLeftOut) {
  const Release release = ReleaseOf({{"x", 0, "flu"}, {"x", 0, "?"}, {"x", 1, "?"}, {"x", 1, "?"}, {"y", 2, "?"}}, Ailments());
  const Verdict verdict = JudgeOne(release, DistinctL(1));
  EXPECT_EQ(verdict.failing_groups, 1u);  // y has no value at all
  EXPECT_EQ(verdict.reached_text, "0");
  EXPECT_FALSE(JudgeOne(release, DistinctL(2)).holds);  // everybody with a value has flu
}

// Flu are 4 of 9 rows. In x a person has one row and one has two: 4/9 + 8/9 = 4/3 people are expected to have flu, and 2 do. In
// y gout is expected of 2/9 + 3/9 + 1/9 people, and one has it. However often one person has a cold, it is one person.
TEST(ByPerson, SharesArePeoplesShares) {
  const Release release = ReleaseOf({{"x", 0, "flu"},
                                     {"x", 1, "flu"},
                                     {"x", 1, "cold"},
                                     {"y", 2, "flu"},
                                     {"y", 2, "flu"},
                                     {"y", 3, "cold"},
                                     {"y", 3, "cold"},
                                     {"y", 3, "cold"},
                                     {"y", 4, "gout"}},
                                    Ailments());
  const Verdict beta = JudgeOne(release, Likeness(Rational(1, 2), BKind::kBasic));
  EXPECT_TRUE(beta.holds);
  EXPECT_EQ(beta.reached_text, "1/2");
  EXPECT_FALSE(JudgeOne(release, Likeness(Rational(2, 5), BKind::kBasic)).holds);
  EXPECT_FALSE(JudgeOne(release, Likeness(10, BKind::kEnhanced)).holds);             // flu in x: 1/2 is above -ln 2/3
  EXPECT_EQ(JudgeOne(release, Closeness(1, Distance::kEqual)).reached_text, "1/3");  // flu in x: 1 - 2/3
}

// Values 1 to 3 in 1, 2 and 1 of 4 rows. x: one person with 1 and 3. Of two rows 1/2 is expected to be up to 1, and the person
// has one; larger than 2 the same; up to 2, and larger than 1, is expected for certain. So 1/2 + 1/2 over 2 steps.
TEST(ByPerson, BothEndsOfAPersonsValuesCount) {
  const Release release = ReleaseOf({{"x", 0, "1"}, {"x", 0, "3"}, {"y", 1, "2"}, {"y", 2, "2"}}, Numbers(1, 3));
  const Verdict verdict = JudgeOne(release, Closeness(Rational(1, 2), Distance::kOrdered));
  EXPECT_EQ(verdict.reached_text, "1/2");
  EXPECT_TRUE(verdict.holds);
  EXPECT_FALSE(JudgeOne(release, Closeness(Rational(9, 20), Distance::kOrdered)).holds);
}

// x: both people have a lung disease, one of them two. Half of all rows are of the lung.
TEST(ByPerson, APersonCountsOnceBelowANode) {
  const DomainPtr tree =
      Tree({{"flu", "lung", "*"}, {"cold", "lung", "*"}, {"ulcer", "stomach", "*"}, {"cramp", "stomach", "*"}});
  const Release release = ReleaseOf(
      {{"x", 0, "flu"}, {"x", 0, "cold"}, {"x", 1, "flu"}, {"y", 2, "ulcer"}, {"y", 3, "cramp"}, {"y", 3, "ulcer"}}, tree);
  // flu: 1 - (4/6 + 2/6) / 2, cold: 1/2 - (2/6 + 1/6) / 2, lung: 1 - (1 + 1/2) / 2, each with the weight 1/2.
  EXPECT_EQ(JudgeOne(release, Closeness(1, Distance::kHierarchical)).reached_text, "1/2");
}

TEST(ByPerson, WhatOnlyRowsTellIsRefused) {
  LDiversitySpec entropy = DistinctL(2);
  entropy.kind = LKind::kEntropy;
  EXPECT_FALSE(Validate(entropy).ok());
  BetaLikenessSpec sets = Likeness(1, BKind::kEnhanced);
  sets.range = Rational(3);
  EXPECT_FALSE(Validate(sets).ok());
  sets.range.reset();
  sets.min_depth = 1;
  EXPECT_FALSE(Validate(sets).ok());
  EXPECT_FALSE(AlwaysHolds(Closeness(1, Distance::kEqual)));
  Release release = ReleaseOf(EverybodyHasFlu(), Ailments());
  release.persons = Codes();
  EXPECT_FALSE(Verifier({DistinctL(2)}).Judge(release, cordon::engine::Run{}).ok());
}

// --- against an oracle ---------------------------------------------------------------------------------------------

using Held = std::map<Code, std::map<Code, std::int64_t>>;  // person -> value -> rows

Held HeldBy(const Microdata& data, std::span<const RowId> rows) {
  Held held;
  for (const RowId row : rows) ++held[data.persons[row]][data.columns[2].codes[row]];
  return held;
}

std::int64_t HoldersOf(const Held& held, const std::set<Code>& wanted) {
  return std::count_if(held.begin(), held.end(), [&](const auto& each) {
    return std::any_of(each.second.begin(), each.second.end(), [&](const auto& own) { return wanted.contains(own.first); });
  });
}

// Times the number of all rows.
std::int64_t ExpectedOf(const Held& held, const std::set<Code>& wanted, const std::vector<std::int64_t>& whole) {
  const std::int64_t all = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
  std::int64_t set_rows = 0;
  for (const Code value : wanted) set_rows += whole[static_cast<std::size_t>(value)];
  std::int64_t expected = 0;
  for (const auto& [person, values] : held) {
    std::int64_t rows = 0;
    for (const auto& [value, count] : values) rows += count;
    expected += std::min(all, rows * set_rows);
  }
  return expected;
}

using Whole = std::vector<std::int64_t>;  // rows by value

bool OracleHolds(const LDiversitySpec& spec, const Held& group, const Whole&, const Domain& domain) {
  Held known;
  for (const auto& [person, values] : group) {
    for (const auto& [value, rows] : values) {
      if (value != domain.missing()) known[person][value] = rows;
    }
  }
  std::vector<std::int64_t> holders;
  for (Code value = 0; value < domain.size(); ++value) holders.push_back(HoldersOf(known, {value}));
  std::sort(holders.rbegin(), holders.rend());
  auto rest = static_cast<std::int64_t>(known.size());
  for (std::int64_t i = 0; i + 1 < spec.l.numerator() && i < static_cast<std::int64_t>(holders.size()); ++i) rest -= holders[i];
  if (spec.kind == LKind::kDistinct) return rest > 0;
  return holders[0] * spec.c->denominator() < rest * spec.c->numerator();
}

bool OracleHolds(const TClosenessSpec& spec, const Held& group, const Whole& whole, const Domain& domain) {
  std::vector<std::pair<std::set<Code>, std::int64_t>> sets;
  std::int64_t scale = 1;
  if (spec.distance == Distance::kEqual) {
    for (Code value = 0; value < domain.size(); ++value) sets.push_back({{value}, 1});
  } else if (spec.distance == Distance::kOrdered) {
    scale = std::max<std::int64_t>(domain.size() - 1, 1);
    for (Code cut = 1; cut < domain.size(); ++cut) {
      std::set<Code> below;
      std::set<Code> above;
      for (Code value = 0; value < domain.size(); ++value) (value < cut ? below : above).insert(value);
      sets.push_back({below, 1});
      sets.push_back({above, 1});
    }
  } else {
    const Hierarchy& tree = *domain.hierarchy();
    scale = std::max(tree.height(), 1);
    for (NodeId node = 1; node < tree.num_nodes(); ++node) {
      std::set<Code> leaves;
      for (Code leaf = tree.first_leaf(node); leaf <= tree.last_leaf(node); ++leaf) leaves.insert(leaf);
      sets.push_back({leaves, tree.height(tree.parent(node)) - tree.height(node)});
    }
  }
  const auto n = static_cast<std::int64_t>(group.size());
  const std::int64_t all = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
  std::int64_t rise = 0;
  for (const auto& [set, weight] : sets) {
    rise += weight * std::max<std::int64_t>(HoldersOf(group, set) * all - ExpectedOf(group, set, whole), 0);
  }
  return rise * spec.t.denominator() <= spec.t.numerator() * scale * n * all;
}

bool OracleHolds(const BetaLikenessSpec& spec, const Held& group, const Whole& whole, const Domain& domain) {
  for (Code value = 0; value < domain.size(); ++value) {
    const std::int64_t holders = HoldersOf(group, {value});
    if (holders == 0) continue;
    const std::int64_t all = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
    const double q = static_cast<double>(holders) / static_cast<double>(group.size());
    const double p =
        static_cast<double>(ExpectedOf(group, {value}, whole)) / (static_cast<double>(all) * static_cast<double>(group.size()));
    const double beta = static_cast<double>(spec.beta.numerator()) / static_cast<double>(spec.beta.denominator());
    const double gain = spec.kind == BKind::kBasic ? beta : std::min(beta, -std::log(p));
    if (q > (1 + gain) * p + 1e-12) return false;  // fractions of so few people are equal or farther apart
  }
  return true;
}

bool OracleHolds(const ModelSpec& spec, const Held& group, const Whole& whole, const Domain& domain) {
  if (const auto* diversity = std::get_if<LDiversitySpec>(&spec)) return OracleHolds(*diversity, group, whole, domain);
  if (const auto* closeness = std::get_if<TClosenessSpec>(&spec)) return OracleHolds(*closeness, group, whole, domain);
  return OracleHolds(std::get<BetaLikenessSpec>(spec), group, whole, domain);
}

// The random specs that can count people, counting them.
std::vector<ModelSpec> SpecsByPerson(Random& random, const Microdata& data) {
  std::vector<ModelSpec> specs;
  for (ModelSpec spec : RandomSpecs(random, data)) {
    std::visit(
        [](auto& each) {
          if constexpr (requires { each.counts; }) each.counts = CountBy::kPersons;
        },
        spec);
    if (CountsPersons(spec) && Validate(spec).ok()) specs.push_back(spec);
  }
  return specs;
}

TEST(ByPersonProperty, SearchVerifierAndDefinitionAgree) {
  std::map<std::string, std::pair<int, int>> outcomes;  // groups that hold, and that fail
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, static_cast<SensitiveKind>(seed % 3), true);
    Random random = Random::FromSeed(seed).Substream("specs");
    const View view = View::All(table.data);
    const Reference reference = ReferenceOf(table.data, view.rows());
    const Whole& whole = reference.histograms[0];
    const Domain& domain = *table.data.columns[2].attribute.domain;
    const Release release = Recode(view, table.groups, {}, random, cordon::engine::Run{});
    const std::vector<ModelSpec> specs = SpecsByPerson(random, table.data);
    const std::vector<Verdict> verdicts = Verifier(specs).Judge(release, cordon::engine::Run{}).value();
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const auto model = MakeGroupModel(specs[i], reference).value();
      EXPECT_FALSE(model->merge_closed());
      const CountedColumns columns = ColumnsFor(*model, table.data, {2});
      std::uint64_t refused = 0;
      std::set<Code> hurt;  // people with rows in refused groups
      for (std::size_t group = 0; group < table.groups.size(); ++group) {
        GroupCounts counts(columns);
        counts.Add(table.groups[group]);
        const bool holds = OracleHolds(specs[i], HeldBy(table.data, table.groups[group]), whole, domain);
        ASSERT_EQ(model->Admits(counts), holds) << Describe(specs[i]);
        ASSERT_TRUE(!holds || counts.rows() >= model->MinRows()) << Describe(specs[i]);
        refused += holds ? 0 : 1;
        for (const RowId row : table.groups[group]) {
          if (!holds) hurt.insert(table.data.persons[row]);
        }
        auto& outcome = outcomes[ModelName(specs[i]) + std::to_string(i)];
        ++(holds ? outcome.first : outcome.second);
      }
      ASSERT_EQ(verdicts[i].failing_groups, refused) << verdicts[i].text;
      ASSERT_EQ(verdicts[i].failing_people, hurt.size()) << verdicts[i].text;
    }
  }
  EXPECT_GE(outcomes.size(), 6u);
  for (const auto& [model, outcome] : outcomes) {
    EXPECT_GT(outcome.first, 50) << model;
    EXPECT_GT(outcome.second, 50) << model;
  }
}

TEST(ByPersonProperty, WithOneRowEachItIsTheModelOfRows) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    RandomTable table = MakeRandomTable(seed, static_cast<SensitiveKind>(seed % 3), false);
    table.data.persons = Codes::Generate(table.data.num_rows, 1, [](std::size_t row) { return static_cast<Code>(row); });
    Random random = Random::FromSeed(seed).Substream("specs");
    const Release release = Recode(View::All(table.data), table.groups, {}, random, cordon::engine::Run{});
    const std::vector<ModelSpec> specs = SpecsByPerson(random, table.data);
    std::vector<ModelSpec> by_rows = specs;
    for (ModelSpec& spec : by_rows) {
      std::visit(
          [](auto& each) {
            if constexpr (requires { each.counts; }) each.counts = CountBy::kRows;
          },
          spec);
    }
    const VerifyOptions options{.exempt_suppressed = false, .keep_per_group = true};
    const auto ours = Verifier(specs, options).Judge(release, cordon::engine::Run{}).value();
    const auto theirs = Verifier(by_rows, options).Judge(release, cordon::engine::Run{}).value();
    for (std::size_t i = 0; i < specs.size(); ++i) {
      ASSERT_EQ(ours[i].holds, theirs[i].holds) << ours[i].text;
      ASSERT_EQ(ours[i].reached_text, theirs[i].reached_text) << ours[i].text;
      ASSERT_EQ(ours[i].failing_groups, theirs[i].failing_groups) << ours[i].text;
      ASSERT_EQ(ours[i].per_group, theirs[i].per_group) << ours[i].text;
    }
  }
}

// What distinct l is for: whichever l - 1 values are named, somebody in the group has none of them.
TEST(ByPersonProperty, SomebodyHasNoneOfTheNamedValues) {
  int held = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const RandomTable table = MakeRandomTable(seed, SensitiveKind::kNumeric, true);
    const auto reference = ReferenceOf(table.data, View::All(table.data).rows());
    const Code num_values = table.data.columns[2].attribute.domain->size();
    const auto model = MakeGroupModel(DistinctL(3), reference).value();
    const CountedColumns columns = ColumnsFor(*model, table.data, {2});
    for (std::size_t group = 0; group < table.groups.size(); ++group) {
      GroupCounts counts(columns);
      counts.Add(table.groups[group]);
      if (!model->Admits(counts)) continue;
      ++held;
      const Held people = HeldBy(table.data, table.groups[group]);
      for (Code one = 0; one < num_values; ++one) {
        for (Code two = 0; two < num_values; ++two) {
          ASSERT_LT(HoldersOf(people, {one, two}), static_cast<std::int64_t>(people.size())) << seed;
        }
      }
    }
  }
  EXPECT_GT(held, 100);
}

// Rows that come and go within the room of an admitted group leave it admitted, whichever they are.
TEST(ByPersonProperty, RoomIsForAnyRows) {
  int used = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, static_cast<SensitiveKind>(seed % 3), true);
    Random random = Random::FromSeed(seed).Substream("room");
    const View view = View::All(table.data);
    const Reference reference = ReferenceOf(table.data, view.rows());
    const CountedColumns columns(table.data, {2}, true, CountedColumns::kMaxCounted, true);
    for (const ModelSpec& spec : SpecsByPerson(random, table.data)) {
      SCOPED_TRACE(Describe(spec));
      const auto model = MakeGroupModel(spec, reference).value();
      std::vector<RowId> rows(view.rows().begin(), view.rows().end());
      random.Shuffle(std::span(rows));
      GroupCounts group(columns);
      for (std::size_t i = 0; i < rows.size() / 2; ++i) group.Add(rows[i]);
      std::vector<bool> inside(rows.size());
      std::fill(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2), true);
      if (group.rows() == 0 || !model->Admits(group)) continue;
      for (std::int64_t room = model->Room(group); room > 0; --room, ++used) {
        const std::size_t one = random.Below(rows.size());
        inside[one] ? group.Remove(rows[one]) : group.Add(rows[one]);
        inside[one] = !inside[one];
        ASSERT_TRUE(model->Admits(group));
      }
    }
  }
  EXPECT_GT(used, 300);
}

// Rows come and go, counts are merged and taken apart: who has what stays what a recount gives.
TEST(ByPersonProperty, HoldingsFollowTheRows) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomTable table = MakeRandomTable(seed, SensitiveKind::kNumeric, true);
    const CountedColumns columns(table.data, {2}, true, CountedColumns::kMaxCounted, true);
    Random random = Random::FromSeed(seed).Substream("moves");
    GroupCounts here(columns);
    GroupCounts there(columns);
    std::vector<RowId> kept;
    std::vector<RowId> moved;
    for (RowId row = 0; row < table.data.num_rows; ++row) (random.Below(2) == 0 ? kept : moved).push_back(row);
    for (const RowId row : kept) here.Add(row);
    there.Add(moved);
    const auto expect = [&](const GroupCounts& counts, std::span<const RowId> rows) {
      std::map<std::pair<Code, Code>, std::uint32_t> expected;
      for (const RowId row : rows) ++expected[{table.data.persons[row], table.data.columns[2].codes[row]}];
      const auto found = counts.holdings(0);
      ASSERT_EQ(found.size(), expected.size());
      std::size_t i = 0;
      for (const auto& [pair, count] : expected) {
        EXPECT_EQ(std::pair(found[i].person, found[i].value), pair);
        EXPECT_EQ(found[i++].rows, count);
      }
    };
    expect(here, kept);
    expect(there, moved);
    here.Merge(there);
    expect(here, View::All(table.data).rows());
    here.Split(there);
    expect(here, kept);
    for (std::size_t i = 0; i < moved.size() / 2; ++i) there.Remove(moved[i]);
    expect(there, std::span<const RowId>(moved).subspan(moved.size() / 2));
    there.Clear();
    expect(there, {});
  }
}

}  // namespace
}  // namespace cordon::engine::test
