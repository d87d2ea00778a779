// SPDX-License-Identifier: Apache-2.0
//
// The census extract that the literature uses, with its hierarchies, and releases that another tool made of it.
#include <gtest/gtest.h>

#include <map>

#include "cordon/bind/bind.h"
#include "cordon/bind/read_release.h"
#include "cordon/io/open_source.h"
#include "cordon/policy/read_policy.h"
#include "tests/policy/table_of.h"

namespace cordon::engine {
namespace {

constexpr const char* kColumns[] = {"sex",       "age",        "race",        "marital-status", "education", "native-country",
                                    "workclass", "occupation", "salary-class"};

Policy AdultPolicy(bool occupation_is_sensitive, bool numeric_age) {
  std::string text = "[data]\ndelimiter = \";\"\n";
  for (const std::string column : kColumns) {
    const bool sensitive = occupation_is_sensitive && column == "occupation";
    text += "[attributes." + column + "]\nrole = \"" + (sensitive ? "sensitive" : "quasi") +
            "\"\nhierarchy = \"adult_hierarchy_" + column + ".csv\"\n";
    if (column == "age" && numeric_age) text += "type = \"numeric\"\nrange = [1, 100]\n";
  }
  auto policy =
      ParsePolicy(text + "[[privacy]]\nmodel = \"k-anonymity\"\nk = 5\n", std::string(CORDON_DATA) + "/adult", "adult.toml");
  EXPECT_TRUE(policy.ok()) << Told(policy);
  return policy.value();
}

Table ReadAdult(const std::string& name, const Policy& policy) {
  SourceOptions options;
  options.text = policy.data.text;
  auto source = OpenSource(std::string(CORDON_DATA) + "/adult/" + name, options);
  EXPECT_TRUE(source.ok()) << Told(source);
  return ReadTable(*source.value(), {}).value();
}

TEST(Adult, BindsWithItsHierarchies) {
  for (const bool numeric : {false, true}) {
    const Policy policy = AdultPolicy(false, numeric);
    const Table table = ReadAdult("adult.csv", policy);
    const auto data = Bind(policy, table, {.threads = 2});
    ASSERT_TRUE(data.ok()) << Told(data);
    EXPECT_EQ(data.value().num_rows, 30162u);
    EXPECT_EQ(data.value().ColumnsOf(Role::kQuasi).size(), 9u);
    for (std::size_t i = 0; i < data.value().columns.size(); ++i) {
      const MicrodataColumn& column = data.value().columns[i];
      for (std::size_t row = 0; row < data.value().num_rows; row += 97) {
        EXPECT_EQ(column.attribute.domain->Publish(column.codes[row], column.codes[row]), table.columns[i].cell(row).bytes());
      }
    }
  }
}

TEST(Adult, ReadsTheReleasesOfAnotherTool) {
  // The number of rows with * in every quasi column, as an independent count has it.
  const std::map<std::string, std::pair<bool, std::uint64_t>> releases = {{"arx_k5_global.csv", {false, 506}},
                                                                          {"arx_k5_local.csv", {false, 0}},
                                                                          {"arx_t02_equal_local.csv", {true, 1090}},
                                                                          {"arx_beta4_local.csv", {true, 2352}}};
  for (const auto& [name, expected] : releases) {
    SCOPED_TRACE(name);
    for (const bool numeric : {false, true}) {
      const Policy policy = AdultPolicy(expected.first, numeric);
      const Microdata original = Bind(policy, ReadAdult("adult.csv", policy), {}).value();
      const Table table = ReadAdult(name, policy);
      const auto alone = ReadRelease(policy, table, nullptr, {});
      ASSERT_TRUE(alone.ok()) << Told(alone);
      EXPECT_EQ(alone.value().suppressed, expected.second);
      const auto against = ReadRelease(policy, table, &original, {});
      ASSERT_TRUE(against.ok()) << Told(against);
      EXPECT_EQ(against.value().suppressed, expected.second);
      // Rows are in the order of the input: every published cell covers the value behind it.
      for (std::size_t i = 0; i < original.columns.size(); ++i) {
        const MicrodataColumn& column = original.columns[i];
        if (column.attribute.role != Role::kQuasi) continue;
        for (std::size_t row = 0; row < original.num_rows; row += 13) {
          const auto meaning = column.attribute.domain->Read(table.columns[i].cell(row).bytes());
          ASSERT_TRUE(meaning && column.attribute.domain->Covers(*meaning, column.codes[row]))
              << column.attribute.name << " row " << row;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cordon::engine
