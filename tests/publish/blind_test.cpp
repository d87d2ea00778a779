// SPDX-License-Identifier: Apache-2.0
//
// What an attacker can infer who knows everybody's quasi values, who is in which group, the policy and the program: by running
// it on every table that the people could have made of the values (docs/algorithms/blind.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "cordon/bind/bind.h"
#include "cordon/policy/read_policy.h"
#include "cordon/publish/make_release.h"
#include "tests/policy/table_of.h"
#include "tests/some_or_all.h"

namespace cordon::engine {
namespace {

struct Case {
  std::vector<std::string> x;  // quasi: a number
  std::vector<std::string> y;  // quasi: a category
  std::vector<std::string> ill;
  std::string models;
};

Case RandomCase(std::uint64_t seed) {
  Random random = Random::FromSeed(seed);
  Case made;
  const std::uint64_t rows = 5 + random.Below(SomeOrAll(2u, 3u));
  for (std::uint64_t row = 0; row < rows; ++row) {
    made.x.push_back(std::to_string(random.Below(4)));
    made.y.push_back(random.Below(2) == 0 ? "a" : "b");
    made.ill.push_back(random.Below(3) == 0 ? "flu" : random.Below(2) == 0 ? "HIV" : "cough");
  }
  const std::vector<std::string> models = {
      "model = \"l-diversity\"\nsensitive = \"ill\"\nl = 2\n",
      "model = \"l-diversity\"\nsensitive = \"ill\"\nl = 1.5\nkind = \"entropy\"\n",
      "model = \"alpha-k\"\nsensitive = \"ill\"\nvalue = \"HIV\"\nalpha = 0.5\nk = 2\n",
      "model = \"t-closeness\"\nsensitive = \"ill\"\nt = 0.4\ndistance = \"equal\"\n",
      "model = \"beta-likeness\"\nsensitive = \"ill\"\nbeta = 1\nkind = \"basic\"\n",
      "model = \"confidence\"\nvalues = { ill = [\"HIV\"] }\nh = 0.5\n",
  };
  made.models = "[[privacy]]\n" + models[random.Below(models.size())] +
                "[[privacy]]\nmodel = \"k-anonymity\"\nk = " + std::to_string(2 + random.Below(2)) + "\n";
  return made;
}

Policy PolicyOf(const Case& at) {
  return ParsePolicy(
             "[attributes.x]\nrole = \"quasi\"\ntype = \"numeric\"\n[attributes.y]\nrole = \"quasi\"\n[attributes.ill]\n"
             "role = \"sensitive\"\nvalues = [\"HIV\", \"cough\", \"flu\"]\n" +
                 at.models,
             ".", "policy.toml")
      .value();
}

// What each person's row shows, and the values of the people whose rows show the same: all that there is to see. Nothing if the
// program refuses.
using Seen = std::pair<std::vector<std::string>, std::map<std::string, std::multiset<std::string>>>;

std::optional<Seen> Publish(const Case& at, const Policy& policy, const std::vector<std::string>& ill, const char* algorithm,
                            const Random& random) {
  const Microdata data = Bind(policy, TableOf({{"x", at.x}, {"y", at.y}, {"ill", ill}}), {}).value();
  const AlgorithmEntry* entry = ChooseAlgorithm(algorithm, policy).value().algorithm;
  const auto made = MakeByAlgorithm(*entry, data, policy, {}, random, {});
  if (!made.ok()) {
    EXPECT_EQ(made.error().kind(), ErrorKind::kUnsatisfiable);
    return std::nullopt;
  }
  const Release& release = made.value().verified.release();
  Seen seen;
  seen.first.resize(ill.size());
  for (std::size_t row = 0; row < release.num_rows; ++row) {
    const auto cell = [&](const char* name) { return std::string(release.Find(name)->text.cell(row).bytes()); };
    const std::string box = cell("x") + " " + cell("y");
    seen.first[release.input_rows[row]] = box;
    seen.second[box].insert(cell("ill"));
  }
  return seen;
}

struct Beliefs {
  std::size_t releases = 0;
  std::size_t sharper = 0;  // beliefs that are not the share of the value in the group
};

// Over all assignments of the values to the people: is what one believes after a release the share in the group, exactly?
Beliefs BeliefsOf(const Case& at, const char* algorithm, std::uint64_t seed) {
  const Policy policy = PolicyOf(at);
  const Random random = Random::FromSeed(seed);
  std::map<Seen, std::vector<std::vector<std::string>>> worlds;
  std::vector<std::string> ill = at.ill;
  std::sort(ill.begin(), ill.end());
  do {
    if (auto seen = Publish(at, policy, ill, algorithm, random)) worlds[*std::move(seen)].push_back(ill);
  } while (std::next_permutation(ill.begin(), ill.end()));
  Beliefs beliefs{worlds.size()};
  for (const auto& [seen, left] : worlds) {
    for (std::size_t person = 0; person < ill.size(); ++person) {
      const std::multiset<std::string>& group = seen.second.at(seen.first[person]);
      for (const char* value : {"HIV", "cough", "flu"}) {
        const auto has = std::count_if(left.begin(), left.end(), [&](const auto& world) { return world[person] == value; });
        const auto share = static_cast<std::ptrdiff_t>(group.count(value));
        if (has * static_cast<std::ptrdiff_t>(group.size()) != share * static_cast<std::ptrdiff_t>(left.size())) {
          ++beliefs.sharper;
        }
      }
    }
  }
  return beliefs;
}

TEST(Blind, EveryBeliefIsTheShareInTheGroup) {
  Beliefs blind;
  Beliefs partition;
  const auto tables = SomeOrAll<std::uint64_t>(15, 60);
  for (std::uint64_t seed = 0; seed < tables; ++seed) {
    SCOPED_TRACE(seed);
    const Case at = RandomCase(seed);
    const Beliefs here = BeliefsOf(at, "blind", seed);
    EXPECT_EQ(here.sharper, 0u);
    blind.releases += here.releases;
    partition.sharper += BeliefsOf(at, "partition", seed).sharper;
  }
  EXPECT_GT(blind.releases, tables);
  EXPECT_GT(partition.sharper, 0u);  // a search that looks at values does reveal some
}

// z = 1 1 8 8 8 8, of whom the first two have HIV.
TEST(Blind, SixPeopleAreNotFoundOut) {
  Case at{{"1", "1", "8", "8", "8", "8"},
          {"a", "a", "a", "a", "a", "a"},
          {"HIV", "HIV", "flu", "flu", "flu", "flu"},
          "[[privacy]]\nmodel = \"alpha-k\"\nsensitive = \"ill\"\nvalue = \"HIV\"\nalpha = 0.5\nk = 2\n"};
  const Random random = Random::FromSeed(1);
  EXPECT_FALSE(Publish(at, PolicyOf(at), at.ill, "blind", random));  // two people with HIV in a group of two
  at.models += "[[privacy]]\nmodel = \"k-anonymity\"\nk = 6\n";
  ASSERT_TRUE(Publish(at, PolicyOf(at), at.ill, "blind", random));
  EXPECT_EQ(BeliefsOf(at, "blind", 1).sharper, 0u);
}

// People who are left out are those who cost most by their quasi values, whatever they have.
TEST(Blind, WhoIsLeftOutDoesNotDependOnValues) {
  Case at{{"0", "0", "1", "1", "3", "3"},
          {"a", "a", "a", "a", "b", "b"},
          {"HIV", "cough", "flu", "HIV", "flu", "cough"},
          "[[privacy]]\nmodel = \"l-diversity\"\nsensitive = \"ill\"\nl = 2\n[[privacy]]\nmodel = \"k-anonymity\"\nk = 4\n"
          "[algorithm]\nsuppression_limit = 0.4\n"};
  const Policy policy = PolicyOf(at);
  std::set<std::vector<std::string>> shown;
  std::vector<std::string> ill = at.ill;
  std::sort(ill.begin(), ill.end());
  do {
    if (const auto seen = Publish(at, policy, ill, "blind", Random::FromSeed(1))) shown.insert(seen->first);
  } while (std::next_permutation(ill.begin(), ill.end()));
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(std::count(shown.begin()->begin(), shown.begin()->end(), ""), 2);
}

// Whether such a model holds depends on which rows are whose: a release would tell that this table is not one that fails.
TEST(Blind, DoesNotServeModelsThatCountPeople) { EXPECT_FALSE(FindAlgorithm("blind")->counts_persons); }

TEST(Blind, RefusesAPolicyWithoutK) {
  Case at = RandomCase(1);
  at.models = "[[privacy]]\nmodel = \"l-diversity\"\nsensitive = \"ill\"\nl = 2\n";
  const Policy policy = PolicyOf(at);
  const AlgorithmEntry* blind = ChooseAlgorithm("blind", policy).value().algorithm;
  const auto checked = blind->check(policy, blind->name);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().message(), "blind makes groups by k alone, and the policy has none");
}

}  // namespace
}  // namespace cordon::engine
