// SPDX-License-Identifier: Apache-2.0
#include "cordon/query/query.h"

#include <gtest/gtest.h>

namespace cordon::engine {
namespace {

const QuerySchema kSchema = {{{"age", QueryColumn::Type::kNumber},
                              {"sex", QueryColumn::Type::kText},
                              {"born", QueryColumn::Type::kDate},
                              {"a \"b\"", QueryColumn::Type::kText},
                              {"hours-per-week", QueryColumn::Type::kNumber},
                              {"group", QueryColumn::Type::kNumber}},
                             "salary"};

std::string ConditionOf(const std::string& condition) {
  const auto query = ParseQuery("SELECT COUNT(*) WHERE " + condition, kSchema);
  return query.ok() ? query.value().condition : "error: " + query.error().message();
}

std::string ErrorOf(const std::string& text) {
  const auto query = ParseQuery(text, kSchema);
  return query.ok() ? "" : query.error().message();
}

TEST(Query, ReadsAggregatesConditionAndGroups) {
  const Query query =
      ParseQuery("select sex, Sum(salary), AVG(\"salary\"), COUNT(*) FROM t WHERE age BETWEEN 40 AND 48 GROUP BY sex;", kSchema)
          .value();
  ASSERT_EQ(query.items.size(), 4u);
  EXPECT_TRUE(query.items[0].is_column);
  EXPECT_EQ(query.items[1].title, "SUM(salary)");
  EXPECT_EQ(query.items[3].title, "COUNT(*)");
  EXPECT_EQ(query.group_by, std::vector<std::string>{"sex"});
  EXPECT_EQ(query.condition, "((\"age\" BETWEEN 40 AND 48))");
  EXPECT_TRUE(query.Asks(Aggregate::kAvg));
  EXPECT_FALSE(query.Asks(Aggregate::kMin));
}

TEST(Query, WritesConditionsAnewWithQuotes) {
  EXPECT_EQ(ConditionOf("age=-3.50 or NOT sex <> 'o''x' and born>='2024-02-29'"),
            "((\"age\" = -3.5) OR (NOT (\"sex\" <> 'o''x')) AND (\"born\" >= DATE '2024-02-29'))");
  EXPECT_EQ(ConditionOf("\"a \"\"b\"\"\" IN ('x', 'y') AND (AGE IS NOT NULL OR sex NOT LIKE 'M%')"),
            "((\"a \"\"b\"\"\" IN ('x', 'y')) AND ((\"age\" IS NOT NULL) OR (\"sex\" NOT LIKE 'M%')))");
  EXPECT_EQ(ConditionOf("hours-per-week != 1e2"), "((\"hours-per-week\" != 100))");
  EXPECT_EQ(ConditionOf("\"group\" = 7"), "((\"group\" = 7))");
  EXPECT_EQ(ConditionOf("sex = 'x''; DROP TABLE t --'"), "((\"sex\" = 'x''; DROP TABLE t --'))");
}

TEST(Query, TheSensitiveColumnSelectsNoRows) {
  for (const char* text : {"SELECT COUNT(*) WHERE salary > 3", "SELECT COUNT(*) WHERE age = 1 OR NOT (\"salary\" = 3)",
                           "SELECT COUNT(*) GROUP BY Salary", "SELECT salary, COUNT(*) GROUP BY age"}) {
    EXPECT_NE(ErrorOf(text).find("shuffled"), std::string::npos) << text;
  }
}

TEST(Query, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(ErrorOf(""), "the query ends where SELECT is expected");
  EXPECT_EQ(ErrorOf("SELECT SUM(age)"), "at character 12 of the query: 'age' where 'salary' is expected");
  EXPECT_EQ(ErrorOf("SELECT MEDIAN(salary)"), "at character 8 of the query: there is no aggregate 'MEDIAN'");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*), age(salary)"), "at character 18 of the query: there is no aggregate 'age'");
  EXPECT_EQ(ErrorOf("SELECT MEDIAN"), "at character 8 of the query: there is no column 'MEDIAN'");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*) WHERE agee = 3"), "at character 23 of the query: there is no column 'agee'");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*) WHERE age = 'x'"), "at character 29 of the query: 'x' where a number is expected");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*) WHERE sex = 3"),
            "at character 29 of the query: '3' where a text in single quotes is expected");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*) WHERE born = '30.2.'"), "at character 30 of the query: '30.2.' is not a date");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*) WHERE age NOT = 3"),
            "at character 31 of the query: '=' where BETWEEN, IN or LIKE is expected");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*) ORDER BY age"),
            "at character 17 of the query: 'ORDER' where ',', WHERE, GROUP BY or the end is expected");
  EXPECT_EQ(ErrorOf("SELECT age"), "'age' is selected but not in GROUP BY");
  EXPECT_EQ(ErrorOf("SELECT age GROUP BY age"), "the query asks for no aggregate");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*) WHERE sex = 'x"), "the query ends inside the quotes that open at character 29");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*) GROUP BY age, age"), "GROUP BY names 'age' twice");
  EXPECT_EQ(ErrorOf("SELECT COUNT(*) WHERE age LIKE '3%'"), "LIKE is for texts, and 'age' holds none");
  EXPECT_NE(ErrorOf("SELECT COUNT(*) WHERE age = 1.2.3").find("not a number"), std::string::npos);
  EXPECT_NE(ErrorOf("SELECT COUNT(*) WHERE age = 3 $ 4").find("there is no '$' here"), std::string::npos);
  EXPECT_NE(ErrorOf("SELECT COUNT(*) WHERE " + std::string(5000, '(')).find("nested"), std::string::npos);
}

}  // namespace
}  // namespace cordon::engine
