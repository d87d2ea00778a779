// SPDX-License-Identifier: Apache-2.0
//
// Rows of equal quasi cells, against a map from cells to rows.
#include "cordon/algorithms/partition/equal_rows.h"

#include <gtest/gtest.h>

#include <map>

#include "cordon/models/admit/all_of.h"
#include "tests/models/random_cases.h"

namespace cordon::engine {
namespace {

struct Table {
  Microdata data;
  AllOf model;
  CountedColumns counted;

  Table(Microdata rows, const std::vector<ModelSpec>& specs)
      : data(std::move(rows)),
        model(AllOf::Make(specs, ReferenceOf(data, View::All(data).rows())).value()),
        counted(data, data.ColumnsOf(Role::kSensitive), true) {}

  bool Admits(const std::vector<Place>& rows) const {
    GroupCounts counts(counted);
    counts.Add(std::vector<RowId>(rows.begin(), rows.end()));
    return model.Admits(counts);
  }
  EqualRows Find(std::size_t spare) const {
    const View view = View::All(data);
    GroupGate gate(view, model, counted);
    return FindEqualRows(view, gate, spare, {});
  }
};

Microdata TwoColumns(const std::vector<std::string>& ages, const std::vector<std::string>& values) {
  return test::BuildMicrodata(
      {{"age", Role::kQuasi, test::Numbers(1, 9), ages}, {"s", Role::kSensitive, test::Numbers(1, 9), values}});
}

// Age 1 seven times, age 2 twice, age 3 three times; k = 2.
TEST(EqualRows, OneGroupTakesPartAndTheSecondDoesNot) {
  const Table table(TwoColumns({"1", "1", "2", "3", "1", "1", "3", "1", "1", "1", "2", "3"}, std::vector<std::string>(12, "1")),
                    {KAnonymitySpec{2, {}}});
  const EqualRows found = table.Find(1);
  EXPECT_EQ(found.open, (RowSets{{0, 1, 4}, {2, 10}, {3, 6, 11}}));
  EXPECT_EQ(found.done, (RowSets{{5, 7, 8, 9}}));
  EXPECT_TRUE(found.rest.empty());
}

// One row is left, which is not a group: it gets company.
TEST(EqualRows, TheRestIsAdmitted) {
  const Table table(TwoColumns({"1", "1", "2", "3", "3"}, std::vector<std::string>(5, "1")), {KAnonymitySpec{2, {}}});
  const EqualRows found = table.Find(1);
  EXPECT_EQ(found.open, (RowSets{{0, 1}}));
  EXPECT_EQ(found.rest, (std::vector<Place>{2, 3, 4}));
}

TEST(EqualRows, TheModelDecidesNotTheNumberOfRows) {
  const Table table(TwoColumns({"1", "1", "1", "2", "2", "2"}, {"5", "5", "5", "5", "6", "5"}),
                    {LDiversitySpec{"s", 2, LDiversitySpec::Kind::kDistinct, {}}});
  const EqualRows found = table.Find(0);
  EXPECT_TRUE(found.open.empty());  // the rows of age 1 need those of age 2
  EXPECT_EQ(found.rest, (std::vector<Place>{0, 1, 2, 3, 4, 5}));
}

TEST(EqualRowsProperty, EveryRowOnceAndWhatIsAdmittedIsAGroup) {
  std::size_t open = 0;
  std::size_t done = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random = Random::FromSeed(seed);
    std::vector<std::string> ages;
    std::vector<std::string> values;
    for (std::size_t row = 0; row < 80; ++row) {
      ages.push_back(std::to_string(1 + random.Below(1 + random.Below(9))));
      values.push_back(std::to_string(1 + random.Below(3)));
    }
    std::vector<ModelSpec> specs = {KAnonymitySpec{test::Between(random, 1, 9), {}}};
    if (seed % 2 == 0) specs.push_back(LDiversitySpec{"s", 3, LDiversitySpec::Kind::kDistinct, {}});
    const Table table(TwoColumns(ages, values), specs);
    const EqualRows found = table.Find(random.Below(4));
    open += found.open.size();
    done += found.done.size();
    std::map<Code, std::vector<Place>> by_code;
    for (Place row = 0; row < 80; ++row) by_code[table.data.columns[0].codes[row]].push_back(row);
    std::vector<Place> seen = found.rest;
    std::map<Code, int> groups_of;
    for (const RowSets* const sets : {&found.open, &found.done}) {
      for (const std::vector<Place>& rows : *sets) {
        EXPECT_TRUE(table.Admits(rows));
        EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
        const Code code = table.data.columns[0].codes[rows[0]];
        for (const Place row : rows) EXPECT_EQ(table.data.columns[0].codes[row], code);
        ++groups_of[code];
        seen.insert(seen.end(), rows.begin(), rows.end());
      }
    }
    EXPECT_TRUE(found.rest.empty() || table.Admits(found.rest));
    std::sort(seen.begin(), seen.end());
    for (Place row = 0; row < 80; ++row) EXPECT_EQ(seen.at(row), row);
    EXPECT_EQ(seen.size(), 80);
    // If nothing had to keep the rest company, exactly the admitted combinations are groups.
    std::vector<Place> refused;
    for (const auto& [code, rows] : by_code) {
      if (!table.Admits(rows)) refused.insert(refused.end(), rows.begin(), rows.end());
    }
    if (!refused.empty() && !table.Admits(refused)) continue;
    for (const auto& [code, rows] : by_code) EXPECT_EQ(groups_of.contains(code), table.Admits(rows));
  }
  EXPECT_GT(open, 500);
  EXPECT_GT(done, 100);
}

}  // namespace
}  // namespace cordon::engine
