// SPDX-License-Identifier: Apache-2.0
#include "cordon/query/workload.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

const QuerySchema kWorkloadSchema = {{{"age", QueryColumn::Type::kNumber},
                                      {"sex", QueryColumn::Type::kText},
                                      {"born", QueryColumn::Type::kDate},
                                      {"hours-per-week", QueryColumn::Type::kNumber}},
                                     ""};

std::string WorkloadErrorOf(const std::string& text) {
  const auto queries = ParseWorkload(text, kWorkloadSchema, "w.txt");
  return queries.ok() ? "" : queries.error().message();
}

TEST(Workload, ReadsAQueryALine) {
  const auto queries = ParseWorkload(
                           "# people in their thirties\n\nage BETWEEN 30 AND 39.5 and sex = 'F'\r\n"
                           "  hours-per-week >= 40 AND hours-per-week < 60;\nsex IN ('F', 'it''s') AND born <= '2000-02-29'",
                           kWorkloadSchema, "w.txt")
                           .value();
  ASSERT_EQ(queries.size(), 3u);
  EXPECT_EQ(queries[0].line, 3u);
  ASSERT_EQ(queries[0].tests.size(), 2u);
  EXPECT_EQ(queries[0].tests[0].low->value, "30");
  EXPECT_EQ(queries[0].tests[0].high->value, "39.5");
  EXPECT_TRUE(queries[0].tests[0].high->included);
  EXPECT_EQ(queries[0].tests[1].values, std::vector<std::string>{"F"});
  EXPECT_EQ(queries[1].line, 4u);
  EXPECT_FALSE(queries[1].tests[0].high);
  EXPECT_FALSE(queries[1].tests[1].high->included);
  EXPECT_EQ(queries[2].tests[0].values, (std::vector<std::string>{"F", "it's"}));
}

TEST(Workload, ErrorsNameTheLine) {
  EXPECT_EQ(WorkloadErrorOf("age = 3\nage = 'x'"), "w.txt:2: at character 7 of the query: 'x' where a number is expected");
  EXPECT_EQ(WorkloadErrorOf("agee = 3"), "w.txt:1: at character 1 of the query: there is no column 'agee'");
  EXPECT_EQ(WorkloadErrorOf("\n\nage = 3 OR sex = 'F'"),
            "w.txt:3: at character 9 of the query: 'OR' where AND or the end of the line is expected");
  EXPECT_EQ(WorkloadErrorOf("sex < 'F'"), "w.txt:1: at character 5 of the query: '<' where = or IN is expected");
  EXPECT_EQ(WorkloadErrorOf("age LIKE 3"),
            "w.txt:1: at character 5 of the query: 'LIKE' where =, <, <=, >, >=, BETWEEN or IN is expected");
  EXPECT_EQ(WorkloadErrorOf("age BETWEEN 3"), "w.txt:1: the query ends where AND is expected");
  EXPECT_EQ(WorkloadErrorOf("age = 1234567890123456789012"),
            "w.txt:1: '1234567890123456789012' is not a number of up to 18 digits");
  EXPECT_EQ(WorkloadErrorOf("born = '2001-02-29'"), "w.txt:1: '2001-02-29' is not a date");
  EXPECT_EQ(WorkloadErrorOf("sex = 'F"), "w.txt:1: the query ends inside the quotes that open at character 7");
  EXPECT_EQ(WorkloadErrorOf("sex IN ()"),
            "w.txt:1: at character 9 of the query: ')' where a value in single quotes is expected");
  EXPECT_EQ(WorkloadErrorOf("# nothing\n"), "w.txt has no query");
  EXPECT_EQ(WorkloadErrorOf(""), "w.txt has no query");
}

}  // namespace
}  // namespace cordon::engine
