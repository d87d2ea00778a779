// SPDX-License-Identifier: Apache-2.0
//
// The keys of models on a join: x, y, k, values, h, [[impossible]], [sequential], and population.
#include <gtest/gtest.h>

#include <set>

#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

constexpr const char* kJoinAttributes = R"(
[attributes.id]
role = "identifier"
[attributes.job]
role = "quasi"
[attributes.age]
role = "quasi"
type = "numeric"
[attributes.note]
role = "insensitive"
[attributes.test]
role = "sensitive"
unguarded = "a test"
[attributes.label]
role = "class"
)";
constexpr const char* kJoinPeople = "[[privacy]]\nmodel = \"xy-anonymity\"\nx = [\"job\"]\ny = \"person\"\nk = 2\n";

Result<Policy> ReadJoin(const std::string& models, const std::string& top = "") {
  return ParsePolicyText(top + kJoinAttributes + models, "p.toml");
}
std::string JoinTold(const std::string& models, const std::string& top = "") { return Told(ReadJoin(models, top)); }
std::string ChangedTo(const std::string& key, const std::string& value) {
  std::string text = kJoinPeople;
  const std::size_t at = text.find("\n" + key + " = ") + 1;
  return text.replace(at, text.find('\n', at) - at, key + " = " + value);
}

TEST(JoinPolicies, AreRead) {
  const Policy policy = ReadJoin(R"(
[[privacy]]
model = "xy-anonymity"
x = ["job", "previous2.zip"]
y = "rows of previous2"
k = 5
[[privacy]]
model = "xy-linkability"
x = ["note"]
values = { test = ["HIV", 3], "previous.ill" = [] }
h = "2/3"
[[impossible]]
current = "job"
previous = "ill"
pairs = [["a", "b"], ["a", "b"], ["c", 4]]
[sequential]
generalize = "x"
)")
                            .value();
  ASSERT_EQ(policy.join_models.size(), 2u);
  EXPECT_TRUE(policy.models.empty());
  EXPECT_EQ(Describe(policy.join_models[0]), "xy-anonymity(job+previous2.zip -> rows of previous2, k=5)");
  EXPECT_EQ(std::get<XyLinkabilitySpec>(policy.join_models[1]).h, Rational(2, 3));
  EXPECT_EQ(std::get<XyLinkabilitySpec>(policy.join_models[1]).values.size(), 2u);
  ASSERT_EQ(policy.impossible.size(), 1u);
  EXPECT_EQ(policy.impossible[0].pairs, (std::vector<std::pair<std::string, std::string>>{{"a", "b"}, {"c", "4"}}));
  EXPECT_FALSE(policy.generalize_joining);
  EXPECT_TRUE(ReadJoin(kJoinPeople).value().generalize_joining);
}

TEST(JoinPolicies, EveryCountIsKnown) {
  const auto count = [](const std::string& y) {
    return std::get<XyAnonymitySpec>(ReadJoin(ChangedTo("y", y)).value().join_models[0]).count;
  };
  EXPECT_EQ(count("\"person\""), XyAnonymitySpec::Count::kPersons);
  EXPECT_EQ(count("\"pairs\""), XyAnonymitySpec::Count::kPairs);
  EXPECT_EQ(count("\"rows of previous\""), XyAnonymitySpec::Count::kPreviousRows);
  EXPECT_EQ(count("[\"test\", \"previous.zip\"]"), XyAnonymitySpec::Count::kColumns);
  for (const char* wrong :
       {"\"people\"", "\"rows of previous0\"", "\"rows of previousx\"", "\"\"", "5", "[]", "[\"job2\"]", "[\"job\"]"}) {
    EXPECT_FALSE(ReadJoin(ChangedTo("y", wrong)).ok()) << wrong;
  }
}

TEST(JoinPolicies, WrongKeysAreNamedWithTheirPlace) {
  EXPECT_NE(
      JoinTold(ChangedTo("x", "[\"jobs\"]")).find("'x' in xy-anonymity names 'jobs', which is not a column of the policy"),
      std::string::npos);
  EXPECT_NE(JoinTold(ChangedTo("x", "[\"test\"]")).find("whose role is \"sensitive\""), std::string::npos);
  EXPECT_NE(JoinTold(ChangedTo("x", "[\"id\"]")).find("whose role is \"identifier\""), std::string::npos);
  EXPECT_NE(JoinTold(ChangedTo("x", "[\"label\"]")).find("whose role is \"class\""), std::string::npos);
  EXPECT_FALSE(ReadJoin(ChangedTo("x", "[]")).ok());
  EXPECT_FALSE(ReadJoin(ChangedTo("x", "\"job\"")).ok());
  EXPECT_FALSE(ReadJoin(ChangedTo("k", "0")).ok());
  EXPECT_FALSE(ReadJoin(ChangedTo("k", "2.5")).ok());
  EXPECT_FALSE(ReadJoin(std::string(kJoinPeople) + "h = 0.5\n").ok());  // a key of the other model
  for (const char* key : {"x", "y", "k"}) {
    std::string text = kJoinPeople;
    const std::size_t at = text.find(std::string("\n") + key + " = ") + 1;
    text.erase(at, text.find('\n', at) - at);
    EXPECT_NE(JoinTold(text).find(std::string("'") + key + "'"), std::string::npos) << JoinTold(text);
  }
}

