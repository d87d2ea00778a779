// SPDX-License-Identifier: Apache-2.0
#include "cordon/bind/bind_party.h"

#include <gtest/gtest.h>

#include "cordon/bind/bind.h"
#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

Policy JointPolicyIn(const ScratchFolder& folder) {
  folder.Write("job.csv", "Clerk;White;Any\nLawyer;White;Any\nMover;Blue;Any\n");
  const std::string text = R"(
[data]
on_missing = "drop"
missing = ["?"]
[attributes.id]
role = "person"
[attributes.job]
role = "quasi"
hierarchy = "job.csv"
owner = "bank"
[attributes.pay]
role = "quasi"
type = "numeric"
range = [0, 100]
grid = 10
owner = "bureau"
[attributes.good]
role = "class"
[[privacy]]
model = "k-anonymity"
k = 2
[parties.bank]
key = ")" + std::string(64, '1') +
                           R"("
max_ids = 10
[parties.bureau]
key = ")" + std::string(64, '2') +
                           R"("
max_ids = 10
)";
  auto policy = ParsePolicy(text, folder.path(), "joint.toml");
  EXPECT_TRUE(policy.ok()) << (policy.ok() ? "" : policy.error().message());
  return policy.value();
}

TEST(BindParty, BothPartiesHaveTheSameColumnsAndOwnTheirs) {
  const ScratchFolder folder;
  const Policy policy = JointPolicyIn(folder);
  const Table bank = TableOf({{"good", {"y", "n", "y"}}, {"job", {"Mover", "?", "Clerk"}}, {"id", {"c", "b", "a"}}});
  const Table bureau = TableOf({{"id", {"a", "c"}}, {"pay", {"12.75", "99"}}, {"good", {"y", "y"}}});
  const auto of_bank = BindParty(policy, "bank", bank, {});
  const auto of_bureau = BindParty(policy, "bureau", bureau, {});
  ASSERT_TRUE(of_bank.ok() && of_bureau.ok());
  const Microdata& a = of_bank.value().data;
  const Microdata& b = of_bureau.value().data;
  ASSERT_EQ(a.columns.size(), 3u);
  ASSERT_EQ(b.columns.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(a.columns[i].attribute.name, b.columns[i].attribute.name);  // the policy's order
  EXPECT_EQ(a.columns[0].codes.size(), 2u);                               // a person with a missing cell takes no part
  EXPECT_TRUE(a.columns[1].codes.empty());
  EXPECT_TRUE(b.columns[0].codes.empty());
  EXPECT_EQ(b.columns[1].codes.size(), 2u);
  // All cells of the grid, at the digits of the policy, whatever the rows have.
  const Domain& there = *a.columns[1].attribute.domain;
  const Domain& here = *b.columns[1].attribute.domain;
  EXPECT_EQ(there.numeric().values, here.numeric().values);
  EXPECT_EQ(there.numeric().values.size(), 11u);
  EXPECT_EQ(there.scale(), here.scale());
  EXPECT_EQ(b.columns[1].codes[0], 1);
  EXPECT_EQ(b.columns[1].codes[1], 9);
  EXPECT_EQ(of_bank.value().ids, (std::vector<std::string_view>{"c", "a"}));
  EXPECT_EQ(of_bank.value().classes, (std::vector<std::string_view>{"y", "y"}));
}

TEST(BindParty, ACommitmentIsToTheRowsNotToTheirOrder) {
  const ScratchFolder folder;
  const Policy policy = JointPolicyIn(folder);
  const auto committed = [&](const Table& table, const char* salt) {
    return BindParty(policy, "bank", table, {}).value().Commitment(salt);
  };
  const Table table = TableOf({{"id", {"a", "b"}}, {"job", {"Mover", "Clerk"}}, {"good", {"y", "n"}}});
  const Table turned = TableOf({{"good", {"n", "y"}}, {"id", {"b", "a"}}, {"job", {"Clerk", "Mover"}}});
  const Table other = TableOf({{"id", {"a", "b"}}, {"job", {"Lawyer", "Clerk"}}, {"good", {"y", "n"}}});
  EXPECT_EQ(committed(table, "s"), committed(turned, "s"));
  EXPECT_NE(committed(table, "s"), committed(other, "s"));
  EXPECT_NE(committed(table, "s"), committed(table, "t"));
}

TEST(BindParty, RefusesWhatIsNotOneRowOfOwnColumnsPerPerson) {
  const ScratchFolder folder;
  const Policy policy = JointPolicyIn(folder);
  const auto told = [&](const Table& table) { return BindParty(policy, "bank", table, {}).error().message(); };
  EXPECT_EQ(told(TableOf({{"id", {"a", "b", "a"}}, {"job", {"Mover", "Mover", "Clerk"}}, {"good", {"y", "n", "y"}}})),
            "rows 1 and 3 are of the same person (column 'id')");
  EXPECT_EQ(told(TableOf({{"id", {"a", "?"}}, {"job", {"Mover", "Mover"}}, {"good", {"y", "n"}}})), "row 2 has no 'id'");
  EXPECT_EQ(told(TableOf({{"id", {"a"}}, {"job", {"Mover"}}, {"pay", {"1"}}, {"good", {"y"}}})),
            "the data has 'pay', a column of bureau");
  EXPECT_EQ(told(TableOf({{"id", {"a"}}, {"good", {"y"}}})), "the policy describes 'job', which the data does not have");
}

// Who has both tables binds them as the parties do.
TEST(BindParty, AJoinedTableHasTheDeclaredDomainsToo) {
  const ScratchFolder folder;
  const Policy policy = JointPolicyIn(folder);
  const auto joined = Bind(policy, TableOf({{"id", {"a"}}, {"job", {"Mover"}}, {"pay", {"12.75"}}, {"good", {"y"}}}), {});
  ASSERT_TRUE(joined.ok());
  EXPECT_EQ(joined.value().columns[1].attribute.domain->numeric().values.size(), 11u);
  EXPECT_EQ(joined.value().columns[1].attribute.domain->scale(), 0);
}

}  // namespace
}  // namespace cordon::engine
