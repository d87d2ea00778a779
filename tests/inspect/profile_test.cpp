// SPDX-License-Identifier: Apache-2.0
#include "cordon/inspect/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cordon/base/random.h"
#include "cordon/bind/bind.h"
#include "cordon/inspect/draft_policy.h"
#include "cordon/policy/policy.h"
#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

// By rows, as a file has them.
Table TableOfRows(const std::vector<std::string>& names, const std::vector<std::vector<std::string>>& rows) {
  std::vector<NamedCells> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns.push_back({names[i], {}});
    for (const std::vector<std::string>& row : rows) columns.back().second.push_back(row[i]);
  }
  return TableOf(columns);
}

Table RandomTable(std::uint64_t seed, std::size_t rows) {
  Random random = Random::FromSeed(seed);
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < rows; ++i) {
    cells.push_back(
        {std::to_string(20 + random.Below(40)), random.Below(2) == 0 ? "m" : "f", "5371" + std::to_string(random.Below(10)),
         "2024-0" + std::to_string(1 + random.Below(9)) + "-1" + std::to_string(random.Below(10)),
         random.Below(9) == 0 ? "?" : "job " + std::to_string(random.Below(random.Below(30) + 1)),
         "p" + std::to_string(random.Below(rows)), "flu " + std::to_string(random.Below(5)), std::to_string(1000 + i)});
  }
  return TableOfRows({"age", "sex", "zip", "admitted", "job", "patient", "disease", "id"}, cells);
}

TEST(Profile, TypesAndRoles) {
  const Profile profile = ProfileTable(RandomTable(1, 400), {});
  std::map<std::string, std::pair<Domain::Kind, Role>> seen;
  for (const ColumnProfile& column : profile.columns) seen[column.name] = {column.type, column.role};
  using Kind = Domain::Kind;
  EXPECT_EQ(seen["age"], std::pair(Kind::kNumeric, Role::kQuasi));
  EXPECT_EQ(seen["zip"], std::pair(Kind::kCategorical, Role::kQuasi));
  EXPECT_EQ(seen["admitted"], std::pair(Kind::kDate, Role::kQuasi));
  EXPECT_EQ(seen["job"], std::pair(Kind::kCategorical, Role::kQuasi));
  EXPECT_EQ(seen["patient"].second, Role::kPerson);
  EXPECT_EQ(seen["disease"].second, Role::kSensitive);
  EXPECT_EQ(seen["id"].second, Role::kIdentifier);
  EXPECT_EQ(profile.missing, (std::vector<std::string>{"", "?"}));
}

// From the definitions: pairs of rows, and sets of cells.
TEST(Profile, CountsAgreeWithTheDefinitions) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Table table = RandomTable(seed, 60);
    const Profile profile = ProfileTable(table, {.threads = 2});
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      std::set<std::string> values;
      double apart = 0;
      for (std::size_t i = 0; i < 60; ++i) {
        const std::string text(table.columns[c].cell(i).bytes());
        if (text != "?") values.insert(text);
        for (std::size_t j = 0; j < 60; ++j) apart += table.columns[c].cell(j).bytes() != text ? 1 : 0;
      }
      EXPECT_EQ(profile.columns[c].distinct, values.size());
      EXPECT_NEAR(profile.columns[c].separation, apart / (60 * 59), 1e-12);
    }
    std::map<std::vector<std::string>, int> groups;
    for (std::size_t i = 0; i < 60; ++i) {
      std::vector<std::string> key;
      for (const std::string& name : profile.all.columns) key.emplace_back(table.Find(name)->cell(i).bytes());
      ++groups[key];
    }
    std::uint64_t unique = 0;
    for (const auto& [key, rows] : groups) unique += rows == 1 ? 1 : 0;
    EXPECT_EQ(profile.all.groups, groups.size());
    EXPECT_EQ(profile.all.unique_rows, unique);
  }
}

