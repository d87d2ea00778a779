// SPDX-License-Identifier: Apache-2.0
#include "cordon/synthetic/patients.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cordon/base/digest.h"
#include "cordon/data/decimal.h"
#include "tests/synthetic/generated_text.h"

namespace cordon::engine {
namespace {

GenerateOptions Patients(std::uint64_t rows, std::uint64_t seed = 1) {
  return {.name = "patients", .rows = rows, .seed = seed, .rho = {}};
}

TEST(Patients, BytesAreFrozen) {
  EXPECT_EQ(ToHex(Sha256Of(CsvOf(Made(Patients(2000))))), "99842a2257d1bfb4547a33e971e11b2914c5dae8410b9e90a641ead23674a81d");
}

TEST(Patients, TwoThousandRowsUnlessToldOtherwise) {
  EXPECT_EQ(Made({.name = "patients", .rows = {}, .rho = {}}).table.num_rows, 2000u);
  EXPECT_EQ(Made(Patients(1)).table.num_rows, 1u);
}

TEST(Patients, SomePeopleHaveSeveralRowsWithOneNameEach) {
  const Table table = Made(Patients(2000)).table;
  std::map<std::string_view, std::set<std::string_view>> names;
  std::map<std::string_view, int> stays;
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    const std::string_view person = table.Find("patient_id")->cell(row).bytes();
    names[person].insert(table.Find("name")->cell(row).bytes());
    ++stays[person];
  }
  std::map<int, int> people;
  for (const auto& [person, count] : stays) ++people[count];
  EXPECT_GT(people[1], 1000);
  EXPECT_GT(people[2], 50);
  EXPECT_GT(people[3], 5);
  for (const auto& [person, of_person] : names) EXPECT_EQ(of_person.size(), 1u);
}

TEST(Patients, ValuesStandInTheHierarchiesOrAreMissing) {
  const Generated made = Made(Patients(2000));
  for (const auto& [column, file] : {std::pair{"job", "job.csv"}, std::pair{"disease", "disease.csv"}}) {
    const Hierarchy hierarchy = HierarchyOf(made, file);
    const Dictionary& values = *made.table.Find(column)->dictionary;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string_view value = values[static_cast<Code>(i)].bytes();
      EXPECT_TRUE(value == "?" || hierarchy.FindLeaf(value)) << column << " " << i;
    }
  }
}

TEST(Patients, CellsHaveTheFormTheirTypeAsksFor) {
  const Table table = Made(Patients(2000)).table;
  std::size_t missing = 0;
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    EXPECT_TRUE(ParseDate(table.Find("admitted")->cell(row).bytes())) << row;
    EXPECT_TRUE(ParseDecimal(table.Find("age")->cell(row).bytes())) << row;
    const std::string_view zip = table.Find("zip")->cell(row).bytes();
    const std::string_view cost = table.Find("cost")->cell(row).bytes();
    EXPECT_TRUE(zip.empty() || zip.size() == 5) << row;
    EXPECT_TRUE(cost.empty() || ParseDecimal(cost)) << row;
    missing += zip.empty() + cost.empty() + (table.Find("job")->cell(row).bytes() == "?");
  }
  EXPECT_GT(missing, 20u);
  EXPECT_LT(missing, 300u);
}

TEST(Patients, PolicyNamesEveryColumn) {
  const Generated made = Made(Patients(10));
  const std::string policy = FileOf(made, "policy.toml");
  for (const Column& column : made.table.columns) {
    EXPECT_NE(policy.find("[attributes." + column.name + "]\n"), std::string::npos) << column.name;
  }
}

}  // namespace
}  // namespace cordon::engine
