// SPDX-License-Identifier: Apache-2.0
//
// The requests that need no release of their own: check, compare, sweep, inspect, release-next, on tables in memory and files.
#include <algorithm>

#include "tests/api/support.h"

namespace cordon {
namespace {

using test::Bytes;
using test::Put;
using test::ScratchFolder;

// Two people of 20, two of 30, one of whom has what nobody else has.
Table FourPeople() {
  return TableBuilder()
      .Column("age", {"20", "20", "30", "30"})
      .Column("disease", {"flu", "cold", "flu", "gout"})
      .Build()
      .value();
}

constexpr const char* kCsv = "age,disease\n20,flu\n20,cold\n30,flu\n30,gout\n";

Policy FourPolicy() {
  return PolicyBuilder()
      .Quasi("age", {{"type", "numeric"}})
      .Sensitive("disease", {{"unguarded", "an example"}})
      .KAnonymity(2)
      .Build()
      .value();
}

TEST(Check, MeasuresWhatATableHas) {
  const Checked checked = Check(FourPeople(), {.quasi = {"age"}, .sensitive = {"disease"}}).value();
  EXPECT_EQ(checked.rows, 4u);
  EXPECT_EQ(checked.groups, 2u);
  EXPECT_EQ(checked.privacy.at(0).model, "k-anonymity");
  EXPECT_EQ(checked.privacy.at(0).value, 2);
  EXPECT_EQ(checked.privacy.at(1).model, "l-diversity(disease, distinct)");
  EXPECT_EQ(checked.privacy.at(1).reached, "2");
  ASSERT_TRUE(checked.privacy.at(1).worst_row);
  // t of equal distance: each group misses a quarter of the table's values.
  EXPECT_EQ(checked.privacy.at(3).model, "t-closeness(disease, equal)");
  EXPECT_EQ(checked.privacy.at(3).reached, "1/4");
}

TEST(Check, AFileGivesTheSameAnswer) {
  const ScratchFolder folder;
  Put(folder / "in.csv", kCsv);
  const CheckOptions options{.quasi = {"age"}, .sensitive = {"disease"}};
  EXPECT_EQ(Check(folder / "in.csv", options).value().json, Check(FourPeople(), options).value().json);
  EXPECT_EQ(Check(FourPeople(), {.quasi = {"aeg"}}).error().kind(), ErrorKind::kInvalidData);
}

TEST(Compare, PutsReleasesSideBySide) {
  const Policy policy = FourPolicy();
  const Table table = FourPeople();
  const Release release = Anonymize(table, policy).value();
  const Comparison compared =
      Compare({{"made", release.table()}, {"the original", table}}, table, policy, {.queries = 10}).value();
  ASSERT_EQ(compared.releases.size(), 2u);
  EXPECT_EQ(compared.releases[0].name, "made");
  EXPECT_EQ(compared.releases[0].information_loss, 0);
  EXPECT_EQ(compared.releases[1].highest_risk, 0.5);
  EXPECT_TRUE(compared.releases[0].privacy.at(0).holds);
  EXPECT_NE(compared.text.find("the original"), std::string::npos);
  EXPECT_FALSE(Compare({}, table, policy).ok());
}

TEST(Sweep, TriesEveryValue) {
  const Swept swept = Sweep(FourPeople(), FourPolicy(), {.k = {"2", "4", "5"}}).value();
  ASSERT_EQ(swept.points.size(), 3u);
  EXPECT_EQ(swept.points[0].information_loss, 0);
  EXPECT_EQ(swept.points[1].information_loss, 1);
  EXPECT_FALSE(swept.points[2].satisfiable);
  EXPECT_NE(swept.points[2].why_not, "");
  EXPECT_EQ(swept.points[2].parameters, (std::vector<std::pair<std::string, std::string>>{{"k", "5"}}));
  EXPECT_TRUE(swept.svg.starts_with("<svg"));
  EXPECT_EQ(Sweep(FourPeople(), FourPolicy(), {.k = {"2.5"}}).error().message(), "k takes whole numbers from 1, not '2.5'");
  EXPECT_FALSE(Sweep(FourPeople(), FourPolicy(), {}).ok()) << "nothing varies";
}

TEST(Inspect, ProfilesATableAndDraftsAPolicy) {
  const ScratchFolder folder;
  const Inspection found = Inspect(FourPeople(), {.write_policy = folder / "draft.toml", .k = 2}).value();
  EXPECT_EQ(found.rows, 4u);
  ASSERT_EQ(found.columns.size(), 2u);
  EXPECT_EQ(found.columns[0].type, "numeric");
  EXPECT_EQ(found.columns[0].distinct, 2u);
  EXPECT_EQ(found.columns[1].unique_rows, 2u);
  EXPECT_TRUE(Policy::FromFile(folder / "draft.toml").ok());
  EXPECT_FALSE(Inspect(FourPeople(), {.write_policy = folder / "draft.toml"}).ok()) << "the draft is there already";
}

// The join attack of tests/cli/release_next.cli: as it is, the table tells that Alice has cancer.
TEST(ReleaseNext, KeepsTheJoinSafe) {
  const ScratchFolder folder;
  folder.Write("job.csv", "Banker;White;ANY\nEngineer;White;ANY\nClerk;Blue;ANY\nDriver;Blue;ANY\n");
  const Policy policy =
      PolicyBuilder()
          .Insensitive("name")
          .Quasi("job", {{"hierarchy", "job.csv"}})
          .Model("xy-linkability", {{"x", PolicyValue::Array{"name"}},
                                    {"values", PolicyKeys{{"previous.disease", PolicyValue::Array{"HIV", "Cancer"}}}},
                                    {"h", "2/3"}})
          .Build(folder.path().string())
          .value();
  const Table previous = TableBuilder()
                             .Column("job", {"Banker", "Banker", "Clerk", "Driver", "Engineer"})
                             .Column("disease", {"Cancer", "Cancer", "HIV", "Cancer", "HIV"})
                             .Build()
                             .value();
  const Table current = TableBuilder()
                            .Column("name", {"Alice", "Alice", "Bob", "Bob", "Cathy"})
                            .Column("job", {"Banker", "Banker", "Clerk", "Driver", "Engineer"})
                            .Build()
                            .value();
  EXPECT_FALSE(Verify(current, policy, {.previous = {previous}}).value().holds);
  const auto release = ReleaseNext(current, {previous}, policy);
  ASSERT_TRUE(release.ok()) << release.error().message();
  EXPECT_TRUE(Verify(release.value().table(), policy, {.previous = {previous}}).value().holds);
  EXPECT_EQ(ReleaseNext(current, {}, policy).error().message(), "what was published before?");
  EXPECT_TRUE(release.value().Write(folder / "out.csv").ok());
  folder.Write("previous.csv", "job,disease\nBanker,Cancer\nBanker,Cancer\nClerk,HIV\nDriver,Cancer\nEngineer,HIV\n");
  EXPECT_TRUE(Verify(folder / "out.csv", policy, {.previous = {Input(folder / "previous.csv")}}).value().holds);
}

// A hint names options as the library has them; a command that it quotes keeps its flags.
TEST(Errors, SpeakOfOptionsNotOfFlags) {
  const auto ask = [](const char* h) {
    return PolicyBuilder()
        .Insensitive("name")
        .Quasi("job")
        .Model("xy-linkability", {{"x", PolicyValue::Array{"name"}},
                                  {"values", PolicyKeys{{"previous.disease", PolicyValue::Array{"HIV"}}}},
                                  {"h", h}})
        .Build()
        .value();
  };
  const Table previous = TableBuilder().Column("job", {"a", "b"}).Column("disease", {"HIV", "HIV"}).Build().value();
  const Table current = TableBuilder().Column("name", {"x", "y"}).Column("job", {"a", "b"}).Build().value();
  EXPECT_EQ(ReleaseNext(current, {previous}, ask("1/2")).error().hint(),
            "search on with through_violation, or choose weaker models");
  const Table longer = TableBuilder().Column("job", {"a", "b", "b"}).Column("disease", {"HIV", "no", "no"}).Build().value();
  EXPECT_EQ(ReleaseNext(current, {longer}, ask("1")).error().hint().find("--"), std::string::npos);
  EXPECT_NE(Anonymize(current, ask("1")).error().hint().find("cordon release-next INPUT --previous FILE"), std::string::npos);
}

TEST(Attack, TellsWhatAnAttackerGetsRight) {
  const Policy policy = FourPolicy();
  const Table table = FourPeople();
  const Release release = Anonymize(table, policy).value();
  const Attacked found = Attack(release.table(), table, policy).value();
  EXPECT_EQ(found.rows, 4u);
  EXPECT_EQ(found.people, 4u);
  const auto prosecutor = std::find_if(found.figures.begin(), found.figures.end(),
                                       [](const AttackFigure& each) { return each.variant == "prosecutor"; });
  ASSERT_NE(prosecutor, found.figures.end());
  EXPECT_EQ(prosecutor->share, 0.5) << "two people of each age";
  EXPECT_EQ(prosecutor->baseline, 0.25);
  EXPECT_EQ(prosecutor->gain, 0.25);
  EXPECT_NE(found.json.find("\"attacks\""), std::string::npos);
  // Another release of the same people: the attack that needs one is there.
  const auto intersects = [](const Attacked& each) {
    return std::any_of(each.figures.begin(), each.figures.end(),
                       [](const AttackFigure& figure) { return figure.attack == "intersection"; });
  };
  EXPECT_FALSE(intersects(found));
  EXPECT_TRUE(intersects(Attack(release.table(), table, policy, {.second = Input(table)}).value()));
  EXPECT_EQ(Attack(release.table(), table, policy, {.known = {"disease"}}).error().kind(), ErrorKind::kInvalidPolicy);
  const Table others = TableBuilder().Column("age", {"70", "71"}).Column("disease", {"flu", "flu"}).Build().value();
  EXPECT_EQ(Attack(others, table, policy).error().kind(), ErrorKind::kInvalidData);
}

TEST(Release, ItsPageIsThatOfTheCommandLine) {
  const std::string page = Anonymize(FourPeople(), FourPolicy(), {.risk = true}).value().Html().value();
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>")) << page.substr(0, 40);
  EXPECT_NE(page.find("k-anonymity(k=2)"), std::string::npos);
}

TEST(PolicyToToml, WritesTheTablesOfAPolicy) {
  const PolicyKeys keys = {{"attributes", PolicyKeys{{"age", PolicyKeys{{"role", "quasi"}, {"type", "numeric"}}},
                                                     {"zip code", PolicyKeys{{"role", "identifier"}}}}},
                           {"privacy", PolicyValue::Array{PolicyKeys{{"model", "k-anonymity"}, {"k", 3}}}},
                           {"algorithm", PolicyKeys{{"name", "mondrian"}, {"mondrian", PolicyKeys{{"relaxed", true}}}}}};
  const auto built = PolicyBuilder()
                         .Quasi("age", {{"type", "numeric"}})
                         .Identifier("zip code")
                         .KAnonymity(3)
                         .Set("algorithm", {{"name", "mondrian"}, {"mondrian", PolicyKeys{{"relaxed", true}}}})
                         .Build();
  ASSERT_TRUE(built.ok()) << built.error().message();
  const auto read = Policy::FromToml(PolicyToToml(keys));
  ASSERT_TRUE(read.ok()) << read.error().message() << PolicyToToml(keys);
  EXPECT_EQ(read.value().digest(), built.value().digest());
}

TEST(Version, IsThatOfTheProject) { EXPECT_EQ(std::string(Version()), CORDON_PROJECT_VERSION); }

}  // namespace
}  // namespace cordon