TEST(DraftPolicy, BindsToItsTable) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Table table = RandomTable(seed, 200);
    const Draft draft =
        DraftPolicy(table, ProfileTable(table, {}), {.text = {}, .k = 3, .hierarchies = "", .policy_folder = ""}, {}).value();
    const ScratchFolder folder;
    for (const auto& [name, text] : draft.hierarchies) folder.Write(name, text);
    const auto policy = ParsePolicy(draft.policy, folder.path(), "draft.toml");
    ASSERT_TRUE(policy.ok()) << policy.error().message() << "\n" << draft.policy;
    const auto bound = Bind(policy.value(), table, {});
    EXPECT_TRUE(bound.ok()) << bound.error().message();
  }
}

TEST(DraftPolicy, LeavesTheParameterToBeFilledIn) {
  const Table table = RandomTable(1, 200);
  const Draft draft = DraftPolicy(table, ProfileTable(table, {}), DraftOptions(), {}).value();
  const auto policy = ParsePolicyText(draft.policy, "draft.toml");
  ASSERT_FALSE(policy.ok());
  EXPECT_NE(policy.error().message().find("k-anonymity needs 'k'"), std::string::npos) << policy.error().message();
}

TEST(DraftPolicy, OddNamesAndValuesMakeNoBadPolicy) {
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < 60; ++i) {
    const std::string odd[] = {"*", "line\nend", "a\"b", "back\\slash", "ü", "#", "plain"};
    rows.push_back({odd[i % 7], i % 2 == 0 ? "x" : "y", odd[i % 6 + 1]});
  }
  const Table table = TableOfRows({"we\"ird ☃", "dot.ted", "v\ttab"}, rows);
  const Draft draft =
      DraftPolicy(table, ProfileTable(table, {}), {.text = {}, .k = 2, .hierarchies = "", .policy_folder = ""}, {}).value();
  const auto policy = ParsePolicyText(draft.policy, "draft.toml");
  ASSERT_TRUE(policy.ok()) << policy.error().message() << "\n" << draft.policy;
  EXPECT_EQ(policy.value().attributes[0].name, "we\"ird ☃");
}

// A sensitive column "result" of these values, each as often as said, next to a quasi column.
Table WithResults(const std::vector<std::pair<std::string, int>>& values) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [value, count] : values) {
    for (int i = 0; i < count; ++i) rows.push_back({std::to_string(20 + rows.size() % 50), value});
  }
  return TableOfRows({"age", "result"}, rows);
}
Policy DraftedFor(const Table& table) {
  const Draft draft =
      DraftPolicy(table, ProfileTable(table, {}), {.text = {}, .k = 3, .hierarchies = "", .policy_folder = ""}, {}).value();
  const auto policy = ParsePolicyText(draft.policy, "draft.toml");
  EXPECT_TRUE(policy.ok()) << policy.error().message() << "\n" << draft.policy;
  return policy.value();
}

// By equal distance a group of one value of share p is 1 - p from the table.
TEST(DraftPolicy, NoGroupOfOneValuePassesTheDraftedT) {
  for (const auto& [often, rarely, t] :
       {std::tuple(150, 50, "1/5"), std::tuple(104, 96, "3/10"), std::tuple(199, 1, "1/250")}) {
    const Policy policy = DraftedFor(WithResults({{"pos", often}, {"neg", rarely}}));
    const auto& model = std::get<TClosenessSpec>(policy.models.at(1));
    EXPECT_EQ(model.t.ToString(), t);
    EXPECT_LT(model.t, Rational(rarely, often + rarely));
  }
  // Ordered, the middle of five equally frequent numbers is (2 + 1 + 1 + 2) / 5 / 4 = 0.3 from the table.
  const Policy ordered = DraftedFor(WithResults({{"1", 30}, {"2", 30}, {"3", 30}, {"4", 30}, {"5", 30}}));
  EXPECT_EQ(std::get<TClosenessSpec>(ordered.models.at(1)).t.ToString(), "6/25");
}

