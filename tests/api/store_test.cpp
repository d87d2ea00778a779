// SPDX-License-Identifier: Apache-2.0
#include "tests/api/support.h"

namespace cordon {
namespace {

using test::ScratchFolder;

Policy SalaryPolicy() {
  return PolicyBuilder()
      .Quasi("age", {{"type", "numeric"}})
      .Sensitive("salary", {{"type", "numeric"}})
      .Model("ke-anonymity", {{"sensitive", "salary"}, {"k", 3}, {"e", 100}})
      .Build()
      .value();
}

Table Salaries(int first, int count) {
  std::vector<std::string> age, salary;
  for (int i = first; i < first + count; ++i) {
    age.push_back(std::to_string(20 + i * 7 % 50));
    salary.push_back(std::to_string(1000 + i * 61 % 997));
  }
  return TableBuilder().Column("age", age).Column("salary", salary).Build().value();
}

TEST(Store, GrowsAndAnswers) {
  const ScratchFolder folder;
  StoreReport report;
  auto made = Store::Create(folder / "salaries", Salaries(0, 60), SalaryPolicy(), &report);
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(report.rows, 60u);
  Store store = std::move(made).value();
  const auto appended = store.Append(Salaries(60, 30));
  ASSERT_TRUE(appended.ok()) << appended.error().message();
  EXPECT_EQ(appended.value().rows + appended.value().waiting, 30u);
  // The same rows a second time tell more of their people.
  EXPECT_FALSE(store.Append(Salaries(60, 30)).ok());
  EXPECT_NE(store.Query("SELECT COUNT(*)").value().text.find("90"), std::string::npos);
  EXPECT_EQ(store.Query("SELECT nonsense").error().kind(), ErrorKind::kInvalidPolicy);
  EXPECT_TRUE(Store::Open(folder / "salaries").value().Verify(SalaryPolicy()).value().holds);
  EXPECT_FALSE(Store::Open(folder / "none").ok());
  EXPECT_FALSE(Store::Create(folder / "salaries", Salaries(0, 60), SalaryPolicy()).ok());
}

TEST(Store, WhatWasEnteredStaysEntered) {
  const ScratchFolder folder;
  const Policy policy =
      Policy::FromToml(
          "population = \"staff\"\n" +
          PolicyToToml({{"attributes", PolicyKeys{{"age", PolicyKeys{{"role", "quasi"}, {"type", "numeric"}}},
                                                  {"salary", PolicyKeys{{"role", "sensitive"}, {"type", "numeric"}}}}},
                        {"privacy", PolicyValue::Array{PolicyKeys{
                                        {"model", "ke-anonymity"}, {"sensitive", "salary"}, {"k", 3}, {"e", 100}}}}}))
          .value();
  const std::string registry = folder / "R.db";
  auto made = Store::Create(folder / "salaries", Salaries(0, 60), policy, nullptr, {.registry = registry});
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_FALSE(made.value().Append(Salaries(60, 30)).ok());
  ASSERT_TRUE(made.value().Append(Salaries(60, 30), {.registry = registry}).ok());
  const History history = Registry::Open(registry).value().Check().value();
  ASSERT_EQ(history.releases.size(), 2u);
  EXPECT_EQ(history.releases[1].command, "append");
  EXPECT_EQ(history.releases[1].rows, 30u);
  EXPECT_TRUE(history.holds) << history.text;
}

}  // namespace
}  // namespace cordon
