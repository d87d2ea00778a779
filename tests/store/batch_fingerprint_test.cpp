// SPDX-License-Identifier: Apache-2.0
#include "cordon/store/batch_fingerprint.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

Table TableOf(const std::vector<std::string>& names, const std::vector<std::vector<std::string>>& rows) {
  Table table;
  table.num_rows = rows.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto dictionary = std::make_shared<Dictionary>();
    CodesBuilder codes;
    for (const auto& row : rows) codes.Add(dictionary->Intern(row[i]));
    table.columns.push_back({names[i], std::move(dictionary), codes.Finish()});
  }
  return table;
}

TEST(BatchDigests, KnowRowsAgainWhateverTheirOrder) {
  Policy policy;
  AttributePolicy salary;
  salary.name = "salary";
  salary.type = Domain::Kind::kNumeric;
  policy.attributes = {salary};
  policy.data.missing = {"", "?"};
  Json state = Json::object();
  const auto rows_of = [&](const Table& table) { return DescribeBatch(table, "bytes", policy, "salary", state, {}).rows; };
  const std::string once = rows_of(TableOf({"age", "salary"}, {{"30", "100"}, {"31", "200"}, {"31", ""}}));
  EXPECT_EQ(rows_of(TableOf({"salary", "age"}, {{"?", "31"}, {"200.0", "31"}, {"100", "30"}})), once);
  EXPECT_NE(rows_of(TableOf({"age", "salary"}, {{"31", "100"}, {"30", "200"}, {"31", ""}})), once);  // other pairs
  EXPECT_EQ(rows_of(TableOf({"age", "salary"}, {{"30", "100"}, {"31", "200"}})), once);  // without a value: not published
  EXPECT_EQ(rows_of(TableOf({"age", "salary"}, {{"7", "?"}, {"30", "100"}, {"31", "200"}, {"8", ""}})), once);
  EXPECT_NE(rows_of(TableOf({"age", "salary"}, {{"30", "100"}})), once);
  EXPECT_NE(rows_of(TableOf({"age", "salary"}, {{"30.0", "100"}, {"31", "200"}, {"31", ""}})), once);  // a text
  EXPECT_NE(rows_of(TableOf({"salary", "age"}, {{"30", "100"}, {"31", "200"}, {"31", ""}})), once);    // other columns
  // Another store knows them by another digest.
  Json other = Json::object();
  EXPECT_NE(
      DescribeBatch(TableOf({"age", "salary"}, {{"30", "100"}, {"31", "200"}, {"31", ""}}), "", policy, "salary", other, {})
          .rows,
      once);
  const BatchDigests batch = DescribeBatch(TableOf({"age", "salary"}, {{"30", "100"}}), "bytes", policy, "salary", state, {});
  EXPECT_EQ(WasTakenIn(batch, state), Seen::kNo);
  RememberBatch(batch, state);
  EXPECT_EQ(WasTakenIn(batch, state), Seen::kSameBytes);
  EXPECT_EQ(WasTakenIn({"others", batch.rows}, state), Seen::kSameRows);
}

}  // namespace
}  // namespace cordon::engine
