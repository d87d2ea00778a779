// SPDX-License-Identifier: Apache-2.0
//
// A table in shards: each is anonymized alone, against domains and distribution of the whole, and the union of what comes out
// must satisfy the policy as any release must.
#include <algorithm>
#include <functional>
#include <random>

#include "tests/api/support.h"
#include "tests/some_or_all.h"

namespace cordon {
namespace {

using test::Bytes;
using test::Put;
using test::ScratchFolder;

using Texts = std::vector<std::string>;
using Named = std::vector<std::pair<std::string, Texts>>;

Table TableOf(const Named& columns) {
  TableBuilder builder;
  for (const auto& [name, cells] : columns) builder.Column(name, std::span<const std::string>(cells));
  return builder.Build().value();
}

// Older people are ill more often, so shards by age have other distributions than the whole.
Named People(std::size_t rows, std::uint32_t seed) {
  std::mt19937 random(seed);
  Named people = {{"age", {}}, {"zip", {}}, {"disease", {}}};
  const Texts diseases = {"none", "flu", "gout", "angina"};
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t age = 20 + random() % 60;
    people[0].second.push_back(std::to_string(age));
    people[1].second.push_back(std::to_string(100 + random() % 40));
    people[2].second.push_back(diseases[random() % 100 < age ? random() % 4 : 0]);
  }
  return people;
}

std::vector<Table> WholeOf(const Named& people) {
  std::vector<Table> whole;
  for (const auto& [name, cells] : people) {
    std::map<std::string, int> rows;
    for (const std::string& cell : cells) ++rows[cell];
    Texts values;
    Texts counts;
    for (const auto& [value, count] : rows) {
      values.push_back(value);
      counts.push_back(std::to_string(count));
    }
    whole.push_back(TableOf({{name, values}, {"rows", counts}}));
  }
  return whole;
}

Named Shard(const Named& people, const std::function<bool(std::size_t)>& has) {
  Named shard;
  for (const auto& [name, cells] : people) {
    shard.emplace_back(name, Texts());
    for (std::size_t row = 0; row < cells.size(); ++row) {
      if (has(row)) shard.back().second.push_back(cells[row]);
    }
  }
  return shard;
}

// Young people in one shard, old ones in the other.
std::vector<Named> ByAge(const Named& people) {
  const auto young = [&](std::size_t row) { return people[0].second[row] < "50"; };
  return {Shard(people, young), Shard(people, [&](std::size_t row) { return !young(row); })};
}

PolicyBuilder Columns() {
  PolicyBuilder builder;
  builder.Quasi("age", {{"type", "numeric"}}).Quasi("zip", {{"hierarchy", PolicyKeys{{"prefix", 3}}}}).Sensitive("disease");
  return builder;
}

void Append(const Table& rows, Named& all) {
  for (std::size_t column = 0; column < rows.num_columns(); ++column) {
    if (all.size() <= column) all.emplace_back(rows.column_name(column), Texts());
    for (std::size_t row = 0; row < rows.num_rows(); ++row) all[column].second.emplace_back(rows.cell(row, column).value());
  }
}

Verification UnionOf(const std::vector<Named>& shards, const Policy& policy, const std::vector<Table>& whole) {
  Named all;
  for (const Named& shard : shards) {
    const auto release = Anonymize(TableOf(shard), policy, {.seed = 1, .whole = whole});
    EXPECT_TRUE(release.ok()) << release.error().message();
    Append(release.value().table(), all);
  }
  return Verify(TableOf(all), policy).value();
}

TEST(Shards, TheirUnionSatisfiesThePolicy) {
  for (std::uint32_t seed = 1; seed <= SomeOrAll(1u, 3u); ++seed) {
    SCOPED_TRACE(seed);
    const Named people = People(600, seed);
    const std::vector<Policy> policies = {
        Columns().KAnonymity(5).LDiversity("disease", 2).Build().value(),
        Columns().KAnonymity(4).Model("t-closeness", {{"sensitive", "disease"}, {"t", "2/5"}}).Build().value(),
        Columns().Model("beta-likeness", {{"sensitive", "disease"}, {"beta", 2}}).Build().value(),
        Columns().Model("delta-disclosure", {{"sensitive", "disease"}, {"delta", 2}}).Build().value(),
    };
    for (const Policy& policy : policies) {
      const Verification found = UnionOf(ByAge(people), policy, WholeOf(people));
      EXPECT_TRUE(found.holds) << found.text;
    }
  }
}

TEST(Shards, WithoutTheWholeTheirUnionIsTooFarFromIt) {
  const Named people = People(600, 1);
  const Policy policy = Columns().KAnonymity(4).Model("t-closeness", {{"sensitive", "disease"}, {"t", "1/5"}}).Build().value();
  EXPECT_FALSE(UnionOf(ByAge(people), policy, {}).holds) << "each shard is close to itself only";
}

TEST(Shards, OneShardIsTheTable) {
  const Named people = People(300, 5);
  for (const Policy& policy : {Columns().KAnonymity(5).LDiversity("disease", 2).Build().value(),
                               Columns()
                                   .KAnonymity(5)
                                   .Model("t-closeness", {{"sensitive", "disease"}, {"t", "1/3"}})
                                   .Set("algorithm", {{"name", "mondrian"}})
                                   .Build()
                                   .value()}) {
    const Release alone = Anonymize(TableOf(people), policy, {.seed = 1}).value();
    const Release shard = Anonymize(TableOf(people), policy, {.seed = 1, .whole = WholeOf(people)}).value();
    EXPECT_EQ(test::Rows(alone.table()), test::Rows(shard.table()));
    EXPECT_EQ(alone.report().information_loss, shard.report().information_loss);
    ASSERT_EQ(alone.report().privacy.size(), shard.report().privacy.size());
    for (std::size_t i = 0; i < alone.report().privacy.size(); ++i) {
      EXPECT_EQ(alone.report().privacy[i].reached, shard.report().privacy[i].reached);
    }
  }
}

// Two people, aged 20 and 30, and what is asked of them.
Table TwoPeople() { return TableOf({{"age", {"20", "30"}}, {"disease", {"flu", "gout"}}}); }
PolicyBuilder AgesAndDiseases() {
  return PolicyBuilder().Quasi("age", {{"type", "numeric"}}).Sensitive("disease").KAnonymity(2);
}

// The loss of a cell is a share of the whole domain: half of all ages is not everything.
TEST(Shards, LossesAreThoseOfTheWholeDomain) {
  const Named whole = {{"age", {"20", "30", "60"}}, {"disease", {"flu", "gout", "flu"}}};
  const Policy policy = AgesAndDiseases().LDiversity("disease", 2).Build().value();
  const Release release = Anonymize(TwoPeople(), policy, {.whole = WholeOf(whole)}).value();
  EXPECT_EQ(release.report().information_loss, 0.25);
  EXPECT_EQ(Anonymize(TwoPeople(), policy).value().report().information_loss, 1);
}

TEST(Shards, WhatWouldNotHoldForTheUnionIsRefused) {
  const ScratchFolder folder;
  const Named people = People(60, 1);
  const Table table = TableOf(people);
  const std::vector<Table> whole = WholeOf(people);
  const Policy policy = Columns().KAnonymity(2).LDiversity("disease", 2).Build().value();
  const auto said = [&](const Policy& asked, AnonymizeOptions options, const std::vector<Table>& of) {
    options.whole = of;
    const auto made = Anonymize(table, asked, options);
    return made.ok() ? std::string("no error") : made.error().message();
  };
  EXPECT_EQ(said(policy, {}, whole), "no error");
  EXPECT_EQ(said(policy, {.algorithm = "full-domain"}, whole),
            "full-domain needs all rows at once, so it does not run on a shard");
  EXPECT_EQ(said(policy, {.effort = AnonymizeOptions::Effort::kHigh}, whole),
            "high effort compares releases of the whole table, and shards make none");
  EXPECT_EQ(said(policy, {.group_column = true}, whole),
            "a shard cannot have a recoding, a registry, previous releases or a group column");
  EXPECT_NE(said(policy, {}, {whole[0], whole[2]}).find("the whole table lacks the values of column 'zip'"), std::string::npos);
  const std::vector<Table> smaller = WholeOf(ByAge(people)[0]);
  EXPECT_NE(said(policy, {}, smaller).find("more often than the table that the rows are a shard of"), std::string::npos);
  const Policy both = Columns()
                          .KAnonymity(2)
                          .Model("t-closeness", {{"sensitive", "disease"}, {"t", "1/2"}})
                          .Set("algorithm", {{"suppression_limit", "1/10"}})
                          .Build()
                          .value();
  EXPECT_EQ(said(both, {}, whole),
            "t-closeness compares with the published rows, and a shard does not know which rows others suppress");
  const Release release = Anonymize(table, policy, {.whole = whole}).value();
  const auto written = release.Write(folder / "shard.csv");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message(),
            "a shard is not a release: its manifest would claim what holds for the whole table only");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Shards, MissingCellsOfOtherShardsCountInTheDomain) {
  Named whole = {{"age", {"20", "30", "", ""}}, {"disease", {"flu", "gout", "", "flu"}}};
  const Policy policy = AgesAndDiseases().Model("t-closeness", {{"sensitive", "disease"}, {"t", "1/2"}}).Build().value();
  const Release release = Anonymize(TwoPeople(), policy, {.whole = WholeOf(whole)}).value();
  // flu has 1/2 here and in the whole; gout 1/2 instead of 1/4, missing 0 instead of 1/4.
  EXPECT_EQ(release.report().privacy.at(1).reached, "1/4");
  const Policy drop = AgesAndDiseases().Set("data", {{"on_missing", "drop"}}).LDiversity("disease", 2).Build().value();
  EXPECT_NE(Anonymize(TwoPeople(), drop, {.whole = WholeOf(whole)}).error().message().find("the whole table has missing cells"),
            std::string::npos);
}

TEST(VerifySql, PrintsTheStatement) {
  const Policy policy = Columns().KAnonymity(2).LDiversity("disease", 2).Build().value();
  EXPECT_NE(VerifySql(policy, "spark", "r").value().find("FROM `r`"), std::string::npos);
  EXPECT_FALSE(VerifySql(policy, "sqlite").ok());
}

}  // namespace
}  // namespace cordon
