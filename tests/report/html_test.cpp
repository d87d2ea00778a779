// SPDX-License-Identifier: Apache-2.0
#include "cordon/report/html.h"

#include <gtest/gtest.h>

#include "cordon/report/charts.h"

namespace cordon::engine {
namespace {

TEST(Html, AnInputIsCalledByItsNameAndAQueryIsCalledOne) {
  EXPECT_EQ(InputTitle("data/patients.csv"), "patients.csv");
  EXPECT_EQ(InputTitle("-"), "standard input");
  EXPECT_EQ(InputTitle("sql:SELECT * FROM read_csv('p.csv', nullstr=['n/a','k.A.'])"), "a query");
}

// Twenty columns leave room for a few labels only; that of missing cells is always among them, and is not a place of the axis.
TEST(Charts, TheColumnOfMissingCellsIsAlwaysNamed) {
  ColumnChart chart{.title = "t", .x_name = "x", .columns = {}, .percent = true, .mark = {}, .mark_name = ""};
  for (int i = 0; i < 20; ++i) chart.columns.push_back({std::to_string(100000 + i), {0.1, 0.1}});
  chart.columns.push_back({"missing", {0.1, 0.1}, true});
  const std::string svg = DrawColumns(chart);
  EXPECT_NE(svg.find(">missing<"), std::string::npos);
  EXPECT_NE(svg.find(">100000<"), std::string::npos);
  EXPECT_EQ(svg.find(">100019<"), std::string::npos);
}

}  // namespace
}  // namespace cordon::engine