TEST(JoinPolicies, GuardedValuesAreOfSensitiveColumns) {
  const auto values = [](const std::string& text) {
    return JoinTold("[[privacy]]\nmodel = \"xy-linkability\"\nx = [\"job\"]\nh = 0.5\nvalues = " + text + "\n");
  };
  EXPECT_EQ(values("{ test = [\"a\"] }"), "no error");
  EXPECT_EQ(values("{ \"previous.any\" = [\"a\"] }"), "no error");
  EXPECT_NE(values("{ note = [\"a\"] }").find("whose role is \"insensitive\""), std::string::npos);
  EXPECT_NE(values("{ previous.any = [\"a\"] }").find("previous"), std::string::npos);  // a table of a table
  EXPECT_NE(values("[\"a\"]"), "no error");
  EXPECT_NE(values("{}"), "no error");
}

TEST(JoinPolicies, ImpossiblePairsAreChecked) {
  const auto pairs = [](const std::string& keys) { return JoinTold(std::string(kJoinPeople) + "[[impossible]]\n" + keys); };
  EXPECT_EQ(pairs("current = \"job\"\nprevious = \"b\"\npairs = [[\"x\", \"y\"]]\n"), "no error");
  EXPECT_NE(pairs("current = \"age\"\nprevious = \"b\"\npairs = [[\"1\", \"y\"]]\n").find("published as ranges"),
            std::string::npos);
  EXPECT_NE(pairs("current = \"job\"\nprevious = \"job\"\npairs = [[\"x\", \"y\"]]\n").find("twice"), std::string::npos);
  EXPECT_NE(pairs("current = \"none\"\nprevious = \"b\"\npairs = [[\"x\", \"y\"]]\n").find("'none'"), std::string::npos);
  for (const char* wrong : {"[]", "[[\"x\"]]", "[\"x\", \"y\"]", "\"x\"", "[[\"x\", [\"y\"]]]"}) {
    EXPECT_NE(pairs(std::string("current = \"job\"\nprevious = \"b\"\npairs = ") + wrong + "\n"), "no error") << wrong;
  }
  const std::string plain = "[[privacy]]\nmodel = \"k-anonymity\"\nk = 2\n";
  EXPECT_NE(JoinTold(plain + "[sequential]\ngeneralize = \"x\"\n").find("belong to xy-anonymity"), std::string::npos);
  EXPECT_FALSE(ReadJoin(std::string(kJoinPeople) + "[sequential]\ngeneralize = \"y\"\n").ok());
}

TEST(JoinPolicies, TheDigestKnowsAllOfIt) {
  const std::string pairs = "[[impossible]]\ncurrent = \"job\"\nprevious = \"b\"\npairs = [[\"x\", \"y\"]]\n";
  std::set<std::string> digests;
  const std::vector<std::string> texts = {kJoinPeople,
                                          ChangedTo("k", "3"),
                                          ChangedTo("y", "\"pairs\""),
                                          ChangedTo("x", "[\"job\", \"age\"]"),
                                          ChangedTo("x", "[\"job\", \"previous.a\"]"),
                                          std::string(kJoinPeople) + pairs,
                                          std::string(kJoinPeople) + "[sequential]\ngeneralize = \"x\"\n"};
  for (const std::string& text : texts) digests.insert(ReadJoin(text).value().digest);
  for (const char* name : {"population = \"a\"\n", "population = \"b\"\n"})
    digests.insert(ReadJoin(kJoinPeople, name).value().digest);
  EXPECT_EQ(digests.size(), texts.size() + 2);
  EXPECT_EQ(ReadJoin(std::string(kJoinPeople) + "[sequential]\ngeneralize = \"x+join\"\n").value().digest,
            ReadJoin(kJoinPeople).value().digest);
}

TEST(JoinPolicies, APopulationIsAName) {
  EXPECT_EQ(ReadJoin(kJoinPeople, "population = \"patients of 2025\"\n").value().population, "patients of 2025");
  EXPECT_EQ(ReadJoin(kJoinPeople).value().population, "");
  for (const char* wrong : {"\"\"", "\"two\\nlines\"", "5", "[\"a\"]"}) {
    EXPECT_FALSE(ReadJoin(kJoinPeople, std::string("population = ") + wrong + "\n").ok()) << wrong;
  }
  EXPECT_FALSE(ReadJoin(kJoinPeople, "population = \"" + std::string(201, 'a') + "\"\n").ok());
}

}  // namespace
}  // namespace cordon::engine