TEST(DraftPolicy, UniqueSensitiveNumbersAreRounded) {
  std::vector<std::pair<std::string, int>> values;
  for (int i = 0; i < 1000; ++i) values.emplace_back(std::to_string(1000 + i) + ".25", 1);
  const Policy policy = DraftedFor(WithResults(values));
  ASSERT_TRUE(policy.attributes[1].round);
  const auto bound = Bind(policy, WithResults(values), {});
  ASSERT_TRUE(bound.ok()) << bound.error().message();
  std::map<std::string, int> rows;
  for (std::size_t row = 0; row < 1000; ++row) ++rows[std::string(bound.value().columns[1].text.cell(row).bytes())];
  EXPECT_GT(rows.size(), 10u);
  EXPECT_LT(std::count_if(rows.begin(), rows.end(), [](const auto& each) { return each.second == 1; }), 50);
  EXPECT_FALSE(DraftedFor(WithResults({{"1", 30}, {"2", 30}, {"3", 30}, {"4", 30}, {"5", 30}})).attributes[1].round);
}

TEST(Profile, AMarkerThatIsAValueIsOne) {
  const auto markers = [](const Table& table) { return ProfileTable(table, {}).missing; };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(markers(WithResults({{"+", 60}, {"-", 40}})), Texts{""});
  EXPECT_EQ(markers(WithResults({{"+", 60}, {"-", 40}, {"?", 5}})), (Texts{"", "?"}));
  EXPECT_EQ(markers(WithResults({{"high", 60}, {"None", 40}})), Texts{""});
  EXPECT_EQ(markers(WithResults({{"a", 60}, {"b", 30}, {"-", 40}})), (Texts{"", "-"}));
  EXPECT_EQ(markers(WithResults({{"17.5", 60}, {"-", 40}})), (Texts{"", "-"}));
  EXPECT_EQ(markers(WithResults({{"nuts", 30}, {"pollen", 30}, {"None", 60}})), Texts{""});
  EXPECT_EQ(markers(WithResults({{"nuts", 50}, {"pollen", 50}, {"None", 2}})), (Texts{"", "None"}));
  EXPECT_EQ(markers(WithResults({{"17", 30}, {"18", 30}, {"None", 60}})), (Texts{"", "None"}));
  const auto model = DraftedFor(WithResults({{"+", 50}, {"-", 50}})).models.at(1);
  EXPECT_EQ(std::get<TClosenessSpec>(model).t, Rational(3, 10));  // two values: each group is compared with the table
}

TEST(Other, TakesTheValuesThatAHierarchyLacks) {
  const char* text =
      "[attributes.job]\nrole = \"quasi\"\nvalues = [\"nurse\", \"cook\"]\nother = \"other\"\n[[privacy]]\nmodel = "
      "\"k-anonymity\"\nk = 2\n";
  const Policy policy = ParsePolicyText(text, "p.toml").value();
  const Microdata data = Bind(policy, TableOf({{"job", {"cook", "pilot", "smith", "other"}}}), {}).value();
  const Domain& domain = *data.columns[0].attribute.domain;
  const Code other = *domain.Encode("other");
  EXPECT_EQ(data.columns[0].codes[0], *domain.Encode("cook"));
  for (const std::size_t row : {1, 2, 3}) EXPECT_EQ(data.columns[0].codes[row], other);
  EXPECT_EQ(domain.Publish(other, other), "other");
  const auto flat = ParsePolicyText(
      "[attributes.a]\nrole = \"quasi\"\nother = \"o\"\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n", "p.toml");
  ASSERT_FALSE(flat.ok());
  EXPECT_NE(flat.error().message().find("'other' in [attributes.a] needs a declared domain"), std::string::npos);
}

}  // namespace
}  // namespace cordon::engine
